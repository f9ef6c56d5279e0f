import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Identity } from '../../../core/account/identity.ts';
import { discard } from '../../../core/files/discard.ts';

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

  /** The name is derived from the runtime directory, so that the next daemon finds and removes old files. */
  constructor(runtimeDir: string) {
    const mark = createHash('sha256').update(runtimeDir).digest('hex').slice(0, 8);
    this.#directory = ownDirectory(join(tmpdir(), `svc-exec-${mark}`));
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

/** Every account can create names in the temporary directory, so an entry of another owner is not used. */
function ownDirectory(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && (!found.isDirectory() || found.uid !== process.getuid?.())) return fresh(`${path}-`);
  rmSync(path, { recursive: true, force: true });
  try {
    mkdirSync(path);
  } catch {
    return fresh(`${path}-`);
  }
  chmodSync(path, 0o711);
  return path;
}

function fresh(prefix: string): string {
  const path = mkdtempSync(prefix);
  chmodSync(path, 0o711);
  return path;
}
