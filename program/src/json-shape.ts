/** Arrays and objects within each other. */
const MAX_DEPTH = 100;
/** Elements of arrays and members of objects, together. */
const MAX_VALUES = 131_072;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * What makes a text too much work to parse and to validate as JSON: 8 million nested arrays keep a thread busy for 2 s.
 * Long strings do not count. Undefined: nothing; the text need not be valid JSON.
 */
export function jsonExcess(text: string): string | undefined {
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
    if (depth > MAX_DEPTH) return `more than ${MAX_DEPTH} arrays and objects within each other`;
    if (values > MAX_VALUES) return `more than ${MAX_VALUES} values`;
  }
  return undefined;
}

/** Offset of the quote that ends a string; the length of the text where none does. */
function stringEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
