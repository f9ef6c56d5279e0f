import type { PageLine } from './page-walk.ts';

/** Roles that are written on one line with what they contain. */
const BLOCKS: ReadonlySet<string> = new Set(['paragraph', 'blockquote', 'definition']);
/** Roles of which only the text is written within a line. */
const FORMATS: ReadonlySet<string> = new Set(['code', 'deletion', 'emphasis', 'insertion', 'strong', 'term', 'time']);
/** Roles that keep their reference within a line. */
const PARTS: ReadonlySet<string> = new Set(['button', 'clickable', 'img', 'link']);

/** Writes a paragraph of text and links on one line, and an item of a list that has only a text. */
export function onOneLine(lines: readonly PageLine[]): readonly PageLine[] {
  const merged: PageLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at];
    if (line === undefined) break;
    const end = endOf(lines, at);
    const parts = partsOf(line, lines.slice(at + 1, end));
    merged.push(parts === undefined ? line : { ...line, p: parts });
    at = parts === undefined ? at + 1 : end;
  }
  return merged;
}

/** The position after the last line within the line. */
function endOf(lines: readonly PageLine[], at: number): number {
  const depth = lines[at]?.d ?? 0;
  let end = at + 1;
  while ((lines[end]?.d ?? -1) > depth) end += 1;
  return end;
}

/** What stands on the line; undefined if what it contains needs lines of its own. */
function partsOf(line: PageLine, within: readonly PageLine[]): readonly (string | PageLine)[] | undefined {
  const [first] = within;
  if (line.n !== undefined || line.v !== undefined || first === undefined) return undefined;
  if (line.r === 'listitem') return within.length === 1 && first.r === 'text' ? [first.n ?? ''] : undefined;
  if (!BLOCKS.has(line.r) || !within.every((inner, at) => fits(inner, within[at - 1]))) return undefined;
  return within.flatMap<string | PageLine>((inner) => (PARTS.has(inner.r) ? [inner] : (inner.n ?? [])));
}

/** Whether it can stand on the line of another one: a text, or a part that contains nothing. */
function fits({ r, d }: PageLine, before: PageLine | undefined): boolean {
  const isWithinPart = before !== undefined && PARTS.has(before.r) && d > before.d;
  return !isWithinPart && (r === 'text' || FORMATS.has(r) || PARTS.has(r));
}
