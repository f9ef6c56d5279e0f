import { diffLines, type LineDiff } from './line-diff.ts';

/** Equal lines before and after a change. */
const CONTEXT = 3;
const NO_NEWLINE = '\\ No newline at end of file\n';

interface UnifiedText {
  readonly text: string;
  /** Whether lines at its end are left out. */
  readonly isCut: boolean;
}

/** One line of the texts: both have it, or one of them. */
interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly line: string;
}

/**
 * The difference of two texts in the unified format (POSIX.1-2024, diff -u), without the lines that name the files;
 * '' for equal texts.
 * @param max bytes
 */
export function unifiedText(before: string, after: string, max: number): UnifiedText {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const output = new Output(max);
  for (const hunk of hunksOf(old, fresh, diffLines(old, fresh))) {
    if (!output.addHunk(hunk)) break;
  }
  return output.result();
}

/** With their ends. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  const last = lines.pop();
  const whole = lines.map((line) => `${line}\n`);
  if (last) whole.push(last);
  return whole;
}

interface Hunk {
  /** Lines before it, in each text. */
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: Line[];
}

/** Changes, with what is around them; two that are near are one hunk. */
function* hunksOf(old: readonly string[], fresh: readonly string[], diff: LineDiff): Iterable<Hunk> {
  let hunk: Hunk | undefined;
  let [equal, at, atNew] = [0, 0, 0];
  for (const line of mergedLines(old, fresh, diff)) {
    if (line.mark !== ' ') hunk ??= hunkBefore(old, at, atNew);
    equal = line.mark === ' ' ? equal + 1 : 0;
    hunk?.lines.push(line);
    if (hunk && equal > 2 * CONTEXT) {
      yield withoutEnd(hunk, equal - CONTEXT);
      hunk = undefined;
    }
    if (line.mark !== '+') at += 1;
    if (line.mark !== '-') atNew += 1;
  }
  if (hunk) yield withoutEnd(hunk, Math.max(0, equal - CONTEXT));
}

/** The lines of both, those that are removed before those that replace them. */
function* mergedLines(old: readonly string[], fresh: readonly string[], { removed, added }: LineDiff): Iterable<Line> {
  let atNew = 0;
  for (let at = 0; at <= old.length; at += 1) {
    const line = old[at];
    if (line !== undefined && removed[at] === 1) {
      yield { mark: '-', line };
      continue;
    }
    for (; added[atNew] === 1; atNew += 1) yield { mark: '+', line: fresh[atNew] ?? '' };
    if (line !== undefined) yield { mark: ' ', line };
    atNew += 1;
  }
}

function hunkBefore(old: readonly string[], at: number, atNew: number): Hunk {
  const count = Math.min(CONTEXT, at, atNew);
  const lines = old.slice(at - count, at).map((line): Line => ({ mark: ' ', line }));
  return { oldStart: at - count, newStart: atNew - count, lines };
}

function withoutEnd(hunk: Hunk, count: number): Hunk {
  return { ...hunk, lines: hunk.lines.slice(0, hunk.lines.length - count) };
}

/** Hunks within a number of bytes; the last one may have only its first lines. */
class Output {
  readonly #parts: string[] = [];
  #left: number;
  #isCut = false;

  constructor(max: number) {
    this.#left = max;
  }

  /** @returns whether more fits */
  addHunk({ oldStart, newStart, lines }: Hunk): boolean {
    const head = (old: number, fresh: number): string =>
      `@@ -${rangeOf(oldStart, old)} +${rangeOf(newStart, fresh)} @@\n`;
    this.#left -= head(lines.length, lines.length).length;
    const kept: string[] = [];
    let [old, fresh, changed] = [0, 0, 0];
    for (const { mark, line } of lines) {
      const text = `${mark}${line}${line.endsWith('\n') ? '' : `\n${NO_NEWLINE}`}`;
      this.#left -= Buffer.byteLength(text);
      this.#isCut = this.#left < 0;
      if (this.#isCut) break;
      kept.push(text);
      if (mark !== '+') old += 1;
      if (mark !== '-') fresh += 1;
      if (mark !== ' ') changed += 1;
    }
    if (changed > 0) this.#parts.push(head(old, fresh), ...kept);
    return !this.#isCut;
  }

  result(): UnifiedText {
    return { text: this.#parts.join(''), isCut: this.#isCut };
  }
}

/** The number of the first line, or of the one before an empty range, and the number of lines unless it is 1. */
function rangeOf(linesBefore: number, count: number): string {
  if (count === 0) return `${linesBefore},0`;
  return count === 1 ? `${linesBefore + 1}` : `${linesBefore + 1},${count}`;
}
