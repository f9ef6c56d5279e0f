/** One holder at a time for each name; further ones wait in their order. */
export class NamedLocks {
  readonly #tails = new Map<string, Promise<void>>();

  /** Whether no name is held. */
  get isIdle(): boolean {
    return this.#tails.size === 0;
  }

  async hold<T>(name: string, action: () => T | Promise<T>): Promise<T> {
    const before = this.#tails.get(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tails.set(name, promise);
    try {
      await before;
      return await action();
    } finally {
      if (this.#tails.get(name) === promise) this.#tails.delete(name);
      resolve();
    }
  }
}
