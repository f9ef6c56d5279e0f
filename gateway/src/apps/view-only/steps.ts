/** What a reader waits for: bytes that it gets together, or bytes that pass or are dropped as they come. */
export type Step = { readonly take: number } | { readonly pass: number } | { readonly drop: number };

export type Steps = Generator<Step, void, Buffer>;

/** Reads a stream of bytes step by step, and has what passes of it. */
export class StepReader {
  readonly #steps: Steps;
  readonly #passed: Buffer[] = [];
  #taken: Buffer[] = [];
  #left = 0;
  #step: Step = { take: 0 };
  #isOver = false;

  /** @param begin is given what lets bytes pass */
  constructor(begin: (emit: (bytes: Buffer) => void) => Steps) {
    this.#steps = begin((bytes) => this.#passed.push(bytes));
    this.#advance(Buffer.alloc(0));
  }

  /**
   * @returns what passes, in memory of its own
   * @throws Error for bytes that are not allowed
   */
  push(bytes: Buffer): Buffer {
    for (let at = 0; at < bytes.length && !this.#isOver; ) {
      const piece = bytes.subarray(at, at + this.#left);
      at += piece.length;
      this.#left -= piece.length;
      if ('take' in this.#step) this.#taken.push(piece);
      else if ('pass' in this.#step) this.#passed.push(piece);
      if (this.#left === 0) this.#advance(Buffer.concat(this.#taken.splice(0)));
    }
    return Buffer.concat(this.#passed.splice(0));
  }

  /** Up to the next step that waits for bytes. */
  #advance(bytes: Buffer): void {
    let given = bytes;
    do {
      const { value, done } = this.#steps.next(given);
      given = Buffer.alloc(0);
      if (done === true) {
        this.#isOver = true;
        return;
      }
      this.#step = value;
      this.#left = Object.values(value)[0] ?? 0;
    } while (this.#left === 0);
  }
}

/** Bytes that are read together. */
export function* take(count: number): Generator<Step, Buffer, Buffer> {
  return yield { take: count };
}
