import { randomBytes } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { ignore } from '@sandbox/program/ignore.ts';
import type { Identity } from '../../../core/account/identity.ts';
import { discard } from '../../../core/files/discard.ts';
import { firstNames } from '../../../core/files/first-names.ts';
import { HelperPlaces } from '../../../core/files/helper-places.ts';

/** Files that the daemon removes itself; a directory with more is emptied by a process of its account. */
const FILES_MAX = 64;

/** A directory of mode 0700 that belongs to one account. */
export interface AccountDirectory extends Disposable {
  /** Short enough for the path of a socket inside (sun_path has 107 bytes). */
  readonly path: string;
}

/**
 * Private directories of accounts, outside the runtime directory, which accounts cannot enter. Their parents belong to
 * the daemon, so that no account can swap the name of a directory.
 */
export class AccountDirectories implements Disposable {
  readonly #places: HelperPlaces;
  readonly #empty: (identity: Identity, path: string) => Promise<unknown>;

  /**
   * The names of the parents are derived from the runtime directory, so that the next daemon finds what there is.
   * @param empty removes what is in a directory with the rights of its account
   */
  constructor(runtimeDir: string, empty: (identity: Identity, path: string) => Promise<unknown>) {
    this.#empty = empty;
    this.#places = new HelperPlaces('code', runtimeDir);
  }

  /**
   * @param fill creates the files that the daemon writes
   * @throws SandboxError `disk_full`
   */
  make(identity: Identity, fill: (path: string) => void = ignore): AccountDirectory {
    return this.#places.place((parent) => {
      const path = join(parent, randomBytes(4).toString('hex'));
      mkdirSync(path, { mode: 0o700 });
      try {
        if (process.getuid?.() === 0) chownSync(path, identity.uid, identity.gid);
        fill(path);
      } catch (error) {
        removeFlat(path);
        throw error;
      }
      return this.#directoryOf(path, identity);
    });
  }

  /** One that an earlier daemon made; undefined if it is not there. */
  find(path: string): AccountDirectory | undefined {
    const isHere = this.#places.directories.some((parent) => path.startsWith(`${parent}/`));
    const isOurs = isHere && lstatSync(path, { throwIfNoEntry: false })?.isDirectory();
    return isOurs ? this.#directoryOf(path) : undefined;
  }

  /** What cannot be removed without entering directories of an account stays. */
  [Symbol.dispose](): void {
    for (const path of this.#places.entries()) removeFlat(path);
    this.#places.release();
  }

  #directoryOf(path: string, identity?: Identity): AccountDirectory {
    return {
      path,
      [Symbol.dispose]: () => {
        if (removeFlat(path) || identity === undefined) return;
        void this.#empty(identity, path).then(() => removeDirectory(path), ignore);
      },
    };
  }
}

/**
 * Removes a directory with its files; answers whether that was all. No directory inside is entered: its account could
 * put a link in its place meanwhile.
 */
function removeFlat(path: string): boolean {
  try {
    for (const name of firstNames(path, FILES_MAX)) discard(join(path, name));
  } catch {
    return true;
  }
  return removeDirectory(path);
}

function removeDirectory(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
}
