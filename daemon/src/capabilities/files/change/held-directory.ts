import { closeSync, constants, openSync } from 'node:fs';
import { type FilePath, joinPath } from '../../../core/files/file-path.ts';

/**
 * A directory held open, so that what is done by name in it stays in it, whatever is swapped for a link above it.
 * Where the system has no /proc, the path has to do.
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

  /** The path of an entry, good as long as the directory is held. */
  at(name: FilePath): FilePath {
    return joinPath(this.#base, name);
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }
}
