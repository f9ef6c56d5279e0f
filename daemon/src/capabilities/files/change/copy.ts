import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  linkSync,
  lstatSync,
  openSync,
  readlinkSync,
  type Stats,
  statSync,
  symlinkSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { badRequest, notRegular, systemFailure } from '../../../core/files/file-failure.ts';
import {
  type FilePath,
  isWithin,
  joinPath,
  namesIn,
  parentOf,
  samePath,
  shownPath,
  withoutTrailingSlashes,
} from '../../../core/files/file-path.ts';
import { makeDirectories, makeDirectory, type Owner } from '../../../core/files/ownership.ts';
import { isTurnSpent, yieldToEventLoop } from '../../../core/turns.ts';
import { renameOnto } from '../parts/part-file.ts';
import type { PartJournal } from '../parts/part-journal.ts';
import { kindOf } from '../read/kinds.ts';
import { realTarget } from '../write/real-target.ts';
import { removeTree } from './delete.ts';
import { replaceDirectory } from './replace-directory.ts';
import { setLinkTime, setTime } from './times.ts';

/** Owner of the copies: an account, or with `keep` that of each original, with its times. */
export type CopyOwner = { readonly owner: Owner | undefined } | 'keep';

/**
 * Copies a file or a directory tree; links in it stay links. The target gets its name when the copy is complete.
 * FIFOs, sockets and devices in a directory are skipped.
 * @returns how many were skipped
 * @throws FileFailure `already_exists` without `overwrite`, `bad_request` where the destination lies in the source
 */
export async function copyPath(
  source: FilePath,
  destination: FilePath,
  overwrite: boolean,
  owner: Owner | undefined,
  journal: PartJournal,
): Promise<number> {
  const stats = statSync(source);
  const target = withoutTrailingSlashes(destination);
  const existing = lstatSync(target, { throwIfNoEntry: false });
  requireApart('copy', source, target);
  if (existing && !overwrite) throw systemFailure('EEXIST', 'copy', shownPath(destination), OVERWRITE_HINT);
  requireSameKind('copy', stats, statSync(target, { throwIfNoEntry: false }), destination);
  makeDirectories(parentOf(target), owner);
  return copyInto(source, stats, stats.isDirectory() ? target : realTarget(target), { owner }, journal);
}

export const OVERWRITE_HINT = 'remove it first, or set overwrite';

/** Copies beside the target, then gives the copy its name. */
export async function copyInto(
  source: FilePath,
  stats: Stats,
  target: FilePath,
  owner: CopyOwner,
  journal: PartJournal,
): Promise<number> {
  const part = journal.begin(parentOf(target));
  try {
    const skipped = await copyTree(source, part, stats, { owner, linked: new Map() });
    if (stats.isDirectory()) await replaceDirectory(part, target, journal);
    else renameOnto(part, target);
    return skipped;
  } catch (error) {
    await removeTree(part);
    throw error;
  } finally {
    journal.end(part);
  }
}

/** @throws FileFailure `bad_request` where the paths are the same, or the destination lies in the source */
export function requireApart(operation: string, source: FilePath, destination: FilePath): void {
  const [from, to] = [realTarget(source), realTarget(destination)];
  const shown = shownPath(destination);
  if (samePath(from, to)) throw badRequest(`source and destination are the same: ${shown}`, operation, shown);
  if (isWithin(to, from)) throw badRequest(`the destination lies in the source: ${shown}`, operation, shown);
}

/** Only a file can replace a file, and a directory a directory. @throws FileFailure `EISDIR`, `ENOTDIR` */
export function requireSameKind(operation: string, source: Stats, existing: Stats | undefined, at: FilePath): void {
  if (!existing || source.isDirectory() === existing.isDirectory()) return;
  throw systemFailure(existing.isDirectory() ? 'EISDIR' : 'ENOTDIR', operation, shownPath(at));
}

/** State of one copy. */
interface Copying {
  readonly owner: CopyOwner;
  /** Copies of files with several names, by device and inode, so that the other names become hard links. */
  readonly linked: Map<string, FilePath>;
}

async function copyTree(source: FilePath, target: FilePath, stats: Stats, copying: Copying): Promise<number> {
  if (stats.isSymbolicLink()) return copyLink(source, target, stats, copying);
  if (stats.isFile()) return copyOne(source, target, stats, copying);
  if (!stats.isDirectory()) throw notRegular(kindOf(stats), 'copy', shownPath(source));
  makeDirectory(target, undefined, 0o700);
  let skipped = 0;
  for (const name of await namesIn(source)) {
    skipped += await copyEntry(joinPath(source, name), joinPath(target, name), copying);
    if (isTurnSpent()) await yieldToEventLoop();
  }
  dress(target, stats, copying.owner);
  return skipped;
}

async function copyEntry(source: FilePath, target: FilePath, copying: Copying): Promise<number> {
  const stats = lstatSync(source, { throwIfNoEntry: false });
  if (!stats) return 0;
  if (!stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink()) return 1;
  return copyTree(source, target, stats, copying);
}

function copyLink(source: FilePath, target: FilePath, stats: Stats, { owner }: Copying): number {
  symlinkSync(readlinkSync(source, { encoding: 'buffer' }), target);
  dress(target, stats, owner);
  return 0;
}

/** A moved file keeps its hard links; a copied one becomes a file for each name. */
async function copyOne(source: FilePath, target: FilePath, stats: Stats, { owner, linked }: Copying): Promise<number> {
  const key = owner === 'keep' && stats.nlink > 1 ? `${stats.dev}:${stats.ino}` : undefined;
  const first = key === undefined ? undefined : linked.get(key);
  if (first !== undefined) {
    linkSync(first, target);
    return 0;
  }
  await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  dressFile(target, stats, owner);
  if (key !== undefined) linked.set(key, target);
  return 0;
}

function dressFile(path: FilePath, stats: Stats, owner: CopyOwner): void {
  // Another account may have put a FIFO in place of the copy, and opening one waits for a reader.
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw systemFailure('ENXIO', 'copy', shownPath(path));
    const { uid, gid } = ownerOf(stats, owner);
    if (uid !== undefined && gid !== undefined) fchownSync(descriptor, uid, gid);
    fchmodSync(descriptor, stats.mode & 0o7777);
  } finally {
    closeSync(descriptor);
  }
  if (owner === 'keep') setTime(path, stats.mtimeMs / 1000, stats.atimeMs / 1000);
}

/** Sets owner, mode and times of a directory or a link, by path: other users cannot enter the unfinished copy. */
function dress(path: FilePath, stats: Stats, owner: CopyOwner): void {
  const { uid, gid } = ownerOf(stats, owner);
  if (uid !== undefined && gid !== undefined) lchownSync(path, uid, gid);
  if (stats.isDirectory()) chmodSync(path, stats.mode & 0o7777);
  if (owner === 'keep') setLinkTime(path, stats.mtimeMs / 1000, stats.atimeMs / 1000);
}

function ownerOf(stats: Stats, owner: CopyOwner): { uid?: number; gid?: number } {
  if (owner !== 'keep') return owner.owner ?? {};
  return process.geteuid?.() === 0 ? { uid: stats.uid, gid: stats.gid } : {};
}
