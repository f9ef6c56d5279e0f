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
  type Stats,
  unlinkSync,
  writev,
} from 'node:fs';
import { promisify } from 'node:util';
import { busyMountPoint, systemCodeOf } from '../../../core/files/file-failure.ts';
import { type FilePath, nameOf } from '../../../core/files/file-path.ts';
import { giveDescriptor, type Owner } from '../../../core/files/ownership.ts';
import type { Entry } from '../../../core/files/place/held-directory.ts';
import type { Place } from '../../../core/files/place/place.ts';
import { etagOf, outdate, type Precondition } from '../etag.ts';
import { requireReplaceable, type Written } from '../write/write.ts';
import type { PartJournal } from './part-journal.ts';

const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;
const NEW_PART = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;
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

/** A line of the journal about a part. */
interface Note {
  readonly journal: PartJournal;
  readonly path: FilePath;
}

/** An unfinished file beside its target. It gets the target's name when committed; disposed before, it is removed. */
export class PartFile implements AsyncDisposable {
  readonly descriptor: number;
  /** In the directory of a place, which has to stay open. */
  readonly #entry: Entry;
  /** Undefined for a part that outlives this object. */
  readonly #note: Note | undefined;
  #length: number;
  #isOpen = true;

  private constructor(entry: Entry, descriptor: number, note: Note | undefined) {
    this.#entry = entry;
    this.descriptor = descriptor;
    this.#length = Number(fstatSync(descriptor).size);
    this.#note = note;
  }

  /** Creates a part in the directory of `place`, with missing parents. */
  static create(place: Place, owner: Owner | undefined, journal: PartJournal): PartFile {
    place.makeParents(owner);
    const path = journal.begin(place.directoryPath);
    try {
      const entry = place.directory.entry(nameOf(path));
      return new PartFile(entry, openSync(entry.at, NEW_PART, 0o600), { journal, path });
    } catch (error) {
      journal.end(path);
      throw error;
    }
  }

  /**
   * Opens or creates a part that outlives this object unless it is committed.
   * @param inode of the part that an earlier call made; another file with its name is removed
   */
  static resume(place: Place, name: FilePath, owner: Owner | undefined, inode: number | undefined): PartFile {
    place.makeParents(owner);
    const entry = place.directory.entry(name);
    return new PartFile(entry, openOwn(entry.at, inode), undefined);
  }

  /** Tells this part from another file that takes its name. */
  get inode(): number {
    return fstatSync(this.descriptor).ino;
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

  /** This part if it can be renamed to `place`, otherwise a copy on the same file system. */
  async beside(place: Place, owner: Owner | undefined, journal: PartJournal): Promise<PartFile> {
    place.makeParents(owner);
    if (place.directory.stats().dev === fstatSync(this.descriptor).dev) return this;
    const copy = PartFile.create(place, owner, journal);
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
   * @throws FileFailure `already_exists` if the target is a mount point; the precondition's failure
   */
  async commit(place: Place, { mode, precondition, owner, sync }: CommitTerms): Promise<Written> {
    const before = requireReplaceable(place, precondition);
    adopt(this.descriptor, before, owner, mode);
    if (before) outdate(this.descriptor, before, fstatSync(this.descriptor, { bigint: true }));
    if (sync) await fsyncAsync(this.descriptor);
    const etag = etagOf(fstatSync(this.descriptor, { bigint: true }));
    renameOnto(this.#entry.at, place);
    this.#endNote();
    await this.#close();
    if (sync) await syncDirectory(place.directory.base);
    return { etag, created: !before };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOpen) return;
    await this.#close();
    if (!this.#note) return;
    unlinkQuietly(this.#entry.at);
    this.#endNote();
  }

  #endNote(): void {
    this.#note?.journal.end(this.#note.path);
  }

  async #close(): Promise<void> {
    this.#isOpen = false;
    await closeAsync(this.descriptor);
  }
}

function unlinkQuietly(path: FilePath): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
  }
}

/** @throws FileFailure `already_exists` if the target is a mount point */
export function renameOnto(source: FilePath, { at, shown }: Pick<Place, 'at' | 'shown'>): void {
  try {
    renameSync(source, at);
  } catch (error) {
    if (systemCodeOf(error) === 'EBUSY') throw busyMountPoint('write', shown);
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

/** Continues the part with this inode; another entry with its name is removed, since its account could read it. */
function openOwn(path: FilePath, inode: number | undefined): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats && isPart(stats, inode)) return openPart(path, inode);
  if (stats) unlinkSync(path);
  return openSync(path, NEW_PART, 0o600);
}

function openPart(path: FilePath, inode: number | undefined): number {
  const descriptor = openSync(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  if (isPart(fstatSync(descriptor), inode)) return descriptor;
  closeSync(descriptor);
  throw Object.assign(new Error('another file took the name of the part'), { code: 'EEXIST' });
}

function isPart(stats: Stats, inode: number | undefined): boolean {
  return stats.isFile() && stats.ino === inode && stats.nlink === 1 && stats.uid === process.geteuid?.();
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
