/** Patterns that one with braces may stand for; beyond it the pattern is refused. */
const MAX_EXPANSIONS = 1024;

/**
 * The patterns that `{a,b}` stands for, nested ones too. A brace that is not closed stands for itself; within `[…]` and
 * after a backslash braces mean nothing.
 * @throws RangeError where there are more than 1,024
 */
export function expandBraces(pattern: string): string[] {
  const group = firstGroup(pattern);
  if (group === undefined) return [pattern];
  const before = pattern.slice(0, group.start);
  const after = expandBraces(pattern.slice(group.end + 1));
  const expanded = group.parts.flatMap(expandBraces).flatMap((part) => after.map((rest) => before + part + rest));
  if (expanded.length > MAX_EXPANSIONS) throw new RangeError(`stands for more than ${MAX_EXPANSIONS} patterns`);
  return expanded;
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly parts: readonly string[];
}

function firstGroup(pattern: string): Group | undefined {
  const open: number[] = [];
  let commas: number[] = [];
  for (let at = 0; at < pattern.length; at = nextAt(pattern, at)) {
    const char = pattern[at];
    if (char === '{') {
      if (open.length === 0) commas = [];
      open.push(at);
    } else if (char === ',' && open.length === 1) commas.push(at);
    else if (char === '}') {
      const start = open.pop();
      if (start !== undefined && open.length === 0) return groupOf(pattern, start, at, commas);
    }
  }
  return undefined;
}

/** Past what belongs together: an escaped character, a class. */
function nextAt(pattern: string, at: number): number {
  if (pattern[at] === '\\') return at + 2;
  return ((pattern[at] === '[' ? endOfClass(pattern, at) : undefined) ?? at) + 1;
}

function groupOf(pattern: string, start: number, end: number, commas: readonly number[]): Group {
  const cuts = [start, ...commas, end];
  return { start, end, parts: cuts.slice(1).map((cut, index) => pattern.slice((cuts[index] ?? 0) + 1, cut)) };
}

/** Where the class that begins there is closed; a `]` at its beginning belongs to it. */
export function endOfClass(pattern: string, start: number): number | undefined {
  let at = start + 1;
  if (pattern[at] === '!' || pattern[at] === '^') at += 1;
  const end = pattern.indexOf(']', at + 1);
  return end < 0 ? undefined : end;
}
