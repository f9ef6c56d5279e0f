import { closeSync, constants, openSync } from 'node:fs';
import { type FilePath, joinPath } from '../../../core/files/file-path.ts';

/**
 * A directory held open, so that operations on names in it stay in it even if a parent is replaced by a link.
 * Without /proc, its path is used.
 */
export class HeldDirectory implements Disposable {
  readonly #descriptor: number;
  readonly #base: FilePath;

  private constructor(descriptor: number, path: FilePath) {
    this.#descriptor = descriptor;
    this.#base = process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : path;
  }

  /** @throws as `open` does; `ENOTDIR` or `ELOOP` where the last part is a link, unless links are followed */
  static open(path: FilePath, { follow = false } = {}): HeldDirectory {
    const flags = constants.O_RDONLY | constants.O_DIRECTORY | (follow ? 0 : constants.O_NOFOLLOW);
    return new HeldDirectory(openSync(path, flags), path);
  }

  get descriptor(): number {
    return this.#descriptor;
  }

  /** The directory itself, for calls that read it. */
  get base(): FilePath {
    return this.#base;
  }

  /** The path of an entry, valid while the directory is held open. */
  at(name: FilePath): FilePath {
    return joinPath(this.#base, name);
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }
}
