import { isAscii, isUtf8 } from 'node:buffer';

/** The longest UTF-8 sequence, in bytes (RFC 3629 §3). */
export const MAX_SEQUENCE = 4;

/**
 * How many bytes at the end of `bytes` begin a UTF-8 sequence that is not complete yet: 0 to 3.
 * Invalid bytes do not count.
 */
export function incompleteTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(MAX_SEQUENCE - 1, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc2 && byte <= 0xf4) return sequenceLength(byte) > back ? back : 0;
    if (byte < 0x80 || byte >= 0xc0) return 0;
  }
  return 0;
}

/** How many bytes at the beginning continue a sequence that began before `bytes`: 0 to 3. */
export function continuationHead(bytes: Uint8Array): number {
  let count = 0;
  while (count < Math.min(MAX_SEQUENCE - 1, bytes.length) && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}

/** Decodes bytes; invalid UTF-8 becomes U+FFFD. A byte order mark is kept. */
export function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** Bytes that JSON escapes (RFC 8259 §7), except the line feed. */
const ESCAPED = [...Array(0x20).keys()].filter((byte) => byte !== 0x0a).concat(0x22, 0x5c);

/**
 * Bytes as a JSON string; invalid UTF-8 becomes U+FFFD. Most output is plain lines, which need only their line feeds
 * escaped: checking for that and doing it is more than twice as fast as `JSON.stringify`.
 */
export function jsonString(bytes: Buffer): string {
  if (ESCAPED.some((byte) => bytes.includes(byte))) return JSON.stringify(decode(bytes));
  const text = isAscii(bytes) ? bytes.toString('latin1') : decode(bytes);
  return `"${text.replaceAll('\n', '\\n')}"`;
}

/** Whether sending the bytes as text would make them much longer: binary data is mostly escaped in JSON. */
export function isBinary(bytes: Uint8Array): boolean {
  const step = Math.max(1, Math.floor(bytes.length / 512));
  let control = 0;
  let seen = 0;
  for (let at = 0; at < bytes.length; at += step) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09 && byte !== 0x1b) control += 1;
    seen += 1;
  }
  return control * 16 > seen && (bytes.includes(0) || !isUtf8(bytes));
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
