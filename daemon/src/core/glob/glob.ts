import { endOfClass, expandBraces } from './expand-braces.ts';

export interface GlobTerms {
  /** Wildcards match names that begin with a dot. */
  readonly dot?: boolean;
  /** `{a,b}` stands for either. */
  readonly braces?: boolean;
}

type Token =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'any' | 'star' }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] };

type Segment = 'globstar' | readonly Token[];

/**
 * A pattern over paths with `/`: `*` and `?` within one name, `[a-z]`, `[!a]`, a backslash before a character that is
 * meant itself, and `**` as a whole name for any number of them. Its time grows with the product of the lengths at
 * most, whatever the pattern.
 */
export class Glob {
  readonly #alternatives: readonly (readonly Segment[])[];
  readonly #dot: boolean;

  /** @throws RangeError for braces that stand for too many or too long patterns */
  constructor(pattern: string, { dot = true, braces = true }: GlobTerms = {}) {
    const patterns = braces ? expandBraces(pattern) : [pattern];
    this.#alternatives = patterns.map((one) => one.split('/').map(parseSegment));
    this.#dot = dot;
  }

  /** The path is relative to what the pattern is, and neither begins nor ends with a slash. */
  matches(path: string): boolean {
    const names = path.split('/');
    return this.#alternatives.some((segments) => this.#matchPath(segments, names));
  }

  /** As for names of shells: on a mismatch only the last `**` has to take one name more. */
  #matchPath(segments: readonly Segment[], names: readonly string[]): boolean {
    let [at, name] = [0, 0];
    let retry: { at: number; name: number } | undefined;
    while (name < names.length) {
      const segment = segments[at];
      if (segment === 'globstar') {
        // At the end it wants at least one name: `a/**` is what lies in a, not a.
        if (at === segments.length - 1) return this.#mayCross(names, name, names.length);
        retry = { at, name };
        at += 1;
      } else if (segment !== undefined && this.#matchName(segment, names[name] ?? '')) {
        at += 1;
        name += 1;
      } else if (retry !== undefined && this.#mayCross(names, retry.name, retry.name + 1)) {
        retry = { at: retry.at, name: retry.name + 1 };
        at = retry.at + 1;
        name = retry.name;
      } else return false;
    }
    return at === segments.length;
  }

  #mayCross(names: readonly string[], from: number, to: number): boolean {
    return this.#dot || names.slice(from, to).every((name) => !name.startsWith('.'));
  }

  #matchName(tokens: readonly Token[], name: string): boolean {
    if (!this.#dot && name.startsWith('.') && tokens[0]?.kind !== 'char') return false;
    const chars = isPlain(name) ? name : [...name];
    let [token, at] = [0, 0];
    let star = -1;
    let starAt = 0;
    while (at < chars.length) {
      const current = tokens[token];
      if (current?.kind === 'star') {
        star = token;
        starAt = at;
        token += 1;
      } else if (current !== undefined && matchesToken(current, chars[at] ?? '')) {
        token += 1;
        at += 1;
      } else if (star >= 0) {
        starAt += 1;
        at = starAt;
        token = star + 1;
      } else return false;
    }
    while (tokens[token]?.kind === 'star') token += 1;
    return token === tokens.length;
  }
}

/** Without surrogates an index is a character. */
function isPlain(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text);
}

function matchesToken(token: Token, char: string): boolean {
  if (token.kind === 'char') return token.char === char;
  if (token.kind !== 'class') return true;
  return token.ranges.some(([from, to]) => char >= from && char <= to) !== token.negated;
}

function parseSegment(text: string): Segment {
  if (text === '**') return 'globstar';
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const { token, length } = parseToken(text, at);
    if (token.kind !== 'star' || tokens.at(-1)?.kind !== 'star') tokens.push(token);
    at += length;
  }
  return tokens;
}

function parseToken(text: string, at: number): { token: Token; length: number } {
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (char === '*') return { token: { kind: 'star' }, length: 1 };
  if (char === '?') return { token: { kind: 'any' }, length: 1 };
  const end = char === '[' ? endOfClass(text, at) : undefined;
  if (end !== undefined) return { token: parseClass(text.slice(at + 1, end)), length: end + 1 - at };
  if (char === '\\' && at + 1 < text.length) return { token: { kind: 'char', char: text[at + 1] ?? '' }, length: 2 };
  return { token: { kind: 'char', char }, length: char.length };
}

function parseClass(text: string): Token {
  const negated = text.startsWith('!') || text.startsWith('^');
  const chars = [...text.slice(negated ? 1 : 0)];
  const ranges: [string, string][] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const from = chars[at] ?? '';
    if (chars[at + 1] === '-' && at + 2 < chars.length) {
      ranges.push([from, chars[at + 2] ?? from]);
      at += 2;
    } else ranges.push([from, from]);
  }
  return { kind: 'class', negated, ranges };
}
