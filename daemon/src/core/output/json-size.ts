import { isUtf8 } from 'node:buffer';
import { continuationHead, incompleteTail } from './text-slice.ts';

/** The most bytes that a byte of text takes in JSON: `\u0000`. */
export const JSON_GROWTH_MAX = 6;

/** Bytes of JSON for each byte of UTF-8 in a string (RFC 8259, section 7, as `JSON.stringify` escapes). */
const OF_UTF8 = new Uint8Array(256).fill(1).fill(JSON_GROWTH_MAX, 0, 0x20);
for (const escaped of '\b\t\n\f\r"\\') OF_UTF8[escaped.charCodeAt(0)] = 2;

/** Each byte that is not UTF-8 may become U+FFFD, which has three bytes. */
const OF_OTHERS = OF_UTF8.slice().fill(3, 0x80);

/** At least the bytes that `bytes` take as a JSON string, without its quotes; exact for UTF-8. */
export function jsonBytes(bytes: Buffer): number {
  const sizes = sizesFor(bytes);
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 1) sum += sizes[bytes[at] ?? 0] ?? 0;
  return sum;
}

/** The longest beginning of `bytes` that takes at most `most` bytes as a JSON string. */
export function jsonBeginning(bytes: Buffer, most: number): Buffer {
  if (bytes.length * JSON_GROWTH_MAX <= most) return bytes;
  const sizes = sizesFor(bytes);
  let left = most;
  for (let at = 0; at < bytes.length; at += 1) {
    left -= sizes[bytes[at] ?? 0] ?? 0;
    if (left < 0) return bytes.subarray(0, at);
  }
  return bytes;
}

/** The longest end of `bytes` that takes at most `most` bytes as a JSON string. */
export function jsonEnd(bytes: Buffer, most: number): Buffer {
  if (bytes.length * JSON_GROWTH_MAX <= most) return bytes;
  const sizes = sizesFor(bytes);
  let left = most;
  for (let at = bytes.length; at > 0; at -= 1) {
    left -= sizes[bytes[at - 1] ?? 0] ?? 0;
    if (left < 0) return bytes.subarray(at);
  }
  return bytes;
}

function sizesFor(bytes: Buffer): Uint8Array {
  return isUtf8(bytes.subarray(continuationHead(bytes), bytes.length - incompleteTail(bytes))) ? OF_UTF8 : OF_OTHERS;
}
