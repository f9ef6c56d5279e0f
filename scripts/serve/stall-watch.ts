import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { BEAT, BEATS_PER_STALL, beatMs } from '@sandbox/program/heartbeat/beats.ts';

/** Seconds that a service may take until its first beat. */
const START_SECONDS = 60;

/**
 * Counts the ticks of this process since the last beat of a service, without the time in which the service waited for a
 * processor. Ticks, not clock time: while the whole machine stands still, no time passes for the service either.
 */
export class StallWatch implements Disposable {
  readonly #timer: NodeJS.Timeout;
  #limit: number;
  #missed = 0;
  #waitedBefore = 0;
  #isStalled = false;

  /** @param onStall called once per silence */
  constructor(beats: Readable, pid: number | undefined, stallSeconds: number, onStall: () => void) {
    const tickMs = beatMs(stallSeconds);
    this.#limit = Math.max(BEATS_PER_STALL, Math.ceil((START_SECONDS * 1000) / tickMs));
    beats.on('data', (chunk: Buffer) => {
      this.#missed = 0;
      this.#isStalled = false;
      this.#limit = chunk.at(-1) === BEAT ? BEATS_PER_STALL : Number.POSITIVE_INFINITY;
    });
    this.#timer = setInterval(() => {
      if (this.#missed === 0) this.#waitedBefore = waitedMs(pid);
      this.#missed += 1;
      if (this.#isStalled || this.#missed < this.#limit) return;
      this.#isStalled = this.#missed - (waitedMs(pid) - this.#waitedBefore) / tickMs >= this.#limit;
      if (this.#isStalled) onStall();
    }, tickMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** Milliseconds that the main thread of a process was ready to run and had no processor (proc_pid_schedstat(5)); 0 if unknown. */
function waitedMs(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    // Not Linux, or the process has ended.
    return 0;
  }
}
