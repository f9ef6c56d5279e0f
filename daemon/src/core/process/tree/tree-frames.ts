import { type FrameReader, FrameWriter } from '../keeper/keeper-frames.ts';

/** Frames to `keeper-tree` (`docs/keeper.md`, Trees). */
const ASK = {
  open: 36,
  walk: 37,
  read: 38,
  put: 39,
  data: 40,
  hole: 41,
  putEnd: 42,
  make: 43,
  remove: 44,
  set: 45,
} as const;

/** Frames of `keeper-tree`. */
export const SAYS = {
  opened: 100,
  directory: 101,
  walked: 102,
  content: 103,
  done: 104,
  failed: 105,
  hashes: 106,
} as const;

/** Bytes of one DATA. */
export const DATA_BYTES = 1024 * 1024;

/** Bytes of a piece of a content, which has a hash; the last one of a content has less. */
export const PIECE_BYTES = 4 * 1024 ** 2;

const DIGEST_BYTES = 32;

/** Paths and names are byte strings, one character a byte. */
export type TreePath = string;

export interface InodeId {
  readonly device: bigint;
  readonly inode: bigint;
}

export interface TreeAttributes {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Nanoseconds since 1970. */
  readonly mtime: bigint;
  readonly xattrs: Buffer;
}

/** What has to be there when a path is changed; undefined: whatever is there, `'nothing'`: no object. */
export type TreeExpected = (InodeId & { readonly ctime: bigint }) | 'nothing' | undefined;

export interface OpenTerms {
  readonly account: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] } | undefined;
  readonly root: Buffer;
  /** Of files that are not complete; a walk removes those that a kill left. */
  readonly temporaryName: string;
  readonly withheld: readonly InodeId[];
  readonly maxEntries: number;
  readonly maxStored: number;
  /** Whether pieces are hashed, if the processor has the instructions for it. */
  readonly hashes: boolean;
}

const bytesOf = (path: TreePath): Buffer => Buffer.from(path, 'latin1');

export function openFrame(terms: OpenTerms): Buffer {
  const { account, root, temporaryName, withheld, maxEntries, maxStored, hashes } = terms;
  const writer = new FrameWriter(ASK.open).flag(account !== undefined);
  if (account) {
    writer.u32(account.uid).u32(account.gid).u32(account.groups.length);
    for (const group of account.groups) writer.u32(group);
  }
  writer.text(temporaryName).u64(maxEntries).u64(maxStored).flag(hashes).u32(withheld.length);
  for (const { device, inode } of withheld) writer.u64(device).u64(inode);
  return writer.bytes(root).finish();
}

export function walkFrame(request: number, patterns: readonly string[]): Buffer {
  return new FrameWriter(ASK.walk).u32(request).texts(patterns).finish();
}

const READ_HEAD = 13;

/** A READ for each path, with the numbers from `first` on. */
export function readFrames(first: number, paths: readonly TreePath[]): Buffer {
  const bytes = Buffer.allocUnsafe(paths.reduce((sum, path) => sum + READ_HEAD + path.length, 0));
  let at = 0;
  for (const [index, path] of paths.entries()) {
    bytes.writeUInt32LE(READ_HEAD - 4 + path.length, at);
    bytes.writeUInt8(ASK.read, at + 4);
    bytes.writeUInt32LE(first + index, at + 5);
    bytes.writeUInt32LE(path.length, at + 9);
    at += READ_HEAD + bytes.write(path, at + READ_HEAD, 'latin1');
  }
  return bytes;
}

export function putFrame(request: number, path: TreePath, expected: TreeExpected, attributes: TreeAttributes): Buffer {
  const writer = new FrameWriter(ASK.put).u32(request).bytes(bytesOf(path));
  return withAttributes(withExpected(writer, expected), attributes).finish();
}

export function dataFrame(bytes: Uint8Array): Buffer {
  return new FrameWriter(ASK.data).bytes(bytes).finish();
}

export function holeFrame(length: number): Buffer {
  return new FrameWriter(ASK.hole).u64(length).finish();
}

