import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  statSync,
  write as writeCallback,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { systemCodeOf, systemFailure } from '../../../core/files/file-failure.ts';
import { type FilePath, parentOf, shownPath } from '../../../core/files/file-path.ts';
import { giveDescriptor, makeDirectories, type Owner } from '../../../core/files/ownership.ts';
import { etagOf, outdate, type Precondition, requirePrecondition } from '../etag.ts';
import { requireRegular } from '../read/open-file.ts';

/** Bytes that are written synchronously, without the thread pool. */
const SYNC_BYTES = 256 * 1024;
/** Attempts where another process creates and removes the file at the same time. */
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
 * Writes in place: an existing file keeps its inode, mode and owner. `target` has its symlinks resolved; one that
 * replaces it meanwhile is not followed.
 */
export async function writeInPlace(target: FilePath, bytes: Buffer, terms: WriteTerms): Promise<Written> {
  const { descriptor, before } = openTarget(target, terms);
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

/** The target, checked against the precondition. @throws FileFailure `invalid_target` unless it is a regular file */
export function requireWritable(
  target: FilePath,
  precondition: Precondition | undefined,
  before = statSync(target, { bigint: true, throwIfNoEntry: false }),
): BigIntStats | undefined {
  if (before) requireRegular(before, 'write', target);
  requirePrecondition(precondition, before && etagOf(before), shownPath(target));
  return before;
}

/** Whether a write of so many bytes is synchronous, so that no other call runs between its steps. */
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

/** Opens an existing file or creates one; only a file that this call created gets another owner. */
function openTarget(target: FilePath, terms: WriteTerms): { descriptor: number; before: BigIntStats | undefined } {
  const flags = O_WRONLY | O_NONBLOCK | O_NOFOLLOW | (terms.append ? O_APPEND : 0);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = requireWritable(target, terms.precondition);
    const descriptor = before ? openExisting(target, flags) : create(target, flags | O_CREAT | O_EXCL, terms);
    if (descriptor !== undefined) return { descriptor, before: before && stillRegular(descriptor, target) };
  }
  throw systemFailure(
    'EAGAIN',
    'write',
    shownPath(target),
    'another process creates and removes the file; repeat the call',
  );
}

function openExisting(target: FilePath, flags: number, mode?: number): number | undefined {
  try {
    return openSync(target, flags, mode);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function create(target: FilePath, flags: number, { owner, mode }: WriteTerms): number | undefined {
  const initial = mode === undefined ? 0o666 : mode & 0o777;
  try {
    return openSync(target, flags, initial);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EEXIST') return undefined;
    if (code !== 'ENOENT') throw error;
  }
  makeDirectories(parentOf(target), owner);
  return openExisting(target, flags, initial);
}

function stillRegular(descriptor: number, target: FilePath): BigIntStats {
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    requireRegular(stats, 'write', target);
    return stats;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
