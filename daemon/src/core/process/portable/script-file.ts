import { randomUUID } from 'node:crypto';
import { closeSync, fchownSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Identity } from '../../account/identity.ts';

/**
 * A descriptor, at offset 0, of an unlinked file that holds the script and belongs to `owner`; the caller closes it.
 * @throws the error of the system call that failed; no file is left then
 */
export function openScript(directory: string, script: string, owner?: Identity): number {
  const path = join(directory, `script-${randomUUID()}`);
  const fd = openSync(path, 'wx+', 0o600);
  try {
    unlinkSync(path);
    writeAll(fd, Buffer.from(script));
    if (owner !== undefined) fchownSync(fd, owner.uid, owner.gid);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Writes at explicit positions: the descriptor's own offset stays at the beginning. */
function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
}
