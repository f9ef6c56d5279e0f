import type { FilePath } from '../../../core/files/file-path.ts';
import { matchesOfLines, withoutEnd } from '../line-matches.ts';
import type { GrepMatch } from '../requests.ts';
import { bytesOfText, type Message } from './ripgrep-messages.ts';

type Found = ReturnType<typeof matchesOfLines>[number];

/** Assembles ripgrep's messages about one file to matches with the lines around them. */
export class FileMatches {
  readonly #file: FilePath;
  readonly #before: number;
  readonly #after: number;
  readonly #found: Found[] = [];
  /** By line number; only where lines around matches are requested. */
  readonly #lines = new Map<number, string>();
  #lastLine = 0;

  constructor(file: FilePath, { before, after }: { readonly before: number; readonly after: number }) {
    this.#file = file;
    this.#before = before;
    this.#after = after;
  }

  get count(): number {
    return this.#found.length;
  }

  /** Whether the lines after the last match are complete. */
  get isLastComplete(): boolean {
    return this.#lastLine >= (this.#found.at(-1)?.lastLine ?? 0) + this.#after;
  }

  take({ type, data }: Extract<Message, { type: 'match' | 'context' }>): void {
    const bytes = bytesOfText(data.lines);
    const text = bytes.toString('utf8');
    const first = data.line_number;
    if (this.#before + this.#after > 0) {
      const lines = withoutEnd(text).split('\n');
      for (const [index, line] of lines.entries()) this.#lines.set(first + index, withoutEnd(line));
      this.#lastLine = first + lines.length - 1;
    }
    if (type === 'context') return;
    const chars = charsOf(bytes, text);
    const spans = data.submatches.map(({ start, end }) => ({ start: chars(start), end: chars(end) }));
    // ripgrep does not report an empty match at the end of the file.
    this.#found.push(...matchesOfLines(text, first, spans.length > 0 ? spans : [{ start: 0, end: 0 }]));
  }

  matches(): GrepMatch[] {
    return this.#found.map(({ lineNumber, lastLine, line, match }) => ({
      file: this.#file,
      lineNumber,
      line,
      match,
      before: this.#around(lineNumber - this.#before, lineNumber - 1),
      after: this.#around(lastLine + 1, lastLine + this.#after),
    }));
  }

  #around(from: number, to: number): string[] {
    const lines: string[] = [];
    for (let number = from; number <= to; number += 1) {
      const line = this.#lines.get(number);
      if (line !== undefined) lines.push(line);
    }
    return lines;
  }
}

/** Converts byte offsets to character offsets; for ASCII they are the same. */
function charsOf(bytes: Buffer, text: string): (offset: number) => number {
  if (bytes.length === text.length) return (offset) => offset;
  return (offset) => bytes.toString('utf8', 0, offset).length;
}
