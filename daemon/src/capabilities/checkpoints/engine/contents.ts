import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { PIECE_BYTES, type TreeContent } from '../../../core/process/tree/tree-frames.ts';
import { type BlobStore, hashOf } from '../store/blob-store.ts';
import type { Content } from '../tree/segment.ts';

/** Small enough that what is read is in the cache of the processor still when it is hashed. */
const WINDOW_BYTES = 256 * 1024;
/** A file of contents with that many bytes becomes a pack itself, unless a part of it is not needed. */
const ADOPTED_BYTES = 8 * 1024 ** 2;
const UNUSED_PART = 0.1;

/** The file that the helper writes contents to, before they are blobs of the store. */
export class IncomingContents implements Disposable {
  readonly descriptor: number;
  readonly #path: string;
  readonly #store: BlobStore;
  readonly #kept = new Map<string, { readonly offset: number; readonly length: number }>();
  #memory = Buffer.allocUnsafe(WINDOW_BYTES);
  #window: Buffer = Buffer.alloc(0);
  #windowStart = 0;

  /** Empties what an earlier one left. */
  constructor(directory: string, store: BlobStore) {
    this.#path = join(directory, 'incoming');
    this.#store = store;
    this.descriptor = openSync(this.#path, 'a+', 0o600);
    ftruncateSync(this.descriptor, 0);
    closeSync(this.descriptor);
    this.descriptor = openSync(this.#path, 'r+');
  }

  /** The hashes of a content that the helper has written; those that it did not make are made here. */
  take({ start, length, extents, digests, entrySize, isChanged, isRacy }: TakenContent): Content {
    const pieces: string[] = [];
    for (let at = 0; at < length; at += PIECE_BYTES) {
      const place = { offset: start + at, length: Math.min(PIECE_BYTES, length - at) };
      const digest = digests[pieces.length] ?? hashOf(this.#read(place.offset, place.length));
      pieces.push(digest);
      if (!this.#store.has(digest) && !this.#kept.has(digest)) this.#kept.set(digest, place);
    }
    const [only] = extents;
    const isPlain = extents.length === 1 && only?.offset === 0 && only.length === entrySize;
    const isEmpty = extents.length <= 1 && entrySize === 0;
    return { pieces, extents: isPlain || isEmpty ? undefined : extents, isRacy, isTorn: isChanged };
  }

  /** Makes the contents that are new to the store blobs of it. @throws the error of write(2) */
  store(): void {
    const { size } = fstatSync(this.descriptor);
    const used = this.#kept.values().reduce((sum, { length }) => sum + length, 0);
    if (used >= ADOPTED_BYTES && used >= size * (1 - UNUSED_PART)) {
      this.#store.adopt(
        this.#path,
        size,
        Array.from(this.#kept, ([hash, place]) => ({ hash, ...place })),
      );
    } else {
      for (const [digest, { offset, length }] of this.#kept) this.#store.putContent(this.#read(offset, length), digest);
    }
    this.#kept.clear();
  }

  [Symbol.dispose](): void {
    closeSync(this.descriptor);
  }

  /** Valid until the next call. */
  #read(offset: number, length: number): Buffer {
    const end = this.#windowStart + this.#window.length;
    if (offset < this.#windowStart || offset + length > end) {
      // The same memory again: new memory would have to be cleared by the kernel first.
      if (this.#memory.length < length) this.#memory = Buffer.allocUnsafe(PIECE_BYTES);
      this.#window = this.#memory.subarray(0, readFully(this.descriptor, this.#memory, offset));
      this.#windowStart = offset;
    }
    const from = offset - this.#windowStart;
    const bytes = this.#window.subarray(from, from + length);
    if (bytes.length < length) throw new RangeError('a content beyond the end of the file of contents');
    return bytes;
  }
}

type TakenContent = Pick<TreeContent, 'start' | 'length' | 'extents' | 'digests' | 'isChanged'> & {
  readonly entrySize: number;
  readonly isRacy: boolean;
};

function readFully(fd: number, bytes: Buffer, position: number): number {
  let done = 0;
  while (done < bytes.length) {
    const count = readSync(fd, bytes, done, bytes.length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done;
}
