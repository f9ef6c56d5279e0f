import { lstatSync } from 'node:fs';
import { type ByteName, bytesOf } from '../../core/files/byte-name.ts';
import type { Change } from './change.ts';

/** A change with the state of its file when it was logged. */
export interface WatchEvent extends Change {
  /** Seconds since 1970; null if the file no longer exists, as are size and inode. */
  readonly mtime: number | null;
  readonly size: number | null;
  readonly inode: number | null;
}

export function absoluteName(root: ByteName, path: ByteName): ByteName {
  if (path === '') return root;
  return root === '/' ? `/${path}` : `${root}/${path}`;
}

/** The change with the present state of its file. */
export function eventOf(root: ByteName, change: Change): WatchEvent {
  const nothing = { ...change, mtime: null, size: null, inode: null };
  if (change.type === 'remove') return nothing;
  try {
    const stat = lstatSync(bytesOf(absoluteName(root, change.path)), { throwIfNoEntry: false });
    return stat === undefined ? nothing : { ...change, mtime: stat.mtimeMs / 1000, size: stat.size, inode: stat.ino };
  } catch {
    return nothing;
  }
}
