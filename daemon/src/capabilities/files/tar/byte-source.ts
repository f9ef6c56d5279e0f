import { TarFault } from './header.ts';

/** Takes a stream of bytes apart by length, with nothing held but the piece that came last. */
export class ByteSource {
  readonly #iterator: AsyncIterator<Buffer>;
  readonly #limit: number;
  readonly #overLimit: () => Error;
  #piece: Buffer = Buffer.alloc(0);
  #at = 0;
  #received = 0;

  /** @param limit bytes of the stream altogether */
  constructor(source: AsyncIterable<Buffer>, limit: number, overLimit: () => Error) {
    this.#iterator = source[Symbol.asyncIterator]();
    this.#limit = limit;
    this.#overLimit = overLimit;
  }

  /** That many bytes in one; undefined at the end of the stream. @throws TarFault where it ends between */
  async take(length: number): Promise<Buffer | undefined> {
    if (this.#piece.length - this.#at >= length) return this.#slice(length);
    const parts: Buffer[] = [];
    let missing = length;
    while (missing > 0) {
      if (this.#at === this.#piece.length && !(await this.#next())) {
        if (missing === length) return undefined;
        throw new TarFault('the archive is cut');
      }
      const part = this.#slice(Math.min(missing, this.#piece.length - this.#at));
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts, length);
  }

  /** That many bytes as they come; a piece is good until the next one is asked for. */
  async *pieces(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.#at === this.#piece.length && !(await this.#next())) throw new TarFault('the archive is cut');
      const piece = this.#slice(Math.min(left, this.#piece.length - this.#at));
      left -= piece.length;
      yield piece;
    }
  }

  async skip(length: number): Promise<void> {
    for await (const _piece of this.pieces(length));
  }

  /** Reads to the end, so that whoever sends has sent all. */
  async drain(): Promise<void> {
    while (await this.#next());
  }

  #slice(length: number): Buffer {
    this.#at += length;
    return this.#piece.subarray(this.#at - length, this.#at);
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#iterator.next();
    if (done) return false;
    this.#received += value.length;
    if (this.#received > this.#limit) throw this.#overLimit();
    [this.#piece, this.#at] = [value, 0];
    return true;
  }
}
