import { type Token, tokenize } from './tokens.ts';

export interface Import {
  /** The literal specifier; `<computed>` if it is not a literal. */
  readonly specifier: string;
  readonly line: number;
}

/** Every module that a source names: imports, re-exports, `import()` in code and in types, and `require()`. */
export function importsOf(source: string): Import[] {
  const tokens = tokenize(source);
  return tokens.flatMap((token, index) => {
    const specifier = token.kind === 'word' && tokens[index - 1]?.text !== '.' ? specifierAt(tokens, index) : undefined;
    return specifier === undefined ? [] : [{ specifier, line: token.line }];
  });
}

/** Lines on which a source reads the environment of the process. */
export function environmentReads(source: string): number[] {
  const tokens = tokenize(source);
  return tokens
    .filter((token, index) => {
      const [next, after] = [tokens[index + 1], tokens[index + 2]];
      if (token.kind !== 'word') return false;
      if (token.text === 'process') return (next?.text === '.' || next?.text === '[') && after?.text === 'env';
      return token.text === 'import' && importsEnv(tokens, index);
    })
    .map(({ line }) => line);
}

function specifierAt(tokens: readonly Token[], index: number): string | undefined {
  const next = tokens[index + 1];
  switch (tokens[index]?.text) {
    case 'import':
      if (next?.kind === 'string') return next.text;
      if (next?.text === '(') return literalOr(tokens[index + 2], '<computed>');
      return next?.text === '.' ? undefined : afterFrom(tokens, index);
    case 'export':
      return next?.text === '{' || next?.text === '*' || next?.text === 'type' ? afterFrom(tokens, index) : undefined;
    case 'require':
      return next?.text === '(' ? literalOr(tokens[index + 2], '<computed>') : undefined;
    default:
      return undefined;
  }
}

function literalOr(token: Token | undefined, otherwise: string): string {
  return token?.kind === 'string' ? token.text : otherwise;
}

/** The token after the `from` of the clause that begins at `index`; undefined without one. */
function afterFrom(tokens: readonly Token[], index: number): string | undefined {
  for (let at = index + 1; at < tokens.length; at += 1) {
    const token = tokens[at];
    const next = tokens[at + 1];
    if (token?.text === 'from' && next?.kind === 'string') return next.text;
    const isClause = token?.kind !== 'string' && (token?.kind === 'word' || /[{},*]/.test(token?.text ?? ''));
    if (!isClause) return undefined;
  }
  return undefined;
}

function importsEnv(tokens: readonly Token[], index: number): boolean {
  if (!/^(?:node:)?process$/.test(afterFrom(tokens, index) ?? '')) return false;
  const end = tokens.findIndex((token, at) => at > index && token.text === 'from');
  return tokens.slice(index, end).some(({ text }) => text === 'env');
}
