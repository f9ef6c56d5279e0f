import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { type ByteName, bytesOf } from '../../../core/files/byte-name.ts';
import { madeUpMounts } from '../../../core/files/directory-entries.ts';
import type { Unread } from '../../../core/files/walk/unread.ts';

export interface Found {
  /** Relative to where the walk began. */
  readonly path: ByteName;
  readonly isDirectory: boolean;
  readonly isFile: boolean;
}

/**
 * What lies below a directory, each directory's names in the order of their bytes and followed by what they hold. Links are
 * not followed, file systems that the kernel makes up not entered, directories that cannot be listed are counted.
 */
export function* walk(
  root: ByteName,
  descend: (path: ByteName, depth: number) => boolean,
  unread: Unread,
): Iterable<Found> {
  const skipped = madeUpMounts();
  const below = function* (directory: ByteName, depth: number): Iterable<Found> {
    for (const entry of sortedEntries(join(root, directory), unread)) {
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      const isDirectory = entry.isDirectory();
      yield { path, isDirectory, isFile: entry.isFile() };
      if (isDirectory && !skipped.has(join(root, path)) && descend(path, depth)) yield* below(path, depth + 1);
    }
  };
  yield* below('', 1);
}

export function join(root: ByteName, path: ByteName): ByteName {
  if (path === '') return root;
  return root === '/' ? `/${path}` : `${root}/${path}`;
}

/** Bytes; undefined if it went away, or cannot be looked at. */
export function sizeOf(path: ByteName, unread: Unread): number | undefined {
  try {
    return lstatSync(bytesOf(path), { throwIfNoEntry: false })?.size;
  } catch (error) {
    unread.addFailure(error);
    return undefined;
  }
}

function sortedEntries(path: ByteName, unread: Unread): Dirent<string>[] {
  try {
    const entries = readdirSync(bytesOf(path), { withFileTypes: true, encoding: 'latin1' });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    unread.addFailure(error);
    return [];
  }
}
