import { realpath } from 'node:fs/promises';
import { isConfined, requireConfined } from '../../core/access/caller.ts';
import { asFileFailure } from '../../core/files/file-failure.ts';
import { type FilePath, pathOfBytes, pathOfLatin1, shownPath } from '../../core/files/file-path.ts';
import { Place } from '../../core/files/place/place.ts';
import type { CheckpointRecord } from './engine/engine-protocol.ts';

/** The bytes of a path, without links. @throws FileFailure; SandboxError `forbidden` outside the directories of the key */
export async function coveredRoot(path: FilePath, access: 'read' | 'write'): Promise<Buffer> {
  const root = await realPathOf(path);
  requireConfined(() => pathOfBytes(root), access);
  return root;
}

/** @throws FileFailure */
export async function realPathOf(path: FilePath): Promise<Buffer> {
  try {
    return await realpath(path, { encoding: 'buffer' });
  } catch (error) {
    if (isConfined()) requireFound(path);
    throw asFileFailure(error, 'checkpoint', shownPath(path));
  }
}

/** Whether the key may read the directory of a checkpoint. */
export function isCovered({ root }: CheckpointRecord): boolean {
  try {
    requireConfined(() => pathOfLatin1(root), 'read');
    return true;
  } catch {
    return false;
  }
}

/** @throws SandboxError `forbidden` outside the directories of the key, also for what is not there */
function requireFound(path: FilePath): void {
  Place.find(path, 'checkpoint', { follow: true, access: 'read' })[Symbol.dispose]();
}
