const DELAYS_MS = [0, 250, 500, 1000, 2000, 4000, 5000] as const;

/** After this uptime the next restart is immediate again. */
const STEADY_MS = 30_000;

/** Milliseconds until a service restarts: 0 at first, then growing to at most 5 s. */
export class RestartDelay {
  #deaths = 0;

  /** @param livedMs uptime of the service */
  next(livedMs: number): number {
    if (livedMs >= STEADY_MS) this.#deaths = 0;
    const delay = DELAYS_MS[Math.min(this.#deaths, DELAYS_MS.length - 1)] ?? 0;
    this.#deaths += 1;
    return delay;
  }
}
