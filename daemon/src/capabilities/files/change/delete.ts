import { lstatSync, rmdirSync, type Stats, unlinkSync } from 'node:fs';
import { badRequest, busyMountPoint, systemCodeOf, systemFailure } from '../../../core/files/file-failure.ts';
import {
  type FilePath,
  nameOf,
  namesInSync,
  shownPath,
  withoutTrailingSlashes,
} from '../../../core/files/file-path.ts';
import { HeldDirectory } from '../../../core/files/place/held-directory.ts';
import { Place } from '../../../core/files/place/place.ts';
import type { Reach } from '../../../core/files/place/reach.ts';
import { isTurnSpent, yieldToEventLoop } from '../../../core/turns.ts';

/** Directories held open at once. */
const HELD_MAX = 128;

/**
 * Removes a file, a link (not its target), an empty directory, or with `recursive` a directory tree.
 * @throws as `unlink` and `rmdir` do; `ENOTEMPTY` without `recursive`; `EBUSY` of a mount point, also of one in the tree
 */
export async function deletePath(path: FilePath, recursive: boolean): Promise<void> {
  const target = withoutTrailingSlashes(path);
  if (target === '/' || nameOf(target) === '.' || nameOf(target) === '..') {
    throw badRequest(`cannot delete ${shownPath(path)}`, 'delete', shownPath(path), 'name what lies in it');
  }
  using place = Place.find(target, 'delete', { follow: false });
  const stats = place.requireExisting();
  place.requireEntry();
  if (!stats.isDirectory() && target !== path) throw systemFailure('ENOTDIR', 'delete', shownPath(path));
  try {
    if (!stats.isDirectory()) unlinkSync(place.at);
    else if (recursive) await removeDirectory(place.at, place.reach);
    else rmdirSync(place.at);
  } catch (error) {
    if (systemCodeOf(error) === 'EBUSY') throw busyMountPoint('delete', shownPath(path));
    throw error;
  }
}

/** Removes what lies in a directory. @throws `EBUSY` of a mount point in it; what was removed before it stays removed */
export async function clearDirectory(path: FilePath): Promise<void> {
  const shown = shownPath(path);
  if (withoutTrailingSlashes(path) === '/') {
    throw badRequest(`cannot clear ${shown}`, 'delete', shown, 'name what lies in it');
  }
  using place = Place.find(path, 'delete', { follow: true });
  place.requireExisting();
  using level = new Level(HeldDirectory.open(place.at));
  try {
    await removeEntries(level, 0, place.reach);
  } catch (error) {
    if (systemCodeOf(error) === 'EBUSY') throw busyMountPoint('delete', shown);
    throw error;
  }
}

/** Removes a file or a directory tree; a missing one is not an error. */
export async function removeTree(path: FilePath): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) await removeDirectory(path);
  else if (stats) unlinkSync(path);
}

/** Removes the entries of a directory, then what has its name if that is an empty directory. */
export async function removeHeld(directory: HeldDirectory, at: FilePath): Promise<void> {
  await removeEntries(new Level(directory), 0);
  removeOne(at, rmdirSync);
}

/** Follows no link, even one that replaces a directory meanwhile. */
async function removeDirectory(at: FilePath, reach?: Reach): Promise<void> {
  using level = new Level(HeldDirectory.open(at));
  await removeEntries(level, 0, reach);
  removeOne(at, rmdirSync);
}

async function removeEntries(level: Level, depth: number, reach?: Reach): Promise<void> {
  reach?.requireEntry(level.directory);
  for (const name of namesInSync(level.directory.base)) {
    if (!removeOne(level.directory.at(name), unlinkSync)) await removeBelow(level, name, depth, reach);
    if (isTurnSpent()) await yieldToEventLoop();
  }
}

async function removeBelow(level: Level, name: FilePath, depth: number, reach?: Reach): Promise<void> {
  using below = new Level(HeldDirectory.open(level.directory.at(name)));
  const isDeep = depth >= HELD_MAX;
  if (isDeep) {
    level.close();
    // A tree may be deeper than the stack.
    await yieldToEventLoop();
  }
  await removeEntries(below, depth + 1, reach);
  if (isDeep) level.reopenFrom(below);
  removeOne(level.directory.at(name), rmdirSync);
}

/** A directory of a tree. A deep one is closed while what is below it is removed. */
class Level implements Disposable {
  directory: HeldDirectory;
  readonly #stats: Stats;

  constructor(directory: HeldDirectory) {
    this.directory = directory;
    this.#stats = directory.stats();
  }

  close(): void {
    this.directory[Symbol.dispose]();
  }

  /** @throws `EAGAIN` if the level below was moved to another directory meanwhile */
  reopenFrom(below: Level): void {
    this.directory = HeldDirectory.open(below.directory.at('..'));
    const { ino, dev } = this.directory.stats();
    if (ino === this.#stats.ino && dev === this.#stats.dev) return;
    throw Object.assign(new Error('a directory was moved while it was removed'), { code: 'EAGAIN' });
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Returns false for a directory where a file was expected. A missing entry is not an error. */
function removeOne(path: FilePath, remove: (path: FilePath) => void): boolean {
  try {
    remove(path);
  } catch (error) {
    const code = systemCodeOf(error);
    if (remove === unlinkSync && (code === 'EISDIR' || (code === 'EPERM' && isDirectory(path)))) return false;
    if (code !== 'ENOENT') throw error;
  }
  return true;
}

function isDirectory(path: FilePath): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
