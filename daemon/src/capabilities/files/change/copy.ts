import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  type Stats,
  statSync,
  symlinkSync,
} from 'node:fs';
import { requireConfined } from '../../../core/access/caller.ts';
import { holdsCredential, requireNoCredential } from '../../../core/access/credential-files.ts';
import { badRequest, notRegular, systemFailure } from '../../../core/files/file-failure.ts';
import {
  type FilePath,
  isWithin,
  joinPath,
  namesIn,
  samePath,
  shownPath,
  withoutTrailingSlashes,
} from '../../../core/files/file-path.ts';
import type { Owner } from '../../../core/files/ownership.ts';
import { type Entry, HeldDirectory } from '../../../core/files/place/held-directory.ts';
import { Place, realPathOf } from '../../../core/files/place/place.ts';
import { isLeased, LeasePatience, unleased } from '../../../core/files/walk/unleased.ts';
import { isTurnSpent, yieldToEventLoop } from '../../../core/turns.ts';
import { renameOnto } from '../parts/part-file.ts';
import type { PartJournal } from '../parts/part-journal.ts';
import { Stage } from '../parts/stage.ts';
import { kindOf } from '../read/kinds.ts';
import { requireRegular } from '../read/open-file.ts';
import { copyContent } from './copy-content.ts';
import { replaceDirectory } from './replace-directory.ts';
import { setLinkTime } from './times.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Owner of the copies: an account, or with `keep` that of each original, with its times. */
export type CopyOwner = { readonly owner: Owner | undefined } | 'keep';

export interface CopyTerms {
  readonly overwrite: boolean;
  /** Account of the copies. */
  readonly owner: Owner | undefined;
  readonly journal: PartJournal;
  /** The copy ends when it fires, and leaves nothing. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Copies a file or a directory tree; links in it stay links. The target gets its name when the copy is complete.
 * FIFOs, sockets, devices, credentials of the service and files that a lease keeps closed are skipped in a directory.
 * @returns how many were skipped
 * @throws FileFailure `already_exists` without `overwrite`, `bad_request` if the destination lies in the source
 */
export async function copyPath(
  source: FilePath,
  destination: FilePath,
  { overwrite, owner, journal, signal }: CopyTerms,
): Promise<number> {
  const stats = statSync(source);
  const target = withoutTrailingSlashes(destination);
  const existing = lstatSync(target, { throwIfNoEntry: false });
  requireApart('copy', source, target);
  if (existing && !overwrite) throw systemFailure('EEXIST', 'copy', shownPath(destination), OVERWRITE_HINT);
  requireSameKind('copy', stats, statSync(target, { throwIfNoEntry: false }), destination);
  using place = Place.find(target, 'copy', { follow: !stats.isDirectory() });
  place.makeParents(owner);
  return await copyInto({ at: source, follow: true }, stats, place, { owner: { owner }, journal, signal });
}

export const OVERWRITE_HINT = 'remove it first, or set overwrite';

/** Copies beside the target, then gives the copy its name. */
export async function copyInto(
  source: Source,
  stats: Stats,
  place: Entry & { readonly shown: string },
  { owner, journal, signal }: { owner: CopyOwner; journal: PartJournal; signal: AbortSignal | undefined },
): Promise<number> {
  await using stage = Stage.make(place.directory, journal);
  const copying = { owner, signal, linked: new Map(), patience: new LeasePatience() };
  const skipped = await copyTree(source, stage.content, stats, copying);
  signal?.throwIfAborted();
  if (stats.isDirectory()) await replaceDirectory(stage.content, place, journal);
  else renameOnto(stage.content, place);
  return skipped;
}

/** @throws FileFailure `bad_request` if the paths are the same, or the destination lies in the source */
export function requireApart(operation: string, source: FilePath, destination: FilePath): void {
  const [from, to] = [realPathOf(source, operation), realPathOf(destination, operation)];
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
  readonly signal: AbortSignal | undefined;
  readonly patience: LeasePatience;
}

/** What is copied. An entry of a tree is not followed if a link took its name. */
interface Source {
  readonly at: FilePath;
  readonly follow?: boolean;
}

/** The copy is made if no other account can enter, so that its names stay what they are. */
async function copyTree(source: Source, target: FilePath, stats: Stats, copying: Copying): Promise<number> {
  if (stats.isSymbolicLink()) return copyLink(source.at, target, stats, copying);
  if (stats.isFile()) return copyOne(source, target, copying);
  if (!stats.isDirectory()) throw notRegular(kindOf(stats), 'copy', shownPath(source.at));
  using from = HeldDirectory.open(source.at, source);
  requireConfined(() => from.path, 'read');
  mkdirSync(target, 0o700);
  let skipped = 0;
  for (const name of await namesIn(from.base)) {
    copying.signal?.throwIfAborted();
    skipped += await copyEntry(from.at(name), joinPath(target, name), copying);
    if (isTurnSpent()) await yieldToEventLoop();
  }
  dress(target, from.stats(), copying.owner);
  return skipped;
}

async function copyEntry(at: FilePath, target: FilePath, copying: Copying): Promise<number> {
  const stats = lstatSync(at, { throwIfNoEntry: false });
  if (!stats) return 0;
  if (!stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink()) return 1;
  return copyTree({ at }, target, stats, copying);
}

function copyLink(source: FilePath, target: FilePath, stats: Stats, { owner }: Copying): number {
  symlinkSync(readlinkSync(source, { encoding: 'buffer' }), target);
  dress(target, stats, owner);
  return 0;
}

/** A moved file keeps its hard links; a copied one becomes a file for each name. */
async function copyOne(source: Source, target: FilePath, copying: Copying): Promise<number> {
  const { at, follow } = source;
  const { owner, linked, signal, patience } = copying;
  const open = (): number => openSync(at, O_RDONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
  let descriptor: number;
  try {
    descriptor = await unleased('copy', shownPath(at), open, patience);
  } catch (error) {
    // A moved tree is removed when it is copied: it moves whole or not at all.
    if (follow || owner === 'keep' || !isLeased(error)) throw error;
    return 1;
  }
  try {
    const stats = fstatSync(descriptor);
    requireRegular(stats, 'copy', at);
    if (follow || owner === 'keep') requireNoCredential(descriptor, 'copy', at);
    else if (holdsCredential(descriptor)) return 1;
    const key = owner === 'keep' && stats.nlink > 1 ? `${stats.dev}:${stats.ino}` : undefined;
    const first = key === undefined ? undefined : linked.get(key);
    if (first !== undefined) {
      linkSync(first, target);
      return 0;
    }
    await copyContent({ descriptor, at, stats }, target, signal);
    dress(target, stats, owner);
    if (key !== undefined) linked.set(key, target);
    return 0;
  } finally {
    closeSync(descriptor);
  }
}

/** Sets owner, mode and times. */
function dress(path: FilePath, stats: Stats, owner: CopyOwner): void {
  const { uid, gid } = ownerOf(stats, owner);
  if (uid !== undefined && gid !== undefined) lchownSync(path, uid, gid);
  if (!stats.isSymbolicLink()) chmodSync(path, stats.mode & 0o7777);
  if (owner === 'keep') setLinkTime(path, stats.mtimeMs / 1000, stats.atimeMs / 1000);
}

function ownerOf(stats: Stats, owner: CopyOwner): { uid?: number; gid?: number } {
  if (owner !== 'keep') return owner.owner ?? {};
  return process.geteuid?.() === 0 ? { uid: stats.uid, gid: stats.gid } : {};
}
