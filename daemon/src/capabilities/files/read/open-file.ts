import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  read,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { requireNoCredential } from '../../../core/access/credential-files.ts';
import { notRegular, systemFailure } from '../../../core/files/file-failure.ts';
import { type FilePath, shownPath } from '../../../core/files/file-path.ts';
import type { Entry } from '../../../core/files/place/held-directory.ts';
import { unleased } from '../../../core/files/walk/unleased.ts';
import { kindOf } from './kinds.ts';

/** Bytes that are read synchronously: the thread pool takes ten times as long as such a read. */
const SYNC_BYTES = 256 * 1024;
/** Bytes of one read of a file of /proc, which has the size 0. */
const UNSIZED_BYTES = 64 * 1024;

const readAsync = promisify(read);

/** A regular file held open for reading. */
export class OpenFile implements Disposable {
  readonly descriptor: number;
  readonly stats: BigIntStats;

  private constructor(descriptor: number, stats: BigIntStats) {
    this.descriptor = descriptor;
    this.stats = stats;
  }

  /**
   * A FIFO, socket or device is refused before the open, which can have side effects. A lease is waited for.
   * @param entry where the file was found; a link that took its name is not followed
   * @throws FileFailure `invalid_target`, `permission_denied` for a credential of the service; else as `open` does
   */
  static async open(path: FilePath, operation: string, entry?: Pick<Entry, 'at'>): Promise<OpenFile> {
    return await unleased(operation, shownPath(path), () => OpenFile.#openNow(path, operation, entry));
  }

  static #openNow(path: FilePath, operation: string, entry?: Pick<Entry, 'at'>): OpenFile {
    requireRegular(entry ? lstatSync(entry.at) : statSync(path), operation, path);
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | (entry ? constants.O_NOFOLLOW : 0);
    const descriptor = openSync(entry?.at ?? path, flags);
    try {
      const stats = fstatSync(descriptor, { bigint: true });
      requireRegular(stats, operation, path);
      requireNoCredential(descriptor, operation, path);
      return new OpenFile(descriptor, stats);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  get size(): number {
    return Number(this.stats.size);
  }

  /** At most `length` bytes from `offset`, fewer at the end of the file. */
  async read(offset: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const count = await this.#readInto(bytes, filled, length - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  }

  /** The whole file, also one of /proc with the size 0; undefined if it is over `cap` bytes. */
  async readWhole(cap: number): Promise<Buffer | undefined> {
    if (this.size > cap) return undefined;
    if (this.size > 0) return this.read(0, this.size);
    const pieces: Buffer[] = [];
    for (let length = 0; length <= cap; ) {
      const piece = await this.read(length, UNSIZED_BYTES);
      if (piece.length === 0) return Buffer.concat(pieces, length);
      pieces.push(piece);
      length += piece.length;
    }
    return undefined;
  }

  /** Reads into the buffer; answers the number of bytes, 0 at the end. */
  async readAt(buffer: Buffer, offset: number, length: number): Promise<number> {
    return (await readAsync(this.descriptor, buffer, 0, length, offset)).bytesRead;
  }

  async #readInto(buffer: Buffer, at: number, length: number, position: number): Promise<number> {
    if (length <= SYNC_BYTES) return readSync(this.descriptor, buffer, at, length, position);
    return (await readAsync(this.descriptor, buffer, at, length, position)).bytesRead;
  }

  [Symbol.dispose](): void {
    closeSync(this.descriptor);
  }
}

/** @throws FileFailure `invalid_target` */
export function requireRegular(stats: Stats | BigIntStats, operation: string, path: FilePath): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) throw systemFailure('EISDIR', operation, shownPath(path));
  throw notRegular(kindOf(stats), operation, shownPath(path));
}
