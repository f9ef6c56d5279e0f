import { randomBytes } from 'node:crypto';
import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Identity } from '../../../core/account/identity.ts';
import { discard } from '../../../core/files/discard.ts';
import { HelperPlaces } from '../../../core/files/helper-places.ts';

export interface ExecFile {
  readonly path: string;
  readonly remove: () => void;
}

/**
 * Scripts that a shell reads once. Each is a file that only the account of the shell can read, outside the runtime
 * directory, which that account cannot enter.
 */
export class ExecFiles implements Disposable {
  readonly #places: HelperPlaces;

  /** Removes the files of an earlier daemon. */
  constructor(runtimeDir: string) {
    this.#places = new HelperPlaces('exec', runtimeDir);
    this.#places.clear();
  }

  /**
   * Writes the script that `scriptAt` returns for its path: it erases the typed line, which names the path.
   * @throws SandboxError `disk_full`
   */
  write(owner: Identity | undefined, scriptAt: (path: string) => string): ExecFile {
    return this.#create((path) => {
      writeFileSync(path, scriptAt(path), { mode: 0o600, flag: 'wx' });
      if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
    });
  }

  /** A path for what the caller creates there. */
  reserve(): ExecFile {
    return this.#create(() => undefined);
  }

  [Symbol.dispose](): void {
    this.#places[Symbol.dispose]();
  }

  #create(fill: (path: string) => void): ExecFile {
    return this.#places.place((directory) => {
      const path = join(directory, randomBytes(3).toString('hex'));
      try {
        fill(path);
      } catch (error) {
        discard(path);
        throw error;
      }
      return { path, remove: () => discard(path) };
    });
  }
}
