/** Attached viewers of a session and the time of its last use, by which it expires and gives way. */
export class SessionUsage {
  #viewers = 0;
  #usedAt: number;

  /** `usedAt`: milliseconds since 1970. */
  constructor(usedAt: number) {
    this.#usedAt = usedAt;
  }

  get viewers(): number {
    return this.#viewers;
  }

  /** Milliseconds since 1970. */
  get usedAt(): number {
    return this.#usedAt;
  }

  touch(): void {
    this.#usedAt = Date.now();
  }

  /** Counts one viewer until the answer is disposed. */
  attach(): Disposable {
    this.#viewers += 1;
    this.touch();
    return {
      [Symbol.dispose]: () => {
        this.#viewers -= 1;
        this.touch();
      },
    };
  }
}
