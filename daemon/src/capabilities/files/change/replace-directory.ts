import { lstatSync, renameSync } from 'node:fs';
import { busyMountPoint, systemCodeOf } from '../../../core/files/file-failure.ts';
import { type FilePath, shownPath } from '../../../core/files/file-path.ts';
import type { PartJournal } from '../parts/part-journal.ts';
import { removeTree } from './delete.ts';

/**
 * Renames a directory onto a name that may exist. The existing entry is moved aside first and restored where the
 * rename fails; a directory of an image layer cannot be moved (EXDEV) and is removed.
 * @throws FileFailure `already_exists` where the target is a mount point
 */
export async function replaceDirectory(source: FilePath, target: FilePath, journal: PartJournal): Promise<void> {
  const existing = lstatSync(target, { throwIfNoEntry: false });
  if (!existing) {
    renameSync(source, target);
    return;
  }
  const aside = journal.beginAside(target);
  try {
    if (moveAside(target, aside)) await exchange(source, target, aside);
    else {
      await removeTree(target);
      renameSync(source, target);
    }
  } finally {
    journal.end(aside);
  }
}

async function exchange(source: FilePath, target: FilePath, aside: FilePath): Promise<void> {
  try {
    renameSync(source, target);
  } catch (error) {
    renameSync(aside, target);
    throw error;
  }
  await removeTree(aside);
}

function moveAside(target: FilePath, aside: FilePath): boolean {
  try {
    renameSync(target, aside);
    return true;
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EXDEV') return false;
    if (code === 'EBUSY') throw busyMountPoint('replace', shownPath(target));
    throw error;
  }
}
