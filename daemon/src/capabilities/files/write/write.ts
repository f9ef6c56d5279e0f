import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  type Stats,
  write as writeCallback,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { systemCodeOf, systemFailure } from '../../../core/files/file-failure.ts';
import { type FilePath, shownPath } from '../../../core/files/file-path.ts';
import { giveDescriptor, type Owner } from '../../../core/files/ownership.ts';
import { openPlain } from '../../../core/files/place/open-plain.ts';
import type { Place } from '../../../core/files/place/place.ts';
import { unleased } from '../../../core/files/walk/unleased.ts';
import { etagOf, outdate, type Precondition, requirePrecondition } from '../etag.ts';
import { requireRegular } from '../read/open-file.ts';

/** Bytes that are written synchronously, without the thread pool. */
const SYNC_BYTES = 256 * 1024;
/** Attempts if another process creates and removes the file at the same time. */
const ATTEMPTS = 8;

const { O_WRONLY, O_CREAT, O_EXCL, O_NONBLOCK, O_NOFOLLOW, O_APPEND } = constants;
const writeAsync = promisify(writeCallback);

export interface WriteTerms {
  readonly append: boolean;
  /** Permission bits; unset: an existing file keeps its own. */
  readonly mode?: number | undefined;
  readonly precondition?: Precondition | undefined;
  readonly owner: Owner | undefined;
}

export interface Written {
  readonly etag: string;
  readonly created: boolean;
}

/**
 * Writes in place: an existing file keeps its inode, mode and owner. A link that replaces the file meanwhile is not
 * followed. A lease is waited for.
 */
export async function writeInPlace(place: Place, bytes: Buffer, terms: WriteTerms): Promise<Written> {
  return await unleased('write', place.shown, () => writeTo(openTarget(place, terms), bytes, terms));
}

/** Writes in place to an existing file whose path goes through no link; undefined for any other. */
export function writePlain(path: FilePath, bytes: Buffer, terms: WriteTerms): Promise<Written> | undefined {
  const descriptor = openPlain(path, flagsOf(terms));
  if (descriptor === undefined) return undefined;
  return writeTo(checked(descriptor, shownPath(path), terms), bytes, terms);
}

async function writeTo({ descriptor, before }: Target, bytes: Buffer, terms: WriteTerms): Promise<Written> {
  try {
    if (!before) giveDescriptor(descriptor, terms.owner);
    if (!terms.append && before && before.size > 0n) ftruncateSync(descriptor, 0);
    if (isAtOnce(bytes.length)) writeAtOnce(descriptor, bytes);
    else await writeAll(descriptor, bytes);
    if (terms.mode !== undefined) fchmodSync(descriptor, terms.mode);
    const after = fstatSync(descriptor, { bigint: true });
    const isOutdated = before !== undefined && outdate(descriptor, before, after);
    return { etag: etagOf(isOutdated ? fstatSync(descriptor, { bigint: true }) : after), created: !before };
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The file that is to be replaced, checked against the precondition; undefined if none exists, or a link took its
 * name.
 * @throws FileFailure `invalid_target` unless it is a regular file, `permission_denied` beyond the reach of a link
 */
export function requireReplaceable(place: Place, precondition: Precondition | undefined): BigIntStats | undefined {
  const found = place.lookUp();
  const before = found?.isSymbolicLink() ? undefined : found;
  if (before) {
    requireRegular(before, 'write', place.shown);
    place.requireContent(before);
  }
  place.requireEntry(found);
  requirePrecondition(precondition, before && etagOf(before), place.shown);
  return before;
}

/** Whether a write of that many bytes is synchronous, so that no other call runs between its steps. */
export function isAtOnce(length: number): boolean {
  return length <= SYNC_BYTES;
}

/** Writes all bytes. @throws as `write`; a full disk may take some of them first */
export async function writeAll(descriptor: number, bytes: Buffer): Promise<void> {
  if (isAtOnce(bytes.length)) {
    writeAtOnce(descriptor, bytes);
    return;
  }
  for (let at = 0; at < bytes.length; ) {
    at += (await writeAsync(descriptor, bytes, at, bytes.length - at)).bytesWritten;
  }
}

/** Writes all bytes synchronously, where `isAtOnce` allows it. */
export function writeAtOnce(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, bytes.length - at);
}

interface Target {
  readonly descriptor: number;
  readonly before: BigIntStats | undefined;
}

/** Opens an existing file or creates one; only a file that this call created gets another owner. */
function openTarget(place: Place, terms: WriteTerms): Target {
  // A condition is judged by what is there now, not before the wait for the lock.
  let found: Stats | BigIntStats | undefined = terms.precondition ? place.lookUp() : place.existing;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const target = found ? openExisting(place, found, terms) : create(place, terms);
    if (target) return target;
    found = place.lookUp();
  }
  throw systemFailure('EAGAIN', 'write', place.shown, 'another process creates and removes the file; repeat the call');
}

/** Undefined if the file was removed, or a link took its name before. */
function openExisting(place: Place, found: Stats | BigIntStats, terms: WriteTerms): Target | undefined {
  if (found.isSymbolicLink()) return undefined;
  requireRegular(found, 'write', place.shown);
  const descriptor = openIfThere(place.at, flagsOf(terms) | O_NONBLOCK | O_NOFOLLOW);
  return descriptor === undefined ? undefined : checked(descriptor, place.shown, terms, place);
}

function flagsOf({ append }: WriteTerms): number {
  return O_WRONLY | (append ? O_APPEND : 0);
}

/** Closes the descriptor if it must not be written to. */
function checked(descriptor: number, shown: string, { precondition }: WriteTerms, place?: Place): Target {
  try {
    const before = fstatSync(descriptor, { bigint: true });
    requireRegular(before, 'write', shown);
    place?.requireContent(before);
    requirePrecondition(precondition, etagOf(before), shown);
    return { descriptor, before };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function openIfThere(path: FilePath, flags: number): number | undefined {
  try {
    return openSync(path, flags);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Undefined if another process created it. */
function create(place: Place, { owner, mode, precondition }: WriteTerms): Target | undefined {
  requirePrecondition(precondition, undefined, place.shown);
  place.makeParents(owner);
  try {
    const flags = O_WRONLY | O_CREAT | O_EXCL | O_NONBLOCK | O_NOFOLLOW;
    return { descriptor: openSync(place.at, flags, mode === undefined ? 0o666 : mode & 0o777), before: undefined };
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return undefined;
    throw error;
  }
}
