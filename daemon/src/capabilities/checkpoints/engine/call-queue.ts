import { SandboxError } from '@sandbox/api/sandbox-error.ts';

/** Milliseconds that a call waits for its turn. */
const WAIT_MS = 30_000;

interface Queued {
  readonly number: number;
  readonly run: (signal: AbortSignal) => Promise<unknown>;
  readonly done: (returns: unknown) => void;
  readonly failed: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/** Runs calls one after another. One that waits too long, or whose caller leaves before its turn, does not begin. */
export class CallQueue {
  readonly #waitMs: number;
  readonly #waiting = new Map<number, Queued>();
  #running: { readonly number: number; readonly leaving: AbortController } | undefined;

  constructor(waitMs = WAIT_MS) {
    this.#waitMs = waitMs;
  }

  /** @throws SandboxError `unavailable` if it did not begin; what `run` throws */
  async run<T>(number: number, run: (signal: AbortSignal) => Promise<T> | T): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => this.#refuse(number, waitedTooLong(this.#waitMs)), this.#waitMs);
      const done = (returns: unknown): void => resolve(returns as T);
      this.#waiting.set(number, { number, run: async (signal) => await run(signal), done, failed: reject, timer });
      if (!this.#running) void this.#serve();
    });
  }

  /** The caller has left: a call that waits does not begin, the one that runs gets the signal. */
  leave(number: number): void {
    if (this.#running?.number === number) this.#running.leaving.abort(callLeft());
    else this.#refuse(number, callLeft());
  }

  async #serve(): Promise<void> {
    for (let next = this.#take(); next; next = this.#take()) {
      const leaving = new AbortController();
      this.#running = { number: next.number, leaving };
      try {
        next.done(await next.run(leaving.signal));
      } catch (error) {
        next.failed(error);
      }
      this.#running = undefined;
    }
  }

  #take(): Queued | undefined {
    const [next] = this.#waiting.values();
    if (next) this.#forget(next);
    return next;
  }

  #refuse(number: number, error: SandboxError): void {
    const queued = this.#waiting.get(number);
    if (!queued) return;
    this.#forget(queued);
    queued.failed(error);
  }

  #forget({ number, timer }: Queued): void {
    clearTimeout(timer);
    this.#waiting.delete(number);
  }
}

function waitedTooLong(ms: number): SandboxError {
  return new SandboxError('unavailable', `another call of checkpoints runs for over ${Math.round(ms / 1000)} s`, {
    hint: 'nothing was done: repeat the call later; a checkpoint of a smaller directory, or with exclude, takes less time',
    retryAfter: 30,
  });
}

/** Why a call ends that no caller waits for. */
export function callLeft(): SandboxError {
  return new SandboxError('unavailable', 'the caller has left; nothing of the call was kept');
}
