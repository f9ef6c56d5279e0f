import { endOfLine, matchesOfLines, type Span, withoutEnd } from '../line-matches.ts';
import type { WorkerMatch } from './worker-task.ts';

/** `\\A` and `\\z`, as `rustRegex` writes them. */
const HAS_ANCHOR = /\(\?<?!\[\\s\\S\]\)/;

export interface TextTerms {
  /** With the flags `g` and `v`. */
  readonly regex: RegExp;
  readonly multiline: boolean;
  readonly before: number;
  readonly after: number;
}

/** At most `limit` matches in a text that begins with line `firstLine`. */
export function searchText(text: string, firstLine: number, limit: number, terms: TextTerms): WorkerMatch[] {
  const spans = (terms.multiline ? spansOf : spansByLine)(text, terms.regex, limit);
  const found = matchesOfLines(text, firstLine, spans).slice(0, limit);
  const lines = terms.before + terms.after > 0 && found.length > 0 ? linesOf(text) : [];
  return found.map(({ lineNumber, lastLine, line, match }) => ({
    lineNumber,
    line,
    match,
    before: lines.slice(Math.max(0, lineNumber - firstLine - terms.before), lineNumber - firstLine),
    after: lines.slice(lastLine - firstLine + 1, lastLine - firstLine + 1 + terms.after),
  }));
}

export function lineCount(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** The spans that begin a match of lines or add lines to one: a line may have a span for each of its characters. */
function spansOf(text: string, regex: RegExp, limit: number): Span[] {
  const spans: Span[] = [];
  let groups = 0;
  let groupEnd = -1;
  for (const match of text.matchAll(regex)) {
    const span = { start: match.index, end: match.index + match[0].length };
    const isNew = span.start > groupEnd;
    if (!isNew && span.end <= groupEnd + 1) continue;
    if (isNew) groups += 1;
    if (groups > limit) break;
    spans.push(span);
    groupEnd = endOfLine(text, Math.max(span.start, span.end - 1));
  }
  return spans;
}

/** The first match of each line: a line is in the answer once. */
function spansByLine(text: string, regex: RegExp, limit: number): Span[] {
  const spans: Span[] = [];
  // What is nowhere in the text is in none of its lines, unless the beginning of a line is that of all.
  regex.lastIndex = 0;
  if (!HAS_ANCHOR.test(regex.source) && !regex.test(text)) return spans;
  for (let start = 0; start < text.length && spans.length < limit; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    regex.lastIndex = 0;
    const match = regex.exec(text.slice(start, end));
    if (match !== null) spans.push({ start: start + match.index, end: start + match.index + match[0].length });
    start = end + 1;
  }
  return spans;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n').map(withoutEnd);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
