/** Patterns that one with braces may stand for, their characters together, and levels of braces within each other. */
const MAX_EXPANSIONS = 1024;
const MAX_CHARACTERS = 16_384;
const MAX_LEVELS = 32;

/**
 * The patterns that `{a,b}` stands for, nested ones too. A brace that is not closed stands for itself; within `[…]` and
 * after a backslash braces mean nothing.
 * @throws RangeError if there are more than 1,024, or 16,384 characters of them
 */
export function expandBraces(pattern: string): string[] {
  return expand(pattern, MAX_LEVELS);
}

/** @throws RangeError if one is refused, or all together stand for more than 16,384 characters */
export function requireExpandable(patterns: readonly string[]): void {
  let characters = 0;
  for (const pattern of patterns) characters += 1 + charactersOf(expandBraces(pattern));
  if (characters > MAX_CHARACTERS) throw tooLong('together with the others ');
}

function expand(pattern: string, levels: number): string[] {
  if (pattern.length > MAX_CHARACTERS) throw tooLong();
  let found = [''];
  let literal = '';
  let rest = pattern;
  for (let group = firstGroup(rest); group !== undefined; group = firstGroup(rest)) {
    if (levels === 0) throw new RangeError(`has more than ${MAX_LEVELS} levels of braces`);
    literal += rest.slice(0, group.start);
    const parts = partsOf(group, levels - 1, MAX_EXPANSIONS / found.length);
    if (parts.length === 1) {
      literal += parts[0];
    } else {
      const before = literal;
      found = found.flatMap((head) => parts.map((part) => head + before + part));
      literal = '';
      if (charactersOf(found) > MAX_CHARACTERS) throw tooLong();
    }
    rest = rest.slice(group.end + 1);
  }
  const expanded = found.map((head) => head + literal + rest);
  if (charactersOf(expanded) > MAX_CHARACTERS) throw tooLong();
  return expanded;
}

/** What the parts of a group stand for, at most `most` patterns. */
function partsOf(group: Group, levels: number, most: number): string[] {
  const expanded: string[] = [];
  for (const part of group.parts) {
    expanded.push(...expand(part, levels));
    if (expanded.length > most) throw new RangeError(`stands for more than ${MAX_EXPANSIONS} patterns`);
  }
  return expanded;
}

function charactersOf(patterns: readonly string[]): number {
  return patterns.reduce((sum, { length }) => sum + length, 0);
}

function tooLong(how = ''): RangeError {
  return new RangeError(`${how}stands for more than ${MAX_CHARACTERS} characters`);
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
