import { createHook } from 'node:async_hooks';

/** Counts the pending timers of this process that were created after the instance. */
export class LiveTimers implements Disposable {
  readonly #live = new Set<number>();
  readonly #hook = createHook({
    init: (id, type) => {
      if (type === 'Timeout') this.#live.add(id);
    },
    destroy: (id) => void this.#live.delete(id),
  }).enable();

  get count(): number {
    return this.#live.size;
  }

  [Symbol.dispose](): void {
    this.#hook.disable();
  }
}
