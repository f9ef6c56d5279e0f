import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errnoName } from '../errno-name.ts';

/** Every account may pass it, and only the daemon may change it. */
const MODE = 0o711;

/**
 * A directory of the daemon's in `parent`, by default the temporary one, the name of which begins with `svc-KIND`. It is derived from the
 * runtime directory, so that the next daemon finds it with what is in it. Every account can create names there: what
 * belongs to another one, or is not a directory, is not used.
 */
export function tempDirectory(kind: string, runtimeDir: string, parent = tmpdir()): string {
  const mark = createHash('sha256').update(runtimeDir).digest('hex').slice(0, 8);
  const wanted = join(parent, `svc-${kind}-${mark}`);
  const path = isOwn(wanted) ? wanted : mkdtempSync(`${wanted}-`);
  chmodSync(path, MODE);
  return path;
}

/** Whether the path is a directory of the daemon, not that of another account. */
export function isOwnDirectory(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

function isOwn(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (errnoName(error) !== 'EEXIST') throw error;
    return isOwnDirectory(path);
  }
}
