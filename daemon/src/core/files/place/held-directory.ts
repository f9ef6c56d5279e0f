import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { type FilePath, joinPath, pathOfBytes } from '../file-path.ts';

/** Opens a name without access to its content (open(2), Linux); Node has no constant for it. */
const O_PATH = 0o10000000;
const IS_LINUX = process.platform === 'linux';
const { O_DIRECTORY, O_NOFOLLOW } = constants;

/**
 * A directory held open, so that operations on names in it stay in it even if a parent is replaced by a link.
 * Without /proc, its path is used.
 */
export class HeldDirectory implements Disposable {
  /** The directory itself, for calls that take a path. */
  readonly base: FilePath;
  /** Undefined if only the path is held. */
  #descriptor: number | undefined;

  private constructor(base: FilePath, descriptor: number | undefined) {
    this.base = base;
    this.#descriptor = descriptor;
  }

  /** @throws as `open` does; `ENOTDIR` if the last part is a link, unless links are followed */
  static open(path: FilePath, { follow = false } = {}): HeldDirectory {
    if (!IS_LINUX) return HeldDirectory.#byPath(path, follow);
    const descriptor = openSync(path, O_PATH | O_DIRECTORY | (follow ? 0 : O_NOFOLLOW));
    return new HeldDirectory(`/proc/self/fd/${descriptor}`, descriptor);
  }

  static #byPath(path: FilePath, follow: boolean): HeldDirectory {
    const stats = follow ? statSync(path) : lstatSync(path);
    if (stats.isDirectory()) return new HeldDirectory(path, undefined);
    throw Object.assign(new Error(`ENOTDIR: not a directory, open '${path}'`), { code: 'ENOTDIR' });
  }

  /** Where the directory is now, without links; where only the path is held, that path. */
  get path(): FilePath {
    if (this.#descriptor === undefined) return this.base;
    const text = readlinkSync(this.base);
    // Such a character may stand for bytes that are not UTF-8.
    return text.includes('\ufffd') ? pathOfBytes(readlinkSync(this.base, { encoding: 'buffer' })) : text;
  }

  stats(): Stats {
    return this.#descriptor === undefined ? statSync(this.base) : fstatSync(this.#descriptor);
  }

  /** Whether both are one directory. */
  isSame(other: HeldDirectory): boolean {
    const [own, others] = [this.stats(), other.stats()];
    return own.ino === others.ino && own.dev === others.dev;
  }

  /** The path of an entry, valid while the directory is held open. */
  at(name: FilePath): FilePath {
    return joinPath(this.base, name);
  }

  entry(name: FilePath): Entry {
    return { directory: this, name, at: this.at(name) };
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** A name in a directory that is held open. */
export interface Entry {
  readonly directory: HeldDirectory;
  readonly name: FilePath;
  /** Its path by the descriptor of the directory. */
  readonly at: FilePath;
}

/** The path of what an open descriptor refers to; without /proc, the path that it was opened by. */
export function descriptorPath(descriptor: number, openedBy: FilePath): FilePath {
  return IS_LINUX ? `/proc/self/fd/${descriptor}` : openedBy;
}
