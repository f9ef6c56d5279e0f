import { TarFault } from './tar-fault.ts';
import { BLOCK } from './tar-header.ts';

/** Most bytes between two entries: the headers that extend the next one. */
const HEADERS_BYTES = 8 * 1024 ** 2;

/** Keeps the bytes since the last entry, for the fields of a header that tar-stream does not give. */
export class PassedBytes {
  #pieces: { readonly at: number; readonly bytes: Buffer }[] = [];
  #received = 0;
  /** Offset of the headers of the next entry. */
  #start = 0;

  /** @throws TarFault if there are over 8 MiB between two entries */
  add(bytes: Buffer): void {
    this.#pieces.push({ at: this.#received, bytes });
    this.#received += bytes.length;
    this.#drop();
    if (this.#received - bytes.length - this.#start > HEADERS_BYTES) throw new TarFault('headers are over 8 MiB');
  }

  /** The headers of an entry, the last block being its own. @param end offset of its body */
  headersTo(end: number, size: number): Buffer {
    const headers = this.#slice(this.#start, end);
    this.#start = end + Math.ceil(size / BLOCK) * BLOCK;
    this.#drop();
    return headers;
  }

  /** Whether a block of zeros in place of a header has ended the archive. */
  get isEnded(): boolean {
    if (this.#received < this.#start + BLOCK) return false;
    return isZero(this.#slice(this.#start, this.#start + BLOCK));
  }

  #drop(): void {
    const kept = this.#pieces.findIndex(({ at, bytes }) => at + bytes.length > this.#start);
    if (kept !== 0) this.#pieces = kept < 0 ? [] : this.#pieces.slice(kept);
  }

  #slice(from: number, to: number): Buffer {
    const parts = this.#pieces.map(({ at, bytes }) => bytes.subarray(Math.max(0, from - at), Math.max(0, to - at)));
    return parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts);
  }
}

function isZero(block: Buffer): boolean {
  return block.every((byte) => byte === 0);
}
