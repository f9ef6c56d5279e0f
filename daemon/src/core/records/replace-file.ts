import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoName } from '../errno-name.ts';
import { discard } from '../files/discard.ts';

export interface ReplaceTerms {
  /** When it returns, the content is on the disk, not in the memory of the system alone. */
  readonly sync?: boolean;
  /**
   * Makes a file at the path from blocks that are set aside, of at least that many bytes, for a full disk.
   * @returns whether there was one
   */
  readonly fromReserve?: (path: string, bytes: number) => boolean;
}

/**
 * Replaces a file of mode 0600 at once: a reader, and a daemon after a kill, finds the old content or the new one.
 * @throws the error of the system call; the old file is then unchanged
 */
export function replaceFile(path: string, content: string | Uint8Array, terms: ReplaceTerms = {}): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const next = `${path}.next`;
  try {
    writeNext(next, bytes, terms);
    renameSync(next, path);
  } catch (error) {
    discard(next);
    throw error;
  }
  if (terms.sync) syncDirectory(dirname(path));
}

function writeNext(next: string, bytes: Uint8Array, { sync = false, fromReserve }: ReplaceTerms): void {
  try {
    writeWhole(openSync(next, 'w', 0o600), bytes, sync);
  } catch (error) {
    if (!isFull(error)) throw error;
    discard(next);
    if (!fromReserve?.(next, bytes.length)) throw error;
    writeWhole(openSync(next, 'r+'), bytes, sync);
  }
}

/** Closes the descriptor. */
function writeWhole(fd: number, bytes: Uint8Array, sync: boolean): void {
  try {
    writeAllAt(fd, bytes, 0);
    if (sync) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** @throws the error of write(2); a part of the bytes may be in the file then */
export function writeAllAt(fd: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, position + at);
}

/** The file system or a quota has no room. */
export function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errnoName(error));
}

/** A rename is on the disk when its directory is. */
function syncDirectory(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
