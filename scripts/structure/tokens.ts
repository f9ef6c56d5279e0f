export interface Token {
  readonly kind: 'word' | 'string' | 'punctuation';
  /** For a string, the text between the quotes. */
  readonly text: string;
  readonly line: number;
}

const SPACE_OR_COMMENT = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const WORD = /[\p{ID_Start}$_#][\p{ID_Continue}$]*|\d[\w.]*/uy;
const STRING = /'((?:\\[\s\S]|[^'\\])*)'|"((?:\\[\s\S]|[^"\\])*)"/y;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/[\\\n])+\/\w*/y;
const TEMPLATE_TEXT = /(?:\\[\s\S]|[^`\\$]|\$(?!\{))*/y;
/** After these a slash begins a regular expression; after a value it divides. */
const BEFORE_REGEX = /^(?:[^\w)\]}'"`$]|return|typeof|case|in|of|delete|void|throw|new|else|do|yield|await)$/;

/** The tokens of a TypeScript source, without comments, regular expressions and the text of templates. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  /** For each open template, how many braces are open within its `${…}`. */
  const templates: number[] = [];
  let at = 0;
  let line = 1;

  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (!match) return undefined;
    at = pattern.lastIndex;
    return match;
  };
  const push = (kind: Token['kind'], text: string): void => {
    tokens.push({ kind, text, line });
  };
  const countLines = (text: string | undefined): void => {
    line += (text?.match(/\n/g) ?? []).length;
  };
  const templateText = (): void => {
    countLines(take(TEMPLATE_TEXT)?.[0]);
    const ends = source[at] === '`';
    at += ends ? 1 : 2;
    if (!ends) templates.push(0);
  };
  const regexMayBegin = (): boolean => {
    const last = tokens.at(-1);
    return !last || (last.kind !== 'string' && BEFORE_REGEX.test(last.text));
  };
  const punctuation = (char: string): void => {
    at += 1;
    const depth = templates.at(-1);
    if (char === '`' || (char === '}' && depth === 0)) {
      if (char === '}') templates.pop();
      templateText();
      return;
    }
    if (depth !== undefined && (char === '{' || char === '}')) {
      templates[templates.length - 1] = depth + (char === '{' ? 1 : -1);
    }
    push('punctuation', char);
  };

  while (at < source.length) {
    countLines(take(SPACE_OR_COMMENT)?.[0]);
    const char = source[at];
    if (char === undefined) break;
    const string = take(STRING);
    if (string) push('string', string[1] ?? string[2] ?? '');
    else if (char === '/' && regexMayBegin() && take(REGEX)) push('string', '');
    else {
      const word = take(WORD);
      if (word) push('word', word[0]);
      else punctuation(char);
    }
  }
  return tokens;
}
