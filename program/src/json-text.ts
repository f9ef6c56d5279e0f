/** An escape of `JSON.stringify`; only those of half a surrogate pair are longer than two characters. */
const ESCAPE = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g;

/**
 * As `JSON.stringify`, with U+FFFD for each half of a surrogate pair: text that was cut between two UTF-16 units holds
 * one, `JSON.stringify` writes it as `\ud83d`, and readers whose strings are Unicode refuse the whole document
 * (RFC 8259, section 8.2).
 */
export function jsonText(value: object): string;
export function jsonText(value: unknown): string | undefined;
export function jsonText(value: unknown): string | undefined {
  const text: string | undefined = JSON.stringify(value);
  if (!text?.includes('\\ud')) return text;
  return text.replace(ESCAPE, (found) => (found.length > 2 ? '\ufffd' : found));
}
