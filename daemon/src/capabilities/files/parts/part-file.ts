import {
  type BigIntStats,
  close,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  ftruncateSync,
  lstatSync,
  openSync,
  read,
  renameSync,
  statSync,
  unlinkSync,
  writev,
} from 'node:fs';
import { promisify } from 'node:util';
import { busyMountPoint, systemCodeOf } from '../../../core/files/file-failure.ts';
import { type FilePath, parentOf, shownPath } from '../../../core/files/file-path.ts';
import { giveDescriptor, makeDirectories, type Owner } from '../../../core/files/ownership.ts';
import { etagOf, outdate, type Precondition } from '../etag.ts';
import { requireWritable, type Written } from '../write/write.ts';
import type { PartJournal } from './part-journal.ts';

const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
/** Bytes of one read when a part is copied or hashed. */
const COPY_BYTES = 512 * 1024;
const [readAsync, writevAsync, fsyncAsync, closeAsync] = [
  promisify(read),
  promisify(writev),
  promisify(fsync),
  promisify(close),
];

export interface CommitTerms {
  readonly mode?: number | undefined;
  readonly precondition?: Precondition | undefined;
  readonly owner: Owner | undefined;
  /** Whether the content is synced to disk before the file gets its name. */
  readonly sync: boolean;
}

/** An unfinished file beside its target. It gets the target's name when committed; disposed before, it is removed. */
export class PartFile implements AsyncDisposable {
  readonly path: FilePath;
  readonly descriptor: number;
  /** Undefined for a part that outlives this object. */
  readonly #journal: PartJournal | undefined;
  #length: number;
  #isOpen = true;

  private constructor(path: FilePath, descriptor: number, length: number, journal: PartJournal | undefined) {
    this.path = path;
    this.descriptor = descriptor;
    this.#length = length;
    this.#journal = journal;
  }

  /** Creates a part in the directory of `target`, with missing parents. */
  static create(target: FilePath, owner: Owner | undefined, journal: PartJournal): PartFile {
    const directory = parentOf(target);
    const path = journal.begin(directory);
    try {
      return new PartFile(path, openNew(path, directory, owner), 0, journal);
    } catch (error) {
      journal.end(path);
      throw error;
    }
  }

  /** Opens or creates a part that outlives this object unless it is committed. */
  static resume(path: FilePath, owner: Owner | undefined): PartFile {
    makeDirectories(parentOf(path), owner);
    const descriptor = openOwn(path);
    return new PartFile(path, descriptor, Number(fstatSync(descriptor).size), undefined);
  }

  get length(): number {
    return this.#length;
  }

  /** Its content from the beginning; a piece is valid until the next one is read. */
  async *read(): AsyncGenerator<Buffer> {
    const buffer = Buffer.allocUnsafe(COPY_BYTES);
    for (let at = 0; at < this.#length; ) {
      const { bytesRead } = await readAsync(this.descriptor, buffer, 0, COPY_BYTES, at);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  truncate(length: number): void {
    ftruncateSync(this.descriptor, length);
    this.#length = length;
  }

  /** This part if it can be renamed to `target`, otherwise a copy on the same file system. */
  async beside(target: FilePath, owner: Owner | undefined, journal: PartJournal): Promise<PartFile> {
    makeDirectories(parentOf(target), owner);
    if (statSync(parentOf(target)).dev === fstatSync(this.descriptor).dev) return this;
    const copy = PartFile.create(target, owner, journal);
    for await (const bytes of this.read()) await copy.write([bytes]);
    return copy;
  }

  /** Appends the pieces; their memory can be reused afterwards. */
  async write(pieces: Buffer[]): Promise<void> {
    let rest = pieces;
    while (rest.length > 0) {
      const { bytesWritten } = await writevAsync(this.descriptor, rest, this.#length);
      this.#length += bytesWritten;
      rest = without(rest, bytesWritten);
    }
  }

  /**
   * Gives the file its name. It takes mode and owner of the file that it replaces.
   * @throws FileFailure `already_exists` where the target is a mount point; the precondition's failure
   */
  async commit(target: FilePath, { mode, precondition, owner, sync }: CommitTerms): Promise<Written> {
    const before = requireWritable(target, precondition);
    adopt(this.descriptor, before, owner, mode);
    if (before) outdate(this.descriptor, before, fstatSync(this.descriptor, { bigint: true }));
    if (sync) await fsyncAsync(this.descriptor);
    const etag = etagOf(fstatSync(this.descriptor, { bigint: true }));
    renameOnto(this.path, target);
    this.#journal?.end(this.path);
    await this.#close();
    if (sync) await syncDirectory(parentOf(target));
    return { etag, created: !before };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOpen) return;
    await this.#close();
    if (!this.#journal) return;
    unlinkQuietly(this.path);
    this.#journal.end(this.path);
  }

  async #close(): Promise<void> {
    this.#isOpen = false;
    await closeAsync(this.descriptor);
  }
}

function openNew(path: FilePath, directory: FilePath, owner: Owner | undefined): number {
  const open = (): number => openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    return open();
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  }
  makeDirectories(directory, owner);
  return open();
}

function unlinkQuietly(path: FilePath): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
  }
}

/** @throws FileFailure `already_exists` where the target is a mount point */
export function renameOnto(source: FilePath, target: FilePath): void {
  try {
    renameSync(source, target);
  } catch (error) {
    if (systemCodeOf(error) === 'EBUSY') throw busyMountPoint('write', shownPath(target));
    throw error;
  }
}

/** Sets mode and owner of the replaced file; a new file gets the owner's account and the mode of the umask. */
function adopt(
  descriptor: number,
  before: BigIntStats | undefined,
  owner: Owner | undefined,
  mode: number | undefined,
): void {
  if (before) keepOwner(descriptor, before);
  else giveDescriptor(descriptor, owner);
  fchmodSync(descriptor, mode ?? (before ? Number(before.mode) & 0o7777 : 0o666 & ~process.umask()));
}

/** Without root the owner cannot be kept: the new file belongs to the daemon's user. */
function keepOwner(descriptor: number, { uid, gid }: BigIntStats): void {
  try {
    fchownSync(descriptor, Number(uid), Number(gid));
  } catch (error) {
    if (systemCodeOf(error) !== 'EPERM') throw error;
  }
}

/** Never writes to a part of another user, who could read or change the content. */
function openOwn(path: FilePath): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats && (!stats.isFile() || stats.nlink !== 1 || stats.uid !== process.geteuid?.())) unlinkSync(path);
  const descriptor = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  const opened = fstatSync(descriptor);
  if (opened.isFile() && opened.nlink === 1 && opened.uid === process.geteuid?.()) return descriptor;
  closeSync(descriptor);
  throw Object.assign(new Error('another file took the name of the part'), { code: 'EEXIST' });
}

async function syncDirectory(path: FilePath): Promise<void> {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await fsyncAsync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function without(pieces: Buffer[], count: number): Buffer[] {
  let left = count;
  const rest: Buffer[] = [];
  for (const piece of pieces) {
    const taken = Math.min(left, piece.length);
    left -= taken;
    if (taken < piece.length) rest.push(taken === 0 ? piece : piece.subarray(taken));
  }
  return rest;
}
