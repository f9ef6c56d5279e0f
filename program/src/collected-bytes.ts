/** Bytes from which on a piece is kept as it is. */
const LARGE = 16 * 1024;
const BLOCK = 64 * 1024;

/**
 * Bytes that arrive in pieces. Small pieces are copied together: each one by itself would hold an object and the memory
 * that its socket was read into, a thousand times what it has.
 */
export class CollectedBytes {
  readonly #whole: Buffer[] = [];
  /** What is being filled, and up to where. */
  #block: Buffer = Buffer.alloc(0);
  #filled = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (piece.length >= LARGE) {
      this.#closeBlock();
      this.#whole.push(piece);
      return;
    }
    if (piece.length > this.#block.length - this.#filled) {
      this.#closeBlock();
      this.#block = Buffer.allocUnsafeSlow(BLOCK);
    }
    this.#filled += piece.copy(this.#block, this.#filled);
  }

  /** All bytes, which are then forgotten. */
  take(): Buffer {
    this.#closeBlock();
    const all = Buffer.concat(this.#whole);
    this.clear();
    return all;
  }

  clear(): void {
    this.#whole.length = 0;
    this.#block = Buffer.alloc(0);
    this.#filled = 0;
    this.#length = 0;
  }

  /** The rest of the block takes what follows. */
  #closeBlock(): void {
    if (this.#filled === 0) return;
    this.#whole.push(this.#block.subarray(0, this.#filled));
    this.#block = this.#block.subarray(this.#filled);
    this.#filled = 0;
  }
}
