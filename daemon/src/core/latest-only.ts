/**
 * Applies values at most once in a period. The first is applied at once; of those that follow within the period, the
 * last one at its end.
 */
export class LatestOnly<T> {
  readonly #periodMs: number;
  readonly #apply: (value: T) => void;
  #waiting: { readonly value: T } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(periodMs: number, apply: (value: T) => void) {
    this.#periodMs = periodMs;
    this.#apply = apply;
  }

  push(value: T): void {
    this.#waiting = { value };
    if (this.#timer === undefined) this.#next();
  }

  /** Forgets a value that waits; returns whether one did. */
  drop(): boolean {
    const waits = this.#waiting !== undefined;
    this.#waiting = undefined;
    return waits;
  }

  #next(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#timer = waiting && setTimeout(() => this.#next(), this.#periodMs).unref();
    if (waiting) this.#apply(waiting.value);
  }
}
