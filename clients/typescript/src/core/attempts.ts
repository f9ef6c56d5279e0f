import { pause } from './cancel.ts';
import { milliseconds } from './clock.ts';
import { ConnectionLost, RequestFailed } from './errors.ts';

const FIRST_MS = 100;
const LONGEST_MS = 5000;

/** A call that failed and is repeated. */
export interface Retry {
  readonly reason: string;
  /** Seconds after which the call fails, unless an attempt succeeds. */
  readonly retryFor: number;
}

/** The pauses between the attempts of one call: each twice as long as the last, and an end. */
export class Attempts {
  readonly #retryFor: number;
  readonly #signal: AbortSignal | undefined;
  readonly #onRetry: ((retry: Retry) => void) | undefined;
  #failures = 0;
  #lastGood = milliseconds();

  /** @param retryFor seconds since the last success after which the last error is final */
  constructor(retryFor: number, signal: AbortSignal | undefined, onRetry: ((retry: Retry) => void) | undefined) {
    this.#retryFor = retryFor;
    this.#signal = signal;
    this.#onRetry = onRetry;
  }

  /** The connection works. */
  succeed(): void {
    this.#failures = 0;
    this.#lastGood = milliseconds();
  }

  /** @throws ConnectionLost, or the last answer of the service, if the time is over */
  async pause(error: unknown): Promise<void> {
    const asked = error instanceof RequestFailed ? (error.retryAfter ?? 0) * 1000 : 0;
    const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures);
    // Clients that lost the same connection do not return at the same moment.
    const ms = Math.max(asked, longest / 2 + (Math.random() * longest) / 2);
    this.#failures++;
    if (milliseconds() + ms - this.#lastGood > this.#retryFor * 1000) throw this.#final(error);
    if (this.#failures === 1) this.#onRetry?.({ reason: reasonOf(error), retryFor: this.#retryFor });
    await pause(ms, this.#signal);
  }

  #final(error: unknown): unknown {
    if (error instanceof RequestFailed) return error;
    return new ConnectionLost(`no connection to the sandbox for ${this.#retryFor} s: ${reasonOf(error)}`, {
      hint: 'look whether the service runs and whether the address is right',
      cause: error,
    });
  }
}

/** `fetch failed` has its reason in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message || String((error as { readonly code?: unknown }).code);
  return cause.message || String((cause as { readonly code?: unknown }).code ?? error.message);
}
