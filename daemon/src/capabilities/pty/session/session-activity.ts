import type { Activity } from '../../../core/activity/activity.ts';
import { RecentUse } from '../../../core/activity/recent-use.ts';
import type { History } from './history.ts';

export interface SessionActivityTerms {
  readonly activity: Activity;
  /** Milliseconds without input and output after which a terminal at its prompt is idle. */
  readonly quietMs: number;
}

/** Keeps the sandbox busy while a terminal has input or output, runs a program, or is viewed. */
export class SessionActivity implements Disposable {
  readonly #activity: Activity;
  readonly #id: string;
  readonly #use: RecentUse;
  readonly #over = new AbortController();

  constructor({ activity, quietMs }: SessionActivityTerms, id: string, isBusy: () => boolean) {
    this.#activity = activity;
    this.#id = id;
    this.#use = new RecentUse(activity, { kind: 'terminal', id, quietMs, isBusy });
  }

  /** Counts each output from now on, until the history is complete. */
  async follow(history: History): Promise<void> {
    const { signal } = this.#over;
    for (;;) {
      await history.advanced(history.end, signal);
      if (signal.aborted || history.closed) break;
      this.#use.touch();
    }
    this[Symbol.dispose]();
  }

  /** Counts input. */
  touch(): void {
    this.#use.touch();
  }

  holdViewer(): Disposable {
    return this.#activity.hold('viewer', this.#id);
  }

  [Symbol.dispose](): void {
    this.#over.abort();
    this.#use[Symbol.dispose]();
  }
}
