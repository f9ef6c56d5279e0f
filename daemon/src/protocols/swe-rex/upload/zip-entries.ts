import { pipeline, Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { isTurnSpent, yieldToEventLoop } from '../../../core/turns.ts';

/** Sizes and signatures of the records of a zip (APPNOTE.TXT 4.3). */
const END = { signature: 0x06054b50, length: 22, comment: 65_535 };
const CENTRAL = { signature: 0x02014b50, length: 46 };
const LOCAL = { signature: 0x04034b50, length: 30 };
const NOT_HERE = 0xffff_ffff;
const ENTRIES_MAX = 100_000;
const CONTENT_BYTES_MAX = 4 * 1024 ** 3;
const CENTRAL_BYTES_MAX = 64 * 1024 ** 2;
const ENCRYPTED = 1;
const [STORED, DEFLATED] = [0, 8];
const [TYPE_BITS, LINK, UNIX] = [0o170_000, 0o120_000, 3];

/** Bytes of the archive from one offset to another. */
export type ReadRange = (start: number, end: number) => Promise<Buffer>;

export interface ZipEntry {
  readonly name: Buffer;
  readonly isDirectory: boolean;
  readonly mode: number;
  readonly size: number;
  readonly packed: number;
  readonly method: number;
  readonly at: number;
}

/** The entries by the central directory. @throws SandboxError `invalid`, `too_large` */
export async function readEntries(read: ReadRange, length: number): Promise<ZipEntry[]> {
  const tailAt = Math.max(0, length - END.length - END.comment);
  const tail = await read(tailAt, length);
  const end = tail.lastIndexOf(Buffer.from('504b0506', 'hex'));
  if (end < 0 || end + END.length > tail.length) throw broken('it is not a zip, or it is cut');
  const [count, size, at] = [tail.readUInt16LE(end + 10), tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (at === NOT_HERE || count === 0xffff) throw tooLarge('a zip has at most 65,534 entries and 4 GiB');
  if (count > ENTRIES_MAX || size > CENTRAL_BYTES_MAX) throw tooLarge(`the zip has over ${ENTRIES_MAX} entries`);
  if (at + size > tailAt + end) throw broken('its directory is cut');
  const central = await read(at, at + size);
  const entries: ZipEntry[] = [];
  let bytes = 0;
  for (let offset = 0; entries.length < count; ) {
    const { entry, next } = entryAt(central, offset);
    bytes += entry.size;
    if (bytes > CONTENT_BYTES_MAX) throw tooLarge('its entries have over 4 GiB');
    entries.push(entry);
    offset = next;
    if (isTurnSpent()) await yieldToEventLoop();
  }
  return entries;
}

function entryAt(central: Buffer, at: number): { readonly entry: ZipEntry; readonly next: number } {
  if (at + CENTRAL.length > central.length || central.readUInt32LE(at) !== CENTRAL.signature) {
    throw broken('its directory is damaged');
  }
  const lengths = [28, 30, 32].map((field) => central.readUInt16LE(at + field)) as [number, number, number];
  const next = at + CENTRAL.length + lengths[0] + lengths[1] + lengths[2];
  if (next > central.length) throw broken('its directory is damaged');
  const name = central.subarray(at + CENTRAL.length, at + CENTRAL.length + lengths[0]);
  const [flags, method] = [central.readUInt16LE(at + 8), central.readUInt16LE(at + 10)];
  const [packed, size] = [central.readUInt32LE(at + 20), central.readUInt32LE(at + 24)];
  const offset = central.readUInt32LE(at + 42);
  const shown = name.toString('utf8');
  if (flags & ENCRYPTED) throw broken(`an entry is encrypted: ${shown}`);
  if (method !== STORED && method !== DEFLATED) throw broken(`an entry is packed by an unknown method: ${shown}`);
  if ([packed, size, offset].includes(NOT_HERE)) throw tooLarge(`an entry has over 4 GiB: ${shown}`);
  const unix = central[at + 5] === UNIX ? central.readUInt16LE(at + 40) : 0;
  if ((unix & TYPE_BITS) === LINK) throw broken(`a link is refused: ${shown}`);
  const isDirectory = name.at(-1) === 0x2f;
  const mode = unix & 0o777 || (isDirectory ? 0o755 : 0o644);
  return { entry: { name, isDirectory, mode, size, packed, method, at: offset }, next };
}

/** The bytes of an entry, exactly as many as its entry says. @throws SandboxError `invalid` */
export async function* contentOf(entry: ZipEntry, read: ReadRange, pieceBytes: number): AsyncGenerator<Buffer> {
  const local = await read(entry.at, entry.at + LOCAL.length);
  if (local.length < LOCAL.length || local.readUInt32LE(0) !== LOCAL.signature) throw broken('an entry is damaged');
  const begin = entry.at + LOCAL.length + local.readUInt16LE(26) + local.readUInt16LE(28);
  const packed = rangeOf(read, begin, begin + entry.packed, pieceBytes);
  let left = entry.size;
  try {
    for await (const piece of entry.method === STORED ? packed : inflated(packed)) {
      left -= piece.length;
      if (left < 0) throw broken(`an entry is larger than it says: ${entry.name.toString('utf8')}`);
      yield piece;
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
      throw broken(`an entry cannot be expanded: ${error.message}`);
    }
    throw error;
  }
  if (left > 0) throw broken(`an entry is smaller than it says: ${entry.name.toString('utf8')}`);
}

async function* rangeOf(read: ReadRange, begin: number, end: number, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = begin; at < end; at += pieceBytes) {
    const piece = await read(at, Math.min(end, at + pieceBytes));
    if (piece.length === 0) throw broken('an entry is cut');
    yield piece;
  }
}

async function* inflated(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw();
  pipeline(Readable.from(packed), inflate, () => undefined);
  for await (const piece of inflate) yield piece;
}

function broken(why: string): SandboxError {
  return new SandboxError('invalid', `the zip cannot be taken: ${why}`);
}

function tooLarge(why: string): SandboxError {
  return new SandboxError('too_large', `the zip cannot be taken: ${why}`);
}
