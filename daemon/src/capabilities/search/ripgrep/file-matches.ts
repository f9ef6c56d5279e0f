import type { FilePath } from '../../../core/files/file-path.ts';
import { cut, matchesOfLines, withoutEnd } from '../line-matches.ts';
import type { GrepMatch } from '../requests.ts';
import { bytesOfText, type Message } from './ripgrep-messages.ts';

type Found = ReturnType<typeof matchesOfLines>[number];

/** Assembles ripgrep's messages about one file to matches with the lines around them. */
export class FileMatches {
  readonly #file: FilePath;
  readonly #before: number;
  readonly #after: number;
  readonly #skip: number;
  readonly #found: Found[] = [];
  /** By line number, ascending; only if lines around matches are requested. */
  readonly #lines = new Map<number, string>();
  #passed = 0;
  #bytes = 0;
  #lastMatch = 0;
  #lastLine = 0;

  /** @param skip matches that are counted and not kept */
  constructor(file: FilePath, { before, after, skip }: { before: number; after: number; skip: number }) {
    this.#file = file;
    this.#before = before;
    this.#after = after;
    this.#skip = skip;
  }

  /** Matches that were passed over. */
  get passed(): number {
    return this.#passed;
  }

  /** Matches that are kept. */
  get count(): number {
    return this.#found.length;
  }

  /** UTF-16 units of text that is kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the lines after the last match are complete. */
  get isLastComplete(): boolean {
    return this.#lastLine >= this.#lastMatch + this.#after;
  }

  take({ type, data }: Extract<Message, { type: 'match' | 'context' }>): void {
    const bytes = bytesOfText(data.lines);
    const text = bytes.toString('utf8');
    const first = data.line_number;
    if (this.#before + this.#after > 0) this.#keepLines(first, text);
    if (type === 'context') return;
    const chars = charsOf(bytes, text);
    const spans = data.submatches.map(({ start, end }) => ({ start: chars(start), end: chars(end) }));
    // ripgrep does not report an empty match at the end of the file.
    for (const found of matchesOfLines(text, first, spans.length > 0 ? spans : [{ start: 0, end: 0 }])) {
      this.#lastMatch = found.lastLine;
      if (this.#passed < this.#skip) this.#passed += 1;
      else {
        this.#found.push(found);
        this.#bytes += found.line.length + found.match.length;
      }
    }
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

  #keepLines(first: number, text: string): void {
    const lines = withoutEnd(text).split('\n').map(cut);
    for (const [index, line] of lines.entries()) {
      this.#lines.set(first + index, line);
      this.#bytes += line.length;
    }
    this.#lastLine = first + lines.length - 1;
    if (this.#found.length > 0) return;
    // Lines before the first match that is kept.
    for (const [number, line] of this.#lines) {
      if (number >= first - this.#before) break;
      this.#lines.delete(number);
      this.#bytes -= line.length;
    }
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
