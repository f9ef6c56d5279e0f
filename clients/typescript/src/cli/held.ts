import process from 'node:process';

/** Ends something, because of a signal to this process or as if of one. */
type End = (signal: NodeJS.Signals) => Promise<unknown>;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Milliseconds for all ends. */
const END_MS = 5000;

/** What a command holds in the sandbox. It ends before the process does, also by a signal or with a closed stdout. */
export class Held {
  readonly #ends = new Set<End>();
  readonly #onSignal = (signal: NodeJS.Signals): void => this.#take(signal);
  /** Whether the first signal is for what is held, whose end is that of the process. */
  #passesOn = false;

  /**
   * Does work during which something is held, which its failure ends, too.
   * @param end may be called before what it ends is known, and more than once
   */
  async during<T>(
    { end, passesOn = false }: { readonly end: End; readonly passesOn?: boolean },
    work: () => Promise<T>,
  ): Promise<T> {
    for (const name of SIGNALS) process.on(name, this.#onSignal);
    this.#ends.add(end);
    this.#passesOn = passesOn;
    try {
      return await work();
    } catch (error) {
      await this.end('SIGTERM');
      throw error;
    } finally {
      this.#ends.delete(end);
      this.#ignoreSignals();
    }
  }

  /** Ends all; what takes too long is left. */
  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.#ends.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, END_MS);
    });
    await Promise.race([Promise.allSettled([...this.#ends].map((end) => end(signal))), late]);
    clearTimeout(timer);
  }

  #take(signal: NodeJS.Signals): void {
    if (this.#passesOn) {
      this.#passesOn = false;
      void this.end(signal);
      return;
    }
    // A further signal ends the process at once.
    this.#ignoreSignals();
    // By the signal itself, so that a shell sees it.
    void this.end('SIGKILL').then(() => process.kill(process.pid, signal));
  }

  #ignoreSignals(): void {
    for (const name of SIGNALS) process.off(name, this.#onSignal);
  }
}
