import type { Logger } from '@sandbox/program/logger.ts';
import type { Readiness } from './readiness.ts';
import type { SupervisedPrograms } from './supervised-programs.ts';

/** Milliseconds for which a result is kept: anyone may ask, and asking must cost little. */
const RESULT_MS = 500;
/** Milliseconds for which a successful run of the probes counts here. */
const PROBES_MS = 10_000;

/** Whether the sandbox can be used, for probes of platforms without a key: the reasons are in the log only. */
export class PublicReadiness {
  readonly #readiness: Readiness;
  readonly #programs: SupervisedPrograms;
  readonly #logger: Pick<Logger, 'info' | 'warn'>;
  #running: Promise<boolean> | undefined;
  #last: { readonly faults: string; readonly at: number } | undefined;
  #hasBeenReady = false;

  constructor(readiness: Readiness, programs: SupervisedPrograms, logger: Pick<Logger, 'info' | 'warn'>) {
    this.#readiness = readiness;
    this.#programs = programs;
    this.#logger = logger;
  }

  isReady(): Promise<boolean> {
    if (this.#last !== undefined && performance.now() - this.#last.at < RESULT_MS) {
      return Promise.resolve(this.#last.faults === '');
    }
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<boolean> {
    const [checks, programs] = await Promise.all([this.#readiness.checks(PROBES_MS), this.#programs.faults()]);
    const probes = checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name} (${detail})`);
    const faults = [...probes, ...programs].join(', ');
    this.#report(faults, this.#last?.faults ?? '');
    this.#last = { faults, at: performance.now() };
    this.#hasBeenReady ||= faults === '';
    return faults === '';
  }

  /** A start takes its time: only what fails later is reported, and each change once. */
  #report(faults: string, before: string): void {
    if (!this.#hasBeenReady || faults === before) return;
    if (faults === '') this.#logger.info('ready again');
    else this.#logger.warn(`not ready: ${faults}`);
  }
}
