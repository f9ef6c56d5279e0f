/** Bytes of answers that are held in memory at once, of all clients together. */
const ANSWER_BYTES_MAX = 256 * 1024 ** 2;

/** Bytes that answers take in memory until their clients have read them, with a ceiling. */
export class AnswerBudget {
  readonly #max: number;
  #held = 0;
  #refused = 0;

  constructor(max: number = ANSWER_BYTES_MAX) {
    this.#max = max;
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#held;
  }

  /** Answers so far for which there was no room. */
  get refused(): number {
    return this.#refused;
  }

  /** Changes the bytes of one holder; false, without a change, if more bytes do not fit. */
  exchange(from: number, to: number): boolean {
    if (to > from && this.#held - from + to > this.#max) {
      this.#refused += 1;
      return false;
    }
    this.#held += to - from;
    return true;
  }
}
