const DELAYS_MS = [0, 250, 500, 1000, 2000, 4000, 5000] as const;

/** A life of this long makes the next death a first one again. */
const STEADY_MS = 30_000;

/** How long to wait before a service is started again: not at all at first, then longer, at most 5 s. */
export class RestartDelay {
  #deaths = 0;

  /** @param livedMs how long the service had lived */
  next(livedMs: number): number {
    if (livedMs >= STEADY_MS) this.#deaths = 0;
    const delay = DELAYS_MS[Math.min(this.#deaths, DELAYS_MS.length - 1)] ?? 0;
    this.#deaths += 1;
    return delay;
  }
}
