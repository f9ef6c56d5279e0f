/** Waits; rejects with the reason of the signal if it is aborted before or meanwhile. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Waits for what several callers wait for: the signal ends the wait alone. */
export async function untilAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return await result;
  signal.throwIfAborted();
  const stop = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: stop.signal });
  });
  try {
    return await Promise.race([result, aborted]);
  } finally {
    stop.abort();
  }
}

/** A signal of its own that ends with another one, or after a silence. It leaves no listener behind. */
export class Watchdog implements Disposable {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  #ms: number;
  readonly #abort = (): void => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param ms of silence */
  constructor(outer: AbortSignal | undefined, ms: number) {
    this.#outer = outer;
    this.#ms = ms;
    outer?.throwIfAborted();
    outer?.addEventListener('abort', this.#abort, { once: true });
    this.touch();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The silence begins again, with another length. */
  allow(ms: number): void {
    this.#ms = ms;
    this.touch();
  }

  /** The silence begins again. */
  touch(): void {
    clearTimeout(this.#timer);
    if (!Number.isFinite(this.#ms)) return;
    this.#timer = setTimeout(() => this.#controller.abort(new Error(`no data for ${this.#ms / 1000} s`)), this.#ms);
  }

  /** Ends what the signal was given to, and disposes. */
  end(): void {
    this.#controller.abort();
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
  }
}
