import { NamedLocks } from '@sandbox/api/named-locks.ts';
import { type FilePath, latin1Of } from '../../core/files/file-path.ts';

/** One writer at a time for each path; further writers wait in their order. */
export class PathLocks {
  readonly #locks = new NamedLocks();

  /** Whether no path is locked. */
  get isIdle(): boolean {
    return this.#locks.isIdle;
  }

  hold<T>(path: FilePath, action: () => T | Promise<T>): Promise<T> {
    return this.#locks.hold(latin1Of(path), action);
  }
}