export function putEndFrame(): Buffer {
  return new FrameWriter(ASK.putEnd).finish();
}

/** What is made: `h` is a hard link to `target`, a path of the tree; `l` a symbolic one. */
export interface MakeTerms {
  readonly kind: 'd' | 'l' | 'p' | 'b' | 'c' | 'h';
  readonly target: TreePath;
  readonly device: bigint;
}

export function makeFrame(
  request: number,
  path: TreePath,
  { kind, target, device }: MakeTerms,
  expected: TreeExpected,
  attributes: TreeAttributes,
): Buffer {
  const writer = new FrameWriter(ASK.make).u32(request).bytes(bytesOf(path)).u8(kind.charCodeAt(0));
  writer.bytes(bytesOf(target)).u64(device);
  return withAttributes(withExpected(writer, expected), attributes).finish();
}

export function removeFrame(request: number, path: TreePath, isDirectory: boolean, expected: TreeExpected): Buffer {
  const writer = new FrameWriter(ASK.remove).u32(request).bytes(bytesOf(path)).flag(isDirectory);
  return withExpected(writer, expected).finish();
}

export function setFrame(request: number, path: TreePath, expected: TreeExpected, attributes: TreeAttributes): Buffer {
  const writer = new FrameWriter(ASK.set).u32(request).bytes(bytesOf(path));
  return withAttributes(withExpected(writer, expected), attributes).finish();
}

function withExpected(writer: FrameWriter, expected: TreeExpected): FrameWriter {
  const there = expected === 'nothing' ? undefined : expected;
  writer.flag(expected !== undefined).flag(there !== undefined);
  return writer
    .u64(there?.device ?? 0n)
    .u64(there?.inode ?? 0n)
    .u64(BigInt.asUintN(64, there?.ctime ?? 0n));
}

function withAttributes(writer: FrameWriter, { mode, uid, gid, mtime, xattrs }: TreeAttributes): FrameWriter {
  return writer.u32(mode).u32(uid).u32(gid).u64(BigInt.asUintN(64, mtime)).bytes(xattrs);
}

export interface TreeExtent {
  readonly offset: number;
  readonly length: number;
}

/** The answer about one content. */
export interface TreeContent {
  /** 0, or why it cannot be read. */
  readonly errno: number;
  /** It was changed during each of its readings. */
  readonly isChanged: boolean;
  /** Where its bytes are in the file of contents. */
  readonly start: number;
  readonly length: number;
  readonly extents: readonly TreeExtent[];
  /** The SHA-256 of its pieces, a character a byte; undefined for those that were not hashed. */
  readonly digests: readonly (string | undefined)[];
  /** The entry of the file when it was read. */
  readonly entry: Buffer;
}

const NO_BYTES = Buffer.alloc(0);

/** Behind the number of the request. @param hashes those of `takeHashes`; what belongs to the content leaves them */
export function contentOf(frame: FrameReader, hashes: Map<number, string>): TreeContent {
  const errno = frame.u32();
  if (errno !== 0) return { errno, isChanged: false, start: 0, length: 0, extents: [], digests: [], entry: NO_BYTES };
  const isChanged = (frame.u8() & 1) !== 0;
  const [start, length, count] = [frame.u64(), frame.u64(), frame.u32()];
  const extents: TreeExtent[] = [];
  for (let index = 0; index < count; index += 1) extents.push({ offset: frame.u64(), length: frame.u64() });
  const digests: (string | undefined)[] = [];
  for (let at = start; at < start + length; at += PIECE_BYTES) {
    digests.push(hashes.get(at));
    hashes.delete(at);
  }
  return { errno, isChanged, start, length, extents, digests, entry: Buffer.from(frame.rest()) };
}

/** Adds the SHA-256 of pieces by where they start in the file of contents. */
export function takeHashes(frame: FrameReader, hashes: Map<number, string>): void {
  for (let left = frame.u32(); left > 0; left -= 1) {
    const start = frame.u64();
    hashes.set(start, frame.latin1(DIGEST_BYTES));
  }
}
