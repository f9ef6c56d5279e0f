import { isUtf8 } from 'node:buffer';

/** A surrogate as an escape of JSON; text that was decoded from UTF-8 has surrogates in pairs alone. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

/** The text of UTF-8 bytes; undefined if they are not UTF-8, since decoding would change them. */
export function exactText(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8') : undefined;
}

/**
 * Whether a string of a parsed JSON value, or the name of a member, has half of a surrogate pair (RFC 8259, section
 * 8.2), which UTF-8 cannot represent.
 * @param text what the value was parsed from
 */
export function hasLoneSurrogate(text: string, value: unknown): boolean {
  return SURROGATE.test(text) && !isWellFormed(value);
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  return Object.entries(value).every(([name, member]) => name.isWellFormed() && isWellFormed(member));
}

/** Whether the percent-encoded bytes of a query are UTF-8 (RFC 3986, section 2.5). A `%` without digits is itself. */
export function isExactQuery(query: string): boolean {
  if (!/%[89a-fA-F]/.test(query)) return true;
  const bytes = query.replace(/%([\da-fA-F]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return isUtf8(Buffer.from(bytes, 'latin1'));
}
