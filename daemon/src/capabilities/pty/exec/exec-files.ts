import { randomBytes } from 'node:crypto';
import { chownSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Identity } from '../../../core/account/identity.ts';
import { discard } from '../../../core/files/discard.ts';
import { tempDirectory } from '../../../core/files/temp-directory.ts';

export interface ExecFile {
  readonly path: string;
  readonly fill: (script: string) => void;
  readonly remove: () => void;
}

/**
 * Scripts that a shell reads once. Each is a file that only the account of the shell can read, outside the runtime
 * directory, which that account cannot enter.
 */
export class ExecFiles implements Disposable {
  readonly #directory: string;

  /** Removes the files of an earlier daemon. */
  constructor(runtimeDir: string) {
    this.#directory = tempDirectory('exec', runtimeDir);
    for (const name of readdirSync(this.#directory)) discard(join(this.#directory, name));
  }

  /** The path is known before the script is written, since the script erases the typed line, which names the path. */
  reserve(owner: Identity | undefined): ExecFile {
    const path = join(this.#directory, randomBytes(3).toString('hex'));
    const fill = (script: string): void => {
      writeFileSync(path, script, { mode: 0o600, flag: 'wx' });
      if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
    };
    return { path, fill, remove: () => discard(path) };
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
