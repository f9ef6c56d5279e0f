import { notOfSandbox } from './shape.ts';

const ENCODER = new TextEncoder();

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(text);
}

/** Bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return ENCODER.encode(text).length;
}

/** Text of whole UTF-8 sequences; other bytes become U+FFFD, and a byte order mark stays. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = decoded(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

function decoded(text: string): string {
  try {
    return atob(text);
  } catch (cause) {
    throw notOfSandbox('a text is not base64', cause);
  }
}

export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let start = 0; start < bytes.length; start += 8192) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192));
  }
  return btoa(binary);
}
