import { lstatSync, rmdirSync, unlinkSync } from 'node:fs';
import { badRequest, systemCodeOf, systemFailure } from '../../../core/files/file-failure.ts';
import {
  type FilePath,
  joinPath,
  nameOf,
  namesInSync,
  parentOf,
  shownPath,
  withoutTrailingSlashes,
} from '../../../core/files/file-path.ts';
import { isTurnSpent, yieldToEventLoop } from '../../../core/turns.ts';
import { HeldDirectory } from './held-directory.ts';

/** Directories held open at once; deeper ones are reached by path. */
const HELD_MAX = 128;

/**
 * Removes a file, a link (not its target), an empty directory, or with `recursive` a directory tree.
 * @throws as `unlink` and `rmdir` do; `ENOTEMPTY` without `recursive`
 */
export async function deletePath(path: FilePath, recursive: boolean): Promise<void> {
  const target = withoutTrailingSlashes(path);
  if (target === '/' || nameOf(target) === '.' || nameOf(target) === '..') {
    throw badRequest(`cannot delete ${shownPath(path)}`, 'delete', shownPath(path), 'name what lies in it');
  }
  const isDirectory = lstatSync(target).isDirectory();
  if (!isDirectory) {
    if (target !== path) throw systemFailure('ENOTDIR', 'delete', shownPath(path));
    unlinkSync(target);
  } else if (recursive) {
    using parent = HeldDirectory.open(parentOf(target), { follow: true });
    await removeDirectory(parent.at(nameOf(target)), 0);
  } else {
    rmdirSync(target);
  }
}

/** Removes a file or a directory tree; a missing one is not an error. */
export async function removeTree(path: FilePath): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) await removeDirectory(path, 0);
  else if (stats) unlinkSync(path);
}

/** Follows no link, even one that replaces a directory meanwhile. */
async function removeDirectory(path: FilePath, depth: number): Promise<void> {
  if (depth < HELD_MAX) {
    using directory = HeldDirectory.open(path);
    await removeEntries(directory.base, depth);
  } else {
    await removeEntries(path, depth);
  }
  removeOne(path, rmdirSync);
}

async function removeEntries(directory: FilePath, depth: number): Promise<void> {
  for (const name of namesInSync(directory)) {
    const entry = joinPath(directory, name);
    if (!removeOne(entry, unlinkSync)) await removeDirectory(entry, depth + 1);
    if (isTurnSpent()) await yieldToEventLoop();
  }
}

/** Answers false for a directory where a file was expected. A missing entry is not an error. */
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
