import type { Readable, Writable } from 'node:stream';
import { CollectedBytes } from '@sandbox/program/collected-bytes.ts';
import { releaseBuffer } from '@sandbox/program/release-buffer.ts';

/** Bytes up to which pieces of the same read are written together. */
const SMALL = 4 * 1024;

/**
 * Like `from.pipe(to)`, but frees the memory of each chunk after the write, so no other code may hold the chunks.
 * Removing the `data` listener of `from` stops it.
 */
export function pump(from: Readable, to: Writable): void {
  const pieces = new SmallPieces((bytes) => write(bytes));
  const write = (bytes: Buffer): void => {
    if (!to.destroyed && !to.write(bytes, () => releaseBuffer(bytes))) from.pause();
  };
  const onData = (piece: Buffer): void => {
    if (piece.length < SMALL) {
      pieces.add(piece);
      return;
    }
    pieces.flush();
    write(piece);
  };
  from.on('data', onData);
  from.on('end', () => {
    pieces.flush();
    to.end();
  });
  to.on('drain', () => {
    if (from.listeners('data').includes(onData)) from.resume();
  });
  to.on('close', () => {
    from.off('data', onData);
    from.pause();
  });
}

/**
 * Joins the small pieces of one read. A body of one-byte chunks would otherwise have 10,000 writes in progress before
 * the stream, which counts bytes, asks for a pause.
 */
class SmallPieces {
  readonly #write: (bytes: Buffer) => void;
  readonly #more = new CollectedBytes();
  #first: Buffer | undefined;

  constructor(write: (bytes: Buffer) => void) {
    this.#write = write;
  }

  add(piece: Buffer): void {
    if (this.#first === undefined) {
      this.#first = piece;
      process.nextTick(() => this.flush());
      return;
    }
    if (this.#more.length === 0) this.#more.add(this.#first);
    this.#more.add(piece);
  }

  flush(): void {
    const first = this.#first;
    if (first === undefined) return;
    this.#first = undefined;
    this.#write(this.#more.length === 0 ? first : this.#more.take());
  }
}
