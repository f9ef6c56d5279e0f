import type { Finding } from '../../core/finding.ts';

/** Milliseconds that a success is answered again without another run. */
const SUCCESS_MS = 5_000;

/** Runs the probes, which do real work, once for concurrent callers. A failure is never answered again. */
export class Readiness {
  readonly #probes: readonly (() => Promise<Finding>)[];
  #running: Promise<Finding[]> | undefined;
  #success: { readonly checks: Finding[]; readonly at: number } | undefined;

  constructor(probes: readonly (() => Promise<Finding>)[]) {
    this.#probes = probes;
  }

  /** @param youngerThan milliseconds for which a success counts */
  checks(youngerThan: number = SUCCESS_MS): Promise<Finding[]> {
    if (this.#success !== undefined && performance.now() - this.#success.at < youngerThan) {
      return Promise.resolve(this.#success.checks);
    }
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<Finding[]> {
    const checks = await Promise.all(this.#probes.map((probe) => probe()));
    if (checks.every(({ ok }) => ok)) this.#success = { checks, at: performance.now() };
    return checks;
  }
}
