/** What an object of a tree is, in the form of `keeper-tree` (`docs/keeper.md`). */
export interface Entry {
  readonly kind: EntryKind;
  /** Its extended attributes are not kept: too large, or not readable. */
  readonly lacksXattrs: boolean;
  /** A byte string, one character a byte. */
  readonly name: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  /** Nanoseconds since 1970. */
  readonly mtime: bigint;
  readonly ctime: bigint;
  readonly device: bigint;
  readonly inode: bigint;
  readonly links: number;
  /** Of a device node. */
  readonly rdev: bigint;
  /** Of a symbolic link; a byte string. */
  readonly target: string;
  readonly xattrs: Buffer;
  /** The record itself. */
  readonly bytes: Buffer;
  /** Bytes of the record. */
  readonly length: number;
  /** Equal for the names of one object. */
  readonly inodeKey: string;
}

/** File, directory, symbolic link, FIFO, socket, block and character device. */
export type EntryKind = 'f' | 'd' | 'l' | 'p' | 's' | 'b' | 'c';

const NAME_AT = 6;
/** Bytes of the fields between name and target. */
const FIXED = 64;
/** Among them. */
const DEVICE_AT = 36;
const INODE_BYTES = 16;

/** The entries of a directory, which follow one another. @throws RangeError if they are not well formed */
export function entriesOf(bytes: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const entry = entryAt(bytes, at);
    entries.push(entry);
    at += entry.length;
  }
  return entries;
}

/** @throws RangeError if it is not well formed */
export function entryAt(bytes: Buffer, start: number): Entry {
  return new EntryAt(bytes, start);
}

/** As `inodeKey` of an entry. */
export function inodeKeyOf(device: bigint, inode: bigint): string {
  const bytes = Buffer.allocUnsafe(INODE_BYTES);
  bytes.writeBigUInt64LE(device, 0);
  bytes.writeBigUInt64LE(inode, 8);
  return bytes.toString('latin1');
}

/** Reads a field when it is asked for: a tree has very many entries, of which most fields are never looked at. */
class EntryAt implements Entry {
  readonly kind: EntryKind;
  readonly name: string;
  readonly length: number;
  readonly #all: Buffer;
  readonly #start: number;
  /** Where the fields of a fixed size are. */
  readonly #at: number;
  readonly #targetEnd: number;

  constructor(all: Buffer, start: number) {
    const nameStart = start + NAME_AT;
    const at = nameStart + all.readUInt32LE(start + 2);
    const targetEnd = at + FIXED + 4 + all.readUInt32LE(at + FIXED);
    const end = targetEnd + 4 + all.readUInt32LE(targetEnd);
    if (end > all.length) throw new RangeError('an entry beyond its end');
    this.kind = String.fromCharCode(all.readUInt8(start)) as EntryKind;
    this.name = all.toString('latin1', nameStart, at);
    this.length = end - start;
    this.#all = all;
    this.#start = start;
    this.#at = at;
    this.#targetEnd = targetEnd;
  }

  get lacksXattrs(): boolean {
    return (this.#all.readUInt8(this.#start + 1) & 1) !== 0;
  }

  get mode(): number {
    return this.#all.readUInt32LE(this.#at);
  }

  get uid(): number {
    return this.#all.readUInt32LE(this.#at + 4);
  }

  get gid(): number {
    return this.#all.readUInt32LE(this.#at + 8);
  }

  get size(): number {
    return this.#all.readUInt32LE(this.#at + 12) + this.#all.readUInt32LE(this.#at + 16) * 2 ** 32;
  }

  get mtime(): bigint {
    return this.#all.readBigInt64LE(this.#at + 20);
  }

  get ctime(): bigint {
    return this.#all.readBigInt64LE(this.#at + 28);
  }

  get device(): bigint {
    return this.#all.readBigUInt64LE(this.#at + DEVICE_AT);
  }

  get inode(): bigint {
    return this.#all.readBigUInt64LE(this.#at + DEVICE_AT + 8);
  }

  get inodeKey(): string {
    return this.#all.toString('latin1', this.#at + DEVICE_AT, this.#at + DEVICE_AT + INODE_BYTES);
  }

  get links(): number {
    return this.#all.readUInt32LE(this.#at + 52);
  }

  get rdev(): bigint {
    return this.#all.readBigUInt64LE(this.#at + 56);
  }

  get target(): string {
    return this.#all.toString('latin1', this.#at + FIXED + 4, this.#targetEnd);
  }

  get xattrs(): Buffer {
    return this.#all.subarray(this.#targetEnd + 4, this.#start + this.length);
  }

  get bytes(): Buffer {
    return this.#all.subarray(this.#start, this.#start + this.length);
  }
}

/** `name` in a directory of the tree, of which the root is ''. */
export function pathIn(directory: string, name: string): string {
  if (directory === '') return name;
  return name === '' ? directory : `${directory}/${name}`;
}

/** What holds the path; '' for what is in the root. */
export function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
