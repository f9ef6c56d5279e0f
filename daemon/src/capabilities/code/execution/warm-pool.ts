import type { Logger } from '@sandbox/program/logger.ts';

/** What a pool keeps: an `Interpreter`, as far as the pool uses it. */
interface Warm extends AsyncDisposable {
  readonly process: { readonly ended: Promise<unknown> };
}

/** Milliseconds before another try if an interpreter did not start, or ended before it was taken. */
const RETRY_MS = 10_000;

/** Milliseconds after a call has taken one at which another is started. */
const REFILL_MS = 250;

/** Interpreters that were started ahead of their callers. It is filled in the background, one after another. */
export class WarmPool<W extends Warm> implements AsyncDisposable {
  readonly #size: number;
  readonly #open: () => Promise<W>;
  readonly #logger: Logger;
  readonly #warm: W[] = [];
  #filling: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #later: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(size: number, open: () => Promise<W>, logger: Logger) {
    this.#size = size;
    this.#open = open;
    this.#logger = logger;
  }

  get size(): number {
    return this.#warm.length;
  }

  /** A warm interpreter if there is one. */
  take(): W | undefined {
    const interpreter = this.#warm.shift();
    // Another start would compete with the cell for the processors.
    this.#later ??= setTimeout(() => {
      this.#later = undefined;
      this.fill();
    }, REFILL_MS).unref();
    return interpreter;
  }

  /** Ends the warm interpreters, which were started from what has changed since, and starts others. */
  async renew(): Promise<void> {
    await Promise.all(this.#warm.splice(0).map((interpreter) => interpreter[Symbol.asyncDispose]()));
    this.fill();
  }

  fill(): void {
    if (this.#isClosed || this.#filling || this.#retry || this.#warm.length >= this.#size) return;
    this.#filling = this.#add().finally(() => {
      this.#filling = undefined;
      this.fill();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#later);
    await this.#filling;
    await Promise.all(this.#warm.splice(0).map((interpreter) => interpreter[Symbol.asyncDispose]()));
  }

  async #add(): Promise<void> {
    try {
      const interpreter = await this.#open();
      if (this.#isClosed) {
        await interpreter[Symbol.asyncDispose]();
        return;
      }
      this.#warm.push(interpreter);
      void interpreter.process.ended.then(() => this.#drop(interpreter));
    } catch (error) {
      this.#logger.warn({ err: error }, 'an interpreter for the pool did not start');
      this.#fillLater();
    }
  }

  #fillLater(): void {
    if (this.#isClosed) return;
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.fill();
    }, RETRY_MS).unref();
  }

  #drop(interpreter: W): void {
    const index = this.#warm.indexOf(interpreter);
    if (index < 0) return;
    this.#warm.splice(index, 1);
    void interpreter[Symbol.asyncDispose]();
    // Another may end as soon.
    this.#fillLater();
  }
}
