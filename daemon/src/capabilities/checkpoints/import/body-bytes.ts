import { refusedArchive } from './refused-archive.ts';

/** The body of an entry, of which the size is known before. */
export class BodyBytes {
  readonly #pieces: AsyncIterator<Buffer>;
  #kept: Buffer = Buffer.alloc(0);
  #left: number;

  constructor(pieces: AsyncIterable<Buffer>, size: number) {
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.#left = size;
  }

  /** Bytes that were not taken. */
  get left(): number {
    return this.#left;
  }

  /** Some of the next bytes, none at the end. */
  async some(): Promise<Buffer> {
    if (this.#left === 0) return Buffer.alloc(0);
    const bytes = this.#kept.length > 0 ? this.#kept : await this.#following();
    this.#kept = Buffer.alloc(0);
    this.#left -= bytes.length;
    return bytes;
  }

  /** @throws SandboxError `invalid` if there are fewer */
  async exactly(count: number): Promise<Buffer> {
    if (count > this.#left) throw refusedArchive('a body ends too early');
    while (this.#kept.length < count) this.#kept = Buffer.concat([this.#kept, await this.#following()]);
    const bytes = this.#kept.subarray(0, count);
    this.#kept = this.#kept.subarray(count);
    this.#left -= count;
    return bytes;
  }

  async #following(): Promise<Buffer> {
    for (;;) {
      const { done, value } = await this.#pieces.next();
      if (done) throw refusedArchive('a body ends too early');
      if (value.length > 0) return value;
    }
  }
}
