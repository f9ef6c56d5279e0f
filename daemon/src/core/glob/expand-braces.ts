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
  let depth = 0;
  let start = 0;
  let partStart = 0;
  let parts: string[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '\\') at += 1;
    else if (char === '[') at = endOfClass(pattern, at) ?? at;
    else if (char === '{') {
      if (depth === 0) {
        start = at;
        partStart = at + 1;
        parts = [];
      }
      depth += 1;
    } else if (char === ',' && depth === 1) {
      parts.push(pattern.slice(partStart, at));
      partStart = at + 1;
    } else if (char === '}' && depth > 0) {
      depth -= 1;
      if (depth === 0) return { start, end: at, parts: [...parts, pattern.slice(partStart, at)] };
    }
  }
  return undefined;
}

/** Where the class that begins there is closed; a `]` at its beginning belongs to it. */
export function endOfClass(pattern: string, start: number): number | undefined {
  let at = start + 1;
  if (pattern[at] === '!' || pattern[at] === '^') at += 1;
  const end = pattern.indexOf(']', at + 1);
  return end < 0 ? undefined : end;
}
