import { linkSync, renameSync, type Stats, unlinkSync } from 'node:fs';
import { busyMountPoint, systemCodeOf, systemFailure } from '../../../core/files/file-failure.ts';
import { type FilePath, withoutTrailingSlashes } from '../../../core/files/file-path.ts';
import { Place } from '../../../core/files/place/place.ts';
import type { PartJournal } from '../parts/part-journal.ts';
import { type CopyTerms, copyInto, OVERWRITE_HINT, requireApart, requireSameKind } from './copy.ts';
import { removeTree } from './delete.ts';
import { replaceDirectory } from './replace-directory.ts';

/**
 * Moves a file, a link or a directory; it keeps owner, mode and times. To another file system, and from a layer
 * of an image, it is copied and then removed; `signal` ends the copy.
 * @throws FileFailure `already_exists` without `overwrite`
 */
export async function movePath(
  source: FilePath,
  destination: FilePath,
  { overwrite, owner, journal, signal }: CopyTerms,
): Promise<void> {
  const [from, to] = [withoutTrailingSlashes(source), withoutTrailingSlashes(destination)];
  using origin = Place.find(from, 'move', { follow: false });
  const stats = origin.requireExisting();
  if (!stats.isSymbolicLink()) requireApart('move', from, to);
  using place = Place.find(to, 'move', { follow: false });
  if (place.existing && !overwrite) throw systemFailure('EEXIST', 'move', place.shown, OVERWRITE_HINT);
  requireSameKind('move', stats, place.existing, destination);
  origin.requireEntry();
  place.makeParents(owner);
  try {
    await rename(origin, place, stats, { overwrite, journal });
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EBUSY') throw busyMountPoint('move', origin.lookUp() ? origin.shown : place.shown);
    if (code !== 'EXDEV') throw error;
    await copyInto(origin, stats, place, { owner: 'keep', journal, signal });
    await removeTree(origin.at);
  }
}

async function rename(
  from: Place,
  to: Place,
  stats: Stats,
  { overwrite, journal }: { overwrite: boolean; journal: PartJournal },
): Promise<void> {
  if (to.existing?.isDirectory()) await replaceDirectory(from.at, to, journal);
  else if (overwrite || stats.isDirectory()) renameSync(from.at, to.at);
  else renameExclusively(from.at, to.at);
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
