const SPACE: ReadonlySet<string> = new Set([' ', '\t', '\r', '\n']);

/**
 * Splits text as shlex.split of Python does in its POSIX mode: quotes and backslashes, without comments and variables.
 * @throws Error if a quote or a backslash has no end
 */
export function shellWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    if (SPACE.has(text.charAt(at))) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const { value, end } = partAt(text, at);
    word = (word ?? '') + value;
    at = end;
  }
  return word === undefined ? words : [...words, word];
}

interface Part {
  readonly value: string;
  /** Index of its last character, such as the quote that ends it. */
  readonly end: number;
}

function partAt(text: string, at: number): Part {
  const char = text.charAt(at);
  if (char === "'") return literal(text, at);
  if (char === '"') return interpreted(text, at);
  if (char !== '\\') return { value: char, end: at };
  if (at + 1 === text.length) throw new Error('No escaped character');
  return { value: text.charAt(at + 1), end: at + 1 };
}

function literal(text: string, start: number): Part {
  const end = text.indexOf("'", start + 1);
  if (end < 0) throw new Error('No closing quotation');
  return { value: text.slice(start + 1, end), end };
}

/** Between double quotes a backslash escapes a double quote and itself alone. */
function interpreted(text: string, start: number): Part {
  let value = '';
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') return { value, end: at };
    const isEscape = char === '\\' && ['"', '\\'].includes(text.charAt(at + 1));
    if (isEscape) at += 1;
    value += text.charAt(at);
  }
  throw new Error('No closing quotation');
}
