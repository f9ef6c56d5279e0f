import { linkSync, lstatSync, renameSync, type Stats, unlinkSync } from 'node:fs';
import { busyMountPoint, systemCodeOf, systemFailure } from '../../../core/files/file-failure.ts';
import { type FilePath, parentOf, shownPath, withoutTrailingSlashes } from '../../../core/files/file-path.ts';
import { makeDirectories, type Owner } from '../../../core/files/ownership.ts';
import type { PartJournal } from '../parts/part-journal.ts';
import { copyInto, OVERWRITE_HINT, requireApart, requireSameKind } from './copy.ts';
import { removeTree } from './delete.ts';
import { replaceDirectory } from './replace-directory.ts';

/**
 * Moves a file, a link or a directory; it keeps owner, mode and times. To another file system, and from a layer
 * of an image, it is copied and then removed.
 * @throws FileFailure `already_exists` without `overwrite`
 */
export async function movePath(
  source: FilePath,
  destination: FilePath,
  overwrite: boolean,
  owner: Owner | undefined,
  journal: PartJournal,
): Promise<void> {
  const [from, to] = [withoutTrailingSlashes(source), withoutTrailingSlashes(destination)];
  const stats = lstatSync(from);
  const existing = lstatSync(to, { throwIfNoEntry: false });
  if (!stats.isSymbolicLink()) requireApart('move', from, to);
  if (existing && !overwrite) throw systemFailure('EEXIST', 'move', shownPath(destination), OVERWRITE_HINT);
  requireSameKind('move', stats, existing, destination);
  makeDirectories(parentOf(to), owner);
  try {
    await rename(from, to, stats, { existing, overwrite, journal });
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EBUSY')
      throw busyMountPoint('move', shownPath(lstatSync(from, { throwIfNoEntry: false }) ? source : destination));
    if (code !== 'EXDEV') throw error;
    await copyInto(from, stats, to, 'keep', journal);
    await removeTree(from);
  }
}

async function rename(
  from: FilePath,
  to: FilePath,
  stats: Stats,
  { existing, overwrite, journal }: { existing: Stats | undefined; overwrite: boolean; journal: PartJournal },
): Promise<void> {
  if (existing?.isDirectory()) await replaceDirectory(from, to, journal);
  else if (overwrite || stats.isDirectory()) renameSync(from, to);
  else renameExclusively(from, to);
}

/**
 * Renames without replacing an existing name, which `link` refuses and Node's `rename` does not. Without hard links the
 * earlier check has to suffice.
 */
function renameExclusively(from: FilePath, to: FilePath): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EEXIST') throw error;
    renameSync(from, to);
    return;
  }
  unlinkSync(from);
}
