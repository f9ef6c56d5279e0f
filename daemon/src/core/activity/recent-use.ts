import type { Activity, HolderKind, UseKind } from './activity.ts';

export interface RecentUseTerms {
  readonly kind: HolderKind & UseKind;
  readonly id: string;
  /** Milliseconds without a touch after which it holds no more. */
  readonly quietMs: number;
  /** Whether something works silently, which holds as long as it does. */
  readonly isBusy: () => boolean;
}

/** Keeps the sandbox busy from a touch until it has been quiet for a time. */
export class RecentUse implements Disposable {
  readonly #activity: Activity;
  readonly #terms: RecentUseTerms;
  #held: Disposable | undefined;
  #timer: NodeJS.Timeout | undefined;
  #touchedAt = 0;
  #over = false;

  constructor(activity: Activity, terms: RecentUseTerms) {
    this.#activity = activity;
    this.#terms = terms;
  }

  touch(): void {
    if (this.#over) return;
    const { kind, id, quietMs } = this.#terms;
    this.#activity.note(kind);
    this.#touchedAt = performance.now();
    if (this.#held !== undefined) return;
    this.#held = this.#activity.hold(kind, id);
    this.#checkAfter(quietMs);
  }

  /** It holds nothing from now on. */
  [Symbol.dispose](): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#release();
  }

  #checkAfter(ms: number): void {
    this.#timer = setTimeout(() => this.#check(), ms).unref();
  }

  #check(): void {
    const { quietMs, isBusy } = this.#terms;
    const left = this.#touchedAt + quietMs - performance.now();
    if (left > 0) this.#checkAfter(left);
    else if (isBusy()) this.#checkAfter(quietMs);
    else this.#release();
  }

  #release(): void {
    this.#held?.[Symbol.dispose]();
    this.#held = undefined;
  }
}
