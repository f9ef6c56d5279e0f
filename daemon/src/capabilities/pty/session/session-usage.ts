import type { SessionActivity } from './session-activity.ts';

/** Attached viewers of a session and the time of its last use, by which it expires and gives way. */
export class SessionUsage {
  readonly #activity: SessionActivity;
  #viewers = 0;
  #usedAt: number;

  /** `usedAt`: milliseconds since 1970. */
  constructor(usedAt: number, activity: SessionActivity) {
    this.#activity = activity;
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
    this.#activity.touch();
  }

  /** Counts one viewer until the answer is disposed. */
  attach(): Disposable {
    const viewing = this.#activity.holdViewer();
    this.#viewers += 1;
    this.touch();
    return {
      [Symbol.dispose]: () => {
        viewing[Symbol.dispose]();
        this.#viewers -= 1;
        this.touch();
      },
    };
  }
}
