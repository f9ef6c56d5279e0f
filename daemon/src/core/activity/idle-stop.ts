import type { Logger } from '@sandbox/program/logger.ts';
import type { Activity } from './activity.ts';

/** Longest wait of one timer: the time until the end changes with each use. */
const MAX_WAIT_MS = 60_000;

export interface IdleStopTerms {
  readonly activity: Activity;
  readonly logger: Logger;
  /** How long the sandbox may be idle; 0: for ever. */
  readonly idleMs: number;
  /** Whether the sandbox waits in a pool, which is not idleness. */
  readonly isWaiting: () => boolean;
  readonly stop: () => void;
}

/** Stops the sandbox, once, when nothing has used it for a time. */
export class IdleStop implements Disposable {
  readonly #terms: IdleStopTerms;
  #timer: NodeJS.Timeout | undefined;

  constructor(terms: IdleStopTerms) {
    this.#terms = terms;
    if (terms.idleMs > 0) this.#look();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #look(): void {
    const { activity, logger, idleMs, isWaiting, stop } = this.#terms;
    if (isWaiting()) activity.restart();
    const left = idleMs - activity.idleMs();
    if (left > 0) {
      this.#timer = setTimeout(() => this.#look(), Math.min(left, MAX_WAIT_MS)).unref();
      return;
    }
    logger.warn({ seconds: idleMs / 1000 }, 'nothing has used the sandbox for SVC_IDLE_STOP_SECONDS: it stops');
    stop();
  }
}
