import { type FilePath, pathOfBytes } from './file-path.ts';

/**
 * A name or path as a byte string, one character a byte: exact for every name there is, a key of a map, and in memory no
 * larger than its bytes.
 */
export type ByteName = string;

export function byteNameOf(path: FilePath): ByteName {
  return (typeof path === 'string' ? Buffer.from(path) : path).toString('latin1');
}

export function bytesOf(name: ByteName): Buffer {
  return Buffer.from(name, 'latin1');
}

/** As the rest of the service takes paths. */
export function pathOf(name: ByteName): FilePath {
  return isAscii(name) ? name : pathOfBytes(bytesOf(name));
}

/** For people and patterns: what is not UTF-8 shows as U+FFFD. */
export function textOf(name: ByteName): string {
  return isAscii(name) ? name : bytesOf(name).toString('utf8');
}

function isAscii(name: ByteName): boolean {
  return !/[\x80-\xff]/.test(name);
}
