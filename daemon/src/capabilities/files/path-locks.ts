import { bytesOfPath, type FilePath } from '../../core/files/file-path.ts';

/** One writer at a time for each path; further writers wait in their order. */
export class PathLocks {
  readonly #tails = new Map<string, Promise<void>>();

  /** Whether no path is locked. */
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
