import type { GrepMatch } from './requests.ts';

/** Most characters of a line in an answer. */
const LINE_KEPT = 1024 ** 2;

/** The range of a match in a text, in characters. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

type Found = Omit<GrepMatch, 'file' | 'before' | 'after'> & { readonly lastLine: number };

/**
 * The spans as matches of lines; spans that share a line are one match. `text` begins with line `firstLine`;
 * spans are in ascending order.
 */
export function matchesOfLines(text: string, firstLine: number, spans: readonly Span[]): Found[] {
  let at = 0;
  let lineNumber = firstLine;
  return groupsOf(text, spans).map(({ from, to, match }) => {
    lineNumber += count(text, at, from);
    at = from;
    const lastLine = lineNumber + count(text, from, to);
    return { lineNumber, lastLine, line: cut(text.slice(from, to)), match };
  });
}

function groupsOf(text: string, spans: readonly Span[]): { from: number; to: number; match: string }[] {
  const groups: { from: number; to: number; match: string }[] = [];
  for (const { start, end } of spans) {
    const from = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
    const to = endOfLine(text, Math.max(start, end - 1));
    const last = groups.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else if (from < text.length) groups.push({ from, to, match: cut(text.slice(start, end)) });
  }
  return groups;
}

export function withoutEnd(line: string): string {
  if (line.endsWith('\r\n')) return line.slice(0, -2);
  return line.endsWith('\n') || line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** The line as it is kept: a copy of the beginning of a long one, which would hold all of it in memory. */
export function cut(text: string): string {
  const line = withoutEnd(text);
  return line.length <= LINE_KEPT ? line : Buffer.from(line.slice(0, LINE_KEPT)).toString('utf8');
}

/** End of the line of this character, before its `\n`. */
export function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function count(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
