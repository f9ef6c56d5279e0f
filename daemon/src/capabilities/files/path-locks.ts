import { bytesOfPath, type FilePath } from '../../core/files/file-path.ts';

/** One writer at a time for each path; the others wait in the order in which they came. */
export class PathLocks {
  readonly #tails = new Map<string, Promise<void>>();

  /** Whether nobody holds any. */
  get isIdle(): boolean {
    return this.#tails.size === 0;
  }

  async hold<T>(path: FilePath, action: () => T | Promise<T>): Promise<T> {
    const key = bytesOfPath(path).toString('latin1');
    const before = this.#tails.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tails.set(key, promise);
    try {
      await before;
      return await action();
    } finally {
      if (this.#tails.get(key) === promise) this.#tails.delete(key);
      resolve();
    }
  }
}
