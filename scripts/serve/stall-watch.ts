import type { Readable } from 'node:stream';
import { BEAT, BEATS_PER_STALL, beatMs } from '@sandbox/program/heartbeat/beats.ts';

/** Seconds that a service may take until its first beat. */
const START_SECONDS = 60;

/**
 * Counts the ticks of this process since the last beat of a service. Ticks, not clock time: while the whole machine
 * stands still, no time passes for the service either.
 */
export class StallWatch implements Disposable {
  readonly #timer: NodeJS.Timeout;
  #limit: number;
  #missed = 0;

  /** @param onStall called once per silence */
  constructor(beats: Readable, stallSeconds: number, onStall: () => void) {
    const tickMs = beatMs(stallSeconds);
    this.#limit = Math.max(BEATS_PER_STALL, Math.ceil((START_SECONDS * 1000) / tickMs));
    beats.on('data', (chunk: Buffer) => {
      this.#missed = 0;
      this.#limit = chunk.at(-1) === BEAT ? BEATS_PER_STALL : Number.POSITIVE_INFINITY;
    });
    this.#timer = setInterval(() => {
      this.#missed += 1;
      if (this.#missed === this.#limit) onStall();
    }, tickMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
