import { pause } from './cancel.ts';
import { ConnectionLost, RequestFailed } from './errors.ts';

const FIRST_MS = 100;
const LONGEST_MS = 5000;

/** The pauses between the attempts of one call: each twice as long as the last, and an end. */
export class Attempts {
  readonly #retryFor: number;
  readonly #signal: AbortSignal | undefined;
  #failures = 0;
  #lastGood = performance.now();

  /** @param retryFor seconds since the last success after which the last error is final */
  constructor(retryFor: number, signal: AbortSignal | undefined) {
    this.#retryFor = retryFor;
    this.#signal = signal;
  }

  /** The connection works. */
  succeed(): void {
    this.#failures = 0;
    this.#lastGood = performance.now();
  }

  /** @throws ConnectionLost, or the last answer of the service, if the time is over */
  async pause(error: unknown): Promise<void> {
    const asked = error instanceof RequestFailed ? (error.retryAfter ?? 0) * 1000 : 0;
    const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#failures);
    // Clients that lost the same connection do not return at the same moment.
    const ms = Math.max(asked, longest / 2 + (Math.random() * longest) / 2);
    this.#failures++;
    if (performance.now() + ms - this.#lastGood > this.#retryFor * 1000) throw this.#final(error);
    await pause(ms, this.#signal);
  }

  #final(error: unknown): unknown {
    if (error instanceof RequestFailed) return error;
    const reason = error instanceof Error ? reasonOf(error) : String(error);
    return new ConnectionLost(`no connection to the sandbox for ${this.#retryFor} s: ${reason}`, {
      hint: 'look whether the service runs and whether the address is right',
      cause: error,
    });
  }
}

/** `fetch failed` has its reason in its cause. */
function reasonOf(error: Error): string {
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || String((cause as { readonly code?: unknown }).code ?? error.message);
}
