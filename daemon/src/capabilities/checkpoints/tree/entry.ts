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
}

/** File, directory, symbolic link, FIFO, socket, block and character device. */
type EntryKind = 'f' | 'd' | 'l' | 'p' | 's' | 'b' | 'c';

const FIXED = 64;

/** The entries of a directory, which follow one another. @throws RangeError if they are not well formed */
export function entriesOf(bytes: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const entry = entryAt(bytes, at);
    entries.push(entry);
    at += entry.bytes.length;
  }
  return entries;
}

/** @throws RangeError if it is not well formed */
export function entryAt(bytes: Buffer, start: number): Entry {
  const nameStart = start + 6;
  const nameEnd = nameStart + bytes.readUInt32LE(start + 2);
  const at = nameEnd;
  const targetStart = at + FIXED + 4;
  const targetEnd = targetStart + bytes.readUInt32LE(at + FIXED);
  const xattrsStart = targetEnd + 4;
  const end = xattrsStart + bytes.readUInt32LE(targetEnd);
  if (end > bytes.length) throw new RangeError('an entry beyond its end');
  return {
    kind: String.fromCharCode(bytes.readUInt8(start)) as EntryKind,
    lacksXattrs: (bytes.readUInt8(start + 1) & 1) !== 0,
    name: bytes.toString('latin1', nameStart, nameEnd),
    mode: bytes.readUInt32LE(at),
    uid: bytes.readUInt32LE(at + 4),
    gid: bytes.readUInt32LE(at + 8),
    size: Number(bytes.readBigUInt64LE(at + 12)),
    mtime: bytes.readBigInt64LE(at + 20),
    ctime: bytes.readBigInt64LE(at + 28),
    device: bytes.readBigUInt64LE(at + 36),
    inode: bytes.readBigUInt64LE(at + 44),
    links: bytes.readUInt32LE(at + 52),
    rdev: bytes.readBigUInt64LE(at + 56),
    target: bytes.toString('latin1', targetStart, targetEnd),
    xattrs: bytes.subarray(xattrsStart, end),
    bytes: bytes.subarray(start, end),
  };
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
