import { PatternError } from './pattern-error.ts';
import { bracketClass, characterEscape, literal, NO_CHARACTER, type Piece, WORD } from './regex-classes.ts';

const ANY = '[\\s\\S]';
const NOT_NEWLINE = `[^\\n${NO_CHARACTER}]`;

/** Flags that a group changes until its end. */
interface Mode {
  readonly dotAll: boolean;
  readonly multiLine: boolean;
  /** Groups that the translation has opened within it. */
  extra: number;
}

/**
 * Translates a regular expression of ripgrep (the syntax of Rust's `regex` crate) to JavaScript: the same matches,
 * but without its linear time. `^` and `$` match at lines, `.` matches all but a newline.
 * @throws PatternError for an invalid pattern, and for syntax that only ripgrep supports
 */
export function rustRegex(pattern: string, { ignoreCase }: { readonly ignoreCase: boolean }): RegExp {
  const modes: Mode[] = [{ dotAll: false, multiLine: true, extra: 0 }];
  let source = '';
  for (let at = 0; at < pattern.length; ) {
    const piece = pieceAt(pattern, at, modes);
    source += piece.source;
    at = piece.next;
  }
  const [top, ...open] = modes;
  if (top === undefined || open.length > 0) throw new PatternError('unclosed group');
  source += ')'.repeat(top.extra);
  try {
    return new RegExp(source, ignoreCase ? 'gvi' : 'gv');
  } catch (error) {
    throw new PatternError(error instanceof Error ? error.message.replace(/^.*: /, '') : String(error));
  }
}

export function literalRegex(text: string, { ignoreCase }: { readonly ignoreCase: boolean }): RegExp {
  return new RegExp([...text].map(literal).join(''), ignoreCase ? 'gvi' : 'gv');
}

function pieceAt(pattern: string, at: number, modes: Mode[]): Piece {
  const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
  const mode = modes.at(-1);
  if (mode === undefined) throw new PatternError('unopened group');
  const next = at + char.length;
  switch (char) {
    case '\\':
      return escapeAt(pattern, at);
    case '[':
      return bracketClass(pattern, at);
    case '(':
      return group(pattern, at, modes);
    case ')':
      modes.pop();
      if (modes.length === 0) throw new PatternError('unopened group');
      return { source: ')'.repeat(mode.extra + 1), next };
    case '.':
      return { source: mode.dotAll ? `[^${NO_CHARACTER}]` : NOT_NEWLINE, next };
    case '^':
      return { source: mode.multiLine ? '(?<![^\\n])' : `(?<!${ANY})`, next };
    case '$':
      return { source: mode.multiLine ? '(?=\\r?(?![^\\n]))' : `(?!${ANY})`, next };
    case '{':
      return repetition(pattern, at);
    case '*':
    case '+':
    case '?':
    case '|':
      return { source: char, next };
    default:
      return { source: literal(char), next };
  }
}

function escapeAt(pattern: string, at: number): Piece {
  const char = pattern[at + 1] ?? '';
  const next = at + 2;
  if (char === 'b') return { source: `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`, next };
  if (char === 'B') return { source: `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`, next };
  if (char === 'A') return { source: `(?<!${ANY})`, next };
  if (char === 'z') return { source: `(?!${ANY})`, next };
  if (/[0-9k]/.test(char)) throw new PatternError('back-references need ripgrep with PCRE2');
  return characterEscape(pattern, at);
}

function repetition(pattern: string, at: number): Piece {
  const match = /^\{\d{1,5}(?:,\d{0,5})?\}/.exec(pattern.slice(at, at + 14));
  if (match === null) throw new PatternError('repetition quantifier expects a valid decimal');
  return { source: match[0], next: at + match[0].length };
}

function group(pattern: string, at: number, modes: Mode[]): Piece {
  const rest = pattern.slice(at, at + 200);
  if (/^\(\?<?[=!]/.test(rest)) throw new PatternError('look-around needs ripgrep with PCRE2');
  const mode = modes.at(-1) ?? { dotAll: false, multiLine: true };
  const name = /^\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>/.exec(rest);
  const flags = /^\(\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])/.exec(rest);
  if (name !== null) {
    modes.push({ ...mode, extra: 0 });
    return { source: `(?<${name[1]}>`, next: at + name[0].length };
  }
  if (flags === null) {
    if (rest.startsWith('(?')) throw new PatternError('unrecognized flag or group');
    modes.push({ ...mode, extra: 0 });
    return { source: '(', next: at + 1 };
  }
  const [whole, on = '', off = '', end] = flags;
  if (/[^imsu]/.test(on) || /[^ims]/.test(off))
    throw new PatternError('only the flags i, m and s work without ripgrep');
  const changed = { dotAll: flag(mode.dotAll, 's', on, off), multiLine: flag(mode.multiLine, 'm', on, off) };
  const source = `(?${on.includes('i') ? 'i' : ''}${off.includes('i') ? '-i' : ''}:`;
  if (end === ':') modes.push({ ...changed, extra: 0 });
  // Flags without a colon apply until the end of the enclosing group.
  else modes.splice(-1, 1, { ...changed, extra: (modes.at(-1)?.extra ?? 0) + 1 });
  return { source, next: at + whole.length };
}

function flag(now: boolean, name: string, on: string, off: string): boolean {
  return (now || on.includes(name)) && !off.includes(name);
}
