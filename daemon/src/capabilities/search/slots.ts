import { onAbort } from '../../core/wait.ts';

/** A fixed number of places; further callers wait for one in their order. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a place until the answer is disposed. @throws the reason of the signal, where it fires first */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#release();
        isHeld = false;
      },
    };
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    using _listening = onAbort(signal, () => {
      const index = this.#waiting.indexOf(resolve);
      if (index < 0) return;
      this.#waiting.splice(index, 1);
      reject(signal.reason);
    });
    await promise;
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
