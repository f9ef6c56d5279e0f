import type { AgeClock, Moment } from '../../../core/clock/age-clock.ts';
import type { SessionActivity } from './session-activity.ts';
import type { SessionRecord } from './session-record.ts';

/** Attached viewers of a session and the time of its last use, by which it expires and gives way. */
export class SessionUsage {
  readonly #clock: AgeClock;
  readonly #activity: SessionActivity;
  readonly #record: SessionRecord;
  readonly #createdTick: number;
  #viewers = 0;
  #used: Moment;

  constructor(record: SessionRecord, clock: AgeClock, activity: SessionActivity) {
    this.#clock = clock;
    this.#activity = activity;
    const { createdAt, createdTick, lastUsedAt, lastUsedTick } = record;
    this.#record = record;
    this.#createdTick = clock.restored(createdTick, createdAt);
    this.#used = { at: new Date(lastUsedAt), tick: clock.restored(lastUsedTick, lastUsedAt) };
  }

  get viewers(): number {
    return this.#viewers;
  }

  get lastUsedAt(): Date {
    return this.#used.at;
  }

  /** Milliseconds since the last use. */
  get idleMs(): number {
    return this.#clock.since(this.#used.tick);
  }

  /** Milliseconds since the creation. */
  get ageMs(): number {
    return this.#clock.since(this.#createdTick);
  }

  /** Brings the last use into the record. */
  note(): void {
    this.#record.lastUsedAt = this.#used.at.toISOString();
    this.#record.lastUsedTick = this.#used.tick;
  }

  touch(): void {
    this.#used = this.#clock.moment();
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
