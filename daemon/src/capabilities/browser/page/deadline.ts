/** The least time that a call of the page gets, in milliseconds. */
const CALL_LEAST_MS = 5000;

/** The end of a call, of which its steps share the time. */
export class Deadline {
  readonly #end: number;

  constructor(ms: number) {
    this.#end = performance.now() + ms;
  }

  /** Milliseconds that are left, at least `least`. */
  left(least = 1): number {
    return Math.max(this.#end - performance.now(), least);
  }

  /** Milliseconds for one call of the page: a wait that is short leaves a busy page time to answer. */
  get forCall(): number {
    return this.left(CALL_LEAST_MS);
  }

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }
}
