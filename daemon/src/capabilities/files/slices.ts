import { setImmediate } from 'node:timers/promises';

/** Milliseconds that work may hold the event loop in one go. */
const SLICE_MS = 6;

/** Cuts long synchronous work: calls of the file system that do not wait take a tenth of the time of those that do. */
export class Slices {
  #since = performance.now();

  /** Whether others have waited long enough. */
  get isDue(): boolean {
    return performance.now() - this.#since >= SLICE_MS;
  }

  /** Lets others go first. */
  async rest(): Promise<void> {
    await setImmediate();
    this.#since = performance.now();
  }
}
