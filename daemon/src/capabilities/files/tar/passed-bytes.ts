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

/** The value of a record of pax (POSIX.1-2024, pax: `length key=value\n`) as bytes: some archivers write names that are not UTF-8. */
export function paxBytes(headers: Buffer, key: string): Buffer | undefined {
  let found: Buffer | undefined;
  for (let at = 0; at + BLOCK <= headers.length; ) {
    const size = Number.parseInt(headers.toString('latin1', at + 124, at + 136), 8) || 0;
    const body = headers.subarray(at + BLOCK, at + BLOCK + size);
    if (headers[at + 156] === 0x78) found = recordIn(body, key) ?? found;
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return found;
}

function recordIn(records: Buffer, key: string): Buffer | undefined {
  let found: Buffer | undefined;
  for (let at = 0; at < records.length; ) {
    const length = Number.parseInt(records.toString('latin1', at, at + 10), 10);
    const [start, end] = [records.indexOf(0x20, at) + 1, at + length];
    if (!(length > 0)) return found;
    const value = start + key.length + 1;
    if (records.toString('latin1', start, value) === `${key}=`) found = Buffer.from(records.subarray(value, end - 1));
    at = end;
  }
  return found;
}

function isZero(block: Buffer): boolean {
  return block.every((byte) => byte === 0);
}
