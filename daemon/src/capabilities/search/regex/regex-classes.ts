import { PatternError } from './pattern-error.ts';

export const WORD = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200c\\u200d]';

/** The character for bytes that are not UTF-8, which ripgrep matches with no negated class. */
export const NO_CHARACTER = '\\ufffd';

const SHORTHANDS: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  D: `[^\\p{Nd}${NO_CHARACTER}]`,
  s: '\\p{White_Space}',
  S: `[^\\p{White_Space}${NO_CHARACTER}]`,
  w: WORD,
  W: `[^${WORD.slice(1, -1)}${NO_CHARACTER}]`,
};

const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, a: 7 };

const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t\\u0020',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '\\x21-\\x7E',
  lower: 'a-z',
  print: '\\x20-\\x7E',
  punct: '\\x21-\\x2F\\x3A-\\x40\\x5B-\\x60\\x7B-\\x7E',
  space: '\\t\\n\\x0B\\f\\r\\u0020',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

export interface Piece {
  /** In JavaScript's syntax with the flag `v`. */
  readonly source: string;
  /** Position after it in the pattern. */
  readonly next: number;
  /** A single character, which can be an end of a range. */
  readonly single?: boolean;
}

/** A literal character, in a class or outside. */
export function literal(char: string): string {
  return /[A-Za-z0-9]/.test(char) ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

/** An escape for characters, valid in a class and outside. */
export function characterEscape(pattern: string, at: number): Piece {
  const char = pattern[at + 1];
  if (char === undefined) throw new PatternError('incomplete escape sequence');
  const shorthand = SHORTHANDS[char];
  if (shorthand !== undefined) return { source: shorthand, next: at + 2 };
  const control = CONTROLS[char];
  if (control !== undefined) return { source: literal(String.fromCodePoint(control)), next: at + 2, single: true };
  if (char === 'x' || char === 'u' || char === 'U') return numbered(pattern, at);
  if (char === 'p' || char === 'P') return property(pattern, at);
  if (/[A-Za-z0-9\s]/.test(char)) throw new PatternError(`unrecognized escape sequence: \\${char}`);
  return { source: literal(char), next: at + 2, single: true };
}

function numbered(pattern: string, at: number): Piece {
  const match = /^\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[xuU]\{([0-9a-fA-F]{1,6})\})/.exec(
    pattern.slice(at, at + 12),
  );
  const digits = match?.slice(1).find((group) => group !== undefined);
  const code = Number.parseInt(digits ?? '', 16);
  if (match === null || !(code <= 0x10ffff)) throw new PatternError('invalid hexadecimal escape');
  return { source: `\\u{${code.toString(16)}}`, next: at + match[0].length, single: true };
}

function property(pattern: string, at: number): Piece {
  const match = /^\\([pP])(?:\{(\^?)([A-Za-z0-9_=: ]+)\}|([A-Za-z]))/.exec(pattern.slice(at, at + 80));
  if (match === null) throw new PatternError('invalid Unicode class');
  const [whole, kind = 'p', negation = '', long, short] = match;
  const name = (long ?? short ?? '').replace(':', '=');
  const negated = (kind === 'P') !== (negation !== '');
  const candidates = [name, `Script=${name}`, name.replace(/^(?:gc|sc)=/, '')].map((one) => `\\p{${one}}`);
  const found = candidates.find(isProperty);
  if (found === undefined) throw new PatternError(`Unicode property not found: ${name}`);
  return { source: negated ? `[^${found}${NO_CHARACTER}]` : found, next: at + whole.length };
}

function isProperty(source: string): boolean {
  try {
    return new RegExp(source, 'v').source !== '';
  } catch {
    return false;
  }
}

/** A class in brackets, with nested classes and POSIX names. */
export function bracketClass(pattern: string, start: number): Piece {
  let at = start + 1;
  const negated = pattern[at] === '^';
  if (negated) at += 1;
  let source = '';
  let isFirst = true;
  while (isFirst || pattern[at] !== ']') {
    if (at >= pattern.length) throw new PatternError('unclosed character class');
    if (/^(?:&&|--|~~)/.test(pattern.slice(at, at + 2)) && !isFirst) {
      throw new PatternError('set operations in classes need ripgrep');
    }
    const piece = rangeOf(pattern, classItem(pattern, at, isFirst));
    source += piece.source;
    at = piece.next;
    isFirst = false;
  }
  return { source: negated ? `[^${source}${NO_CHARACTER}]` : `[${source}]`, next: at + 1 };
}

function classItem(pattern: string, at: number, isFirst: boolean): Piece {
  const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
  if (char === '\\') return pattern[at + 1] === 'b' ? { source: '\\x08', next: at + 2 } : characterEscape(pattern, at);
  if (char === '[') return posixClass(pattern, at) ?? bracketClass(pattern, at);
  if (char === ']' && !isFirst) throw new PatternError('unclosed character class');
  return { source: literal(char), next: at + char.length, single: true };
}

function rangeOf(pattern: string, from: Piece): Piece {
  const isRange =
    from.single && pattern[from.next] === '-' && !/^-(?:\]|-)/.test(pattern.slice(from.next, from.next + 2));
  if (!isRange || from.next + 1 >= pattern.length) return from;
  const to = classItem(pattern, from.next + 1, false);
  if (!to.single) throw new PatternError('invalid character class range');
  return { source: `${from.source}-${to.source}`, next: to.next };
}

function posixClass(pattern: string, at: number): Piece | undefined {
  const match = /^\[:(\^?)([a-z]+):\]/.exec(pattern.slice(at, at + 20));
  const ranges = POSIX[match?.[2] ?? ''];
  if (match === null || ranges === undefined) return undefined;
  return { source: `[${match[1]}${ranges}]`, next: at + match[0].length };
}
