import { BLOCK } from './header.ts';
import { TarFault } from './tar-fault.ts';

/** Bytes between two entries: all headers that only say more about the next one. */
const HEADERS_BYTES = 8 * 1024 ** 2;

/** Keeps what went by since the last entry, for what tar-stream does not tell of a header. */
export class PassedBytes {
  #pieces: { readonly at: number; readonly bytes: Buffer }[] = [];
  #received = 0;
  /** Where the headers of the next entry begin. */
  #start = 0;

  /** @throws TarFault where what is between two entries is over 8 MiB */
  add(bytes: Buffer): void {
    this.#pieces.push({ at: this.#received, bytes });
    this.#received += bytes.length;
    this.#drop();
    if (this.#received - bytes.length - this.#start > HEADERS_BYTES) throw new TarFault('headers are over 8 MiB');
  }

  /** The headers of an entry, whose own block is the last one; `end` is where its body begins. */
  headersTo(end: number, size: number): Buffer {
    const headers = this.#slice(this.#start, end);
    this.#start = end + Math.ceil(size / BLOCK) * BLOCK;
    this.#drop();
    return headers;
  }

  /** Whether the archive has said that no entry follows, by a block of zeros in place of a header. */
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
