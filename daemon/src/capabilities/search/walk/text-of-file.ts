import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { holdsCredential } from '../../../core/access/credential-files.ts';
import { type ByteName, bytesOf } from '../../../core/files/byte-name.ts';
import { systemCodeOf } from '../../../core/files/file-failure.ts';
import type { LeasePatience } from '../../../core/files/walk/unleased.ts';
import { LEASED } from '../../../core/files/walk/unread.ts';

/** Bytes of a file that are searched at once; a longer one comes in pieces of whole lines. */
const PIECE_BYTES = 16 * 1024 ** 2;
/** A match over several lines is looked for in no more than this. */
const WHOLE_BYTES = 256 * 1024 ** 2;
const NEWLINE = 0x0a;

/**
 * The text of a file in pieces of whole lines, or in one where that is asked for. Undefined stands for a NUL: it is no
 * text, and what was found before it does not count. A byte order mark of UTF-16 is heeded, as ripgrep does.
 * @throws as `open` and `read` do
 */
export function* textOfFile(path: ByteName, whole: boolean, patience: LeasePatience): Iterable<string | undefined> {
  const descriptor = open(bytesOf(path), patience);
  try {
    if (!fstatSync(descriptor).isFile() || holdsCredential(descriptor)) return;
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const piece = readPiece(descriptor, rest, whole ? WHOLE_BYTES : PIECE_BYTES);
      const { bytes, isEnd } = piece;
      const utf16 = utf16Of(bytes);
      if (utf16 !== undefined) {
        yield utf16;
        return;
      }
      if (bytes.includes(0)) {
        yield undefined;
        return;
      }
      const cut = isEnd ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1 || bytes.length;
      yield withoutMark(bytes.subarray(0, cut));
      if (isEnd) return;
      rest = bytes.subarray(cut);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Does not wait for the writer of a FIFO that took the name of a file. The thread sleeps while a lease blocks it. */
function open(path: Buffer, patience: LeasePatience): number {
  for (;;) {
    try {
      return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (systemCodeOf(error) !== LEASED || !patience.sleep()) throw error;
    }
  }
}

/** Read into again and again: what is kept is copied. */
const buffer = Buffer.allocUnsafeSlow(1024 ** 2);

function readPiece(descriptor: number, rest: Buffer, limit: number): { bytes: Buffer; isEnd: boolean } {
  const parts = rest.length === 0 ? [] : [rest];
  let length = rest.length;
  while (length < limit) {
    let count = readSync(descriptor, buffer, 0, buffer.length, null);
    if (count === 0) return { bytes: Buffer.concat(parts, length), isEnd: true };
    if (count < buffer.length && parts.length === 0) {
      const more = readSync(descriptor, buffer, count, buffer.length - count, null);
      if (more === 0) return { bytes: buffer.subarray(0, count), isEnd: true };
      count += more;
    }
    length += count;
    parts.push(Buffer.from(buffer.subarray(0, count)));
  }
  return { bytes: Buffer.concat(parts, length), isEnd: false };
}

function utf16Of(bytes: Buffer): string | undefined {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE(0);
  if (mark !== 0xfffe && mark !== 0xfeff) return undefined;
  return new TextDecoder(mark === 0xfffe ? 'utf-16le' : 'utf-16be').decode(bytes);
}

function withoutMark(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
