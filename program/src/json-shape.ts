export interface JsonBounds {
  /** Arrays and objects within each other. */
  readonly depth: number;
  /** Elements of arrays and members of objects, together. */
  readonly values: number;
}

export const OF_A_CALL: JsonBounds = { depth: 100, values: 131_072 };

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * What makes a text too much work to parse and to validate as JSON: 8 million nested arrays keep a thread busy for 2 s.
 * Long strings do not count. Undefined: nothing; the text need not be valid JSON.
 */
export function jsonExcess(text: string, most: JsonBounds = OF_A_CALL): string | undefined {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at + 1);
    else if (code === COMMA) values += 1;
    else if (OPENING.has(code)) {
      depth += 1;
      values += 1;
    } else if (CLOSING.has(code)) depth -= 1;
    if (depth > most.depth) return `more than ${most.depth} arrays and objects within each other`;
    if (values > most.values) return `more than ${most.values} values`;
  }
  return undefined;
}

/** Offset of the quote that ends a string; the length of the text if none does. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    if (backslashesBefore(text, at, from) % 2 === 0) return at;
  }
  return text.length;
}

function backslashesBefore(text: string, at: number, from: number): number {
  let first = at;
  while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return at - first;
}
