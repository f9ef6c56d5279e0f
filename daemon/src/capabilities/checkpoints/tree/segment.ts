import type { TreeExtent } from '../../../core/process/tree/tree-frames.ts';
import { type Entry, entriesOf } from './entry.ts';

/** What is known of the content of one file. */
export interface Content {
  /** Hashes of its pieces of `PIECE_BYTES`, a character a byte; undefined: it could not be read. */
  readonly pieces: readonly string[] | undefined;
  /** The parts that are not holes, if it is sparse; the pieces are those of these parts, one after another. */
  readonly extents: readonly TreeExtent[] | undefined;
  /** It was written too shortly before it was read for its times to show a later change. */
  readonly isRacy: boolean;
  /** It changed during each of its readings. */
  readonly isTorn: boolean;
}

const FLAG = { read: 1, sparse: 2, racy: 4, torn: 8, linked: 16 } as const;
const HASH_BYTES = 32;
/** Flags, bytes of the entries, and the figures. */
const HEAD = 17;

/** Files of a directory, and their bytes. */
export interface Figures {
  readonly files: number;
  readonly bytes: number;
}

/** One directory of a checkpoint: its entries, and a content for each file, in their order. */
export interface Segment {
  readonly entries: readonly Entry[];
  /** By name. */
  readonly contents: ReadonlyMap<string, Content>;
}

/** The records of which a segment is made: head, entries, contents. */
export function segmentRecords({ entries, contents }: Segment): Buffer[] {
  const files = entries.filter(({ kind }) => kind === 'f');
  const racy = contents.values().some(({ isRacy }) => isRacy) ? FLAG.racy : 0;
  const linked = entries.some(({ links }) => links > 1) ? FLAG.linked : 0;
  const head = Buffer.alloc(HEAD);
  head.writeUInt8(racy | linked, 0);
  head.writeUInt32LE(
    sumOf(entries, ({ length }) => length),
    1,
  );
  head.writeUInt32LE(files.length, 5);
  head.writeBigUInt64LE(
    BigInt(
      Math.min(
        Number.MAX_SAFE_INTEGER,
        sumOf(files, ({ size }) => size),
      ),
    ),
    9,
  );
  return [head, ...entries.map(({ bytes }) => bytes), ...files.map(({ name }) => contentBytes(contents.get(name)))];
}

function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

export function figuresOf(segment: Buffer): Figures {
  return { files: segment.readUInt32LE(5), bytes: Number(segment.readBigUInt64LE(9)) };
}

/** Whether an object of it has several names. */
export function hasLinked(segment: Buffer): boolean {
  return (segment.readUInt8(0) & FLAG.linked) !== 0;
}

/** The entries of a segment, as they were walked. */
export function walkedPart(segment: Buffer): Buffer {
  return segment.subarray(HEAD, HEAD + segment.readUInt32LE(1));
}

/** Whether a content of it has to be read again. */
export function hasRacy(segment: Buffer): boolean {
  return (segment.readUInt8(0) & FLAG.racy) !== 0;
}

/** @throws RangeError if it is not well formed */
export function parseSegment(segment: Buffer): Segment {
  const walked = walkedPart(segment);
  const entries = entriesOf(walked);
  const contents = new Map<string, Content>();
  let at = HEAD + walked.length;
  for (const { kind, name } of entries) {
    if (kind !== 'f') continue;
    const { content, end } = contentAt(segment, at);
    contents.set(name, content);
    at = end;
  }
  return { entries, contents };
}

/** The same records as `segmentRecords` made it of. */
export function recordsOf(segment: Buffer): Buffer[] {
  const walked = walkedPart(segment);
  const records = [segment.subarray(0, HEAD), ...entriesOf(walked).map(({ bytes }) => bytes)];
  for (let at = HEAD + walked.length; at < segment.length; ) {
    const { end } = contentAt(segment, at);
    records.push(segment.subarray(at, end));
    at = end;
  }
  return records;
}

/** Hashes of all pieces in a segment. */
export function piecesOf(segment: Buffer): string[] {
  const pieces: string[] = [];
  for (let at = HEAD + walkedPart(segment).length; at < segment.length; ) {
    const { content, end } = contentAt(segment, at);
    pieces.push(...(content.pieces ?? []));
    at = end;
  }
  return pieces;
}

function contentBytes(content: Content | undefined): Buffer {
  const { pieces = [], extents = [], isRacy = false, isTorn = false } = content ?? {};
  const bytes = Buffer.allocUnsafe(9 + pieces.length * HASH_BYTES + extents.length * 16);
  const flags =
    (content?.pieces ? FLAG.read : 0) |
    (content?.extents ? FLAG.sparse : 0) |
    (isRacy ? FLAG.racy : 0) |
    (isTorn ? FLAG.torn : 0);
  bytes.writeUInt8(flags, 0);
  bytes.writeUInt32LE(pieces.length, 1);
  bytes.writeUInt32LE(extents.length, 5);
  let at = 9;
  for (const piece of pieces) at += bytes.write(piece, at, 'latin1');
  for (const { offset, length } of extents) {
    bytes.writeBigUInt64LE(BigInt(offset), at);
    bytes.writeBigUInt64LE(BigInt(length), at + 8);
    at += 16;
  }
  return bytes;
}

function contentAt(bytes: Buffer, start: number): { readonly content: Content; readonly end: number } {
  const flags = bytes.readUInt8(start);
  const [pieceCount, extentCount] = [bytes.readUInt32LE(start + 1), bytes.readUInt32LE(start + 5)];
  const extentsStart = start + 9 + pieceCount * HASH_BYTES;
  const end = extentsStart + extentCount * 16;
  if (end > bytes.length) throw new RangeError('a content beyond its end');
  const pieces = Array.from({ length: pieceCount }, (_, index) => {
    const at = start + 9 + index * HASH_BYTES;
    return bytes.toString('latin1', at, at + HASH_BYTES);
  });
  const extents = Array.from({ length: extentCount }, (_, index) => ({
    offset: Number(bytes.readBigUInt64LE(extentsStart + index * 16)),
    length: Number(bytes.readBigUInt64LE(extentsStart + index * 16 + 8)),
  }));
  const content = {
    pieces: flags & FLAG.read ? pieces : undefined,
    extents: flags & FLAG.sparse ? extents : undefined,
    isRacy: (flags & FLAG.racy) !== 0,
    isTorn: (flags & FLAG.torn) !== 0,
  };
  return { content, end };
}
