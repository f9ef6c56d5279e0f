import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs';
import { systemCodeOf } from '../../../core/files/file-failure.ts';
import {
  bytesOfPath,
  comparePaths,
  type FilePath,
  joinPath,
  namesInSync,
  withoutTrailingSlashes,
} from '../../../core/files/file-path.ts';
import { BLOCK, fits, type Header, writeHeader } from './header.ts';

/** Bytes that are gathered before they are sent. */
const PIECE_BYTES = 512 * 1024;

/** Whether an entry, and what lies in it, is left out; its path is relative to the root. */
export type Exclude = (relative: string, name: string) => boolean;

interface Entry {
  readonly path: FilePath;
  readonly name: Buffer;
  readonly stats: Stats;
}

/**
 * A directory as a tar archive in GNU's format: names are exact, links stay links, a second name of a file is a hard
 * link. FIFOs, sockets and devices are left out. A file that gets shorter while it is read is filled up with zeros.
 */
export async function* packDirectory(root: FilePath, exclude: Exclude): AsyncGenerator<Buffer> {
  const pieces = new Pieces();
  const linked = new Map<string, Buffer>();
  for (const entry of entriesOf(withoutTrailingSlashes(root), exclude)) {
    yield* packEntry(entry, pieces, linked);
  }
  yield* pieces.pad(2 * BLOCK);
  const rest = pieces.take();
  if (rest.length > 0) yield rest;
}

function* entriesOf(root: FilePath, exclude: Exclude): Generator<Entry> {
  yield { path: root, name: Buffer.from('./'), stats: lstatSync(joinPath(root, '.')) };
  yield* entriesIn(root, Buffer.alloc(0), exclude);
}

function* entriesIn(directory: FilePath, prefix: Buffer, exclude: Exclude): Generator<Entry> {
  for (const name of namesInSync(directory).sort(comparePaths)) {
    const path = joinPath(directory, name);
    const relative = Buffer.concat([prefix, bytesOfPath(name)]);
    if (exclude(relative.toString('utf8'), name.toString('utf8'))) continue;
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) continue;
    if (!stats.isDirectory()) {
      yield { path, name: relative, stats };
      continue;
    }
    const below = Buffer.concat([relative, Buffer.from('/')]);
    yield { path, name: below, stats };
    yield* entriesIn(path, below, exclude);
  }
}

function* packEntry({ path, name, stats }: Entry, pieces: Pieces, linked: Map<string, Buffer>): Generator<Buffer> {
  if (stats.isDirectory()) {
    yield* head(pieces, { ...attributes(stats), type: '5', name });
  } else if (stats.isSymbolicLink()) {
    yield* head(pieces, { ...attributes(stats), type: '2', name, link: readlinkSync(path, { encoding: 'buffer' }) });
  } else if (stats.isFile()) {
    const first = stats.nlink > 1 ? linked.get(`${stats.dev}:${stats.ino}`) : undefined;
    if (first) yield* head(pieces, { ...attributes(stats), type: '1', name, link: first });
    else yield* packFile(path, name, pieces, linked);
  }
}

function* packFile(path: FilePath, name: Buffer, pieces: Pieces, linked: Map<string, Buffer>): Generator<Buffer> {
  const descriptor = open(path);
  if (descriptor === undefined) return;
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return;
    if (stats.nlink > 1) linked.set(`${stats.dev}:${stats.ino}`, name);
    yield* head(pieces, { ...attributes(stats), type: '0', name, size: stats.size });
    yield* pieces.copy(descriptor, stats.size);
    yield* pieces.pad((BLOCK - (stats.size % BLOCK)) % BLOCK);
  } finally {
    closeSync(descriptor);
  }
}

/** Undefined for a file that is gone meanwhile. */
function open(path: FilePath): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function attributes({ mode, uid, gid, mtimeMs }: Stats): Omit<Header, 'type' | 'name'> {
  const link = Buffer.alloc(0);
  return { link, mode: mode & 0o7777, uid, gid, size: 0, mtime: Math.floor(mtimeMs / 1000) };
}

/** A header, with longer names and links in entries of their own before it (GNU's types L and K). */
function* head(pieces: Pieces, header: Header): Generator<Buffer> {
  if (!fits(header.link)) yield* longText(pieces, 'K', header.link);
  if (!fits(header.name)) yield* longText(pieces, 'L', header.name);
  yield* pieces.header(header);
}

function* longText(pieces: Pieces, type: string, text: Buffer): Generator<Buffer> {
  const size = text.length + 1;
  const [name, link] = [Buffer.from('././@LongLink'), Buffer.alloc(0)];
  yield* pieces.header({ type, name, link, mode: 0o644, uid: 0, gid: 0, size, mtime: 0 });
  yield* pieces.bytes(text);
  yield* pieces.pad(BLOCK - (text.length % BLOCK));
}

/** Gathers what is small, and reads files straight into what is sent. */
class Pieces {
  #buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #used = 0;

  *header(header: Header): Generator<Buffer> {
    if (this.#used + BLOCK > PIECE_BYTES) yield this.take();
    writeHeader(this.#buffer.subarray(this.#used, this.#used + BLOCK), header);
    this.#used += BLOCK;
  }

  *bytes(bytes: Buffer): Generator<Buffer> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#used === PIECE_BYTES) yield this.take();
      const count = bytes.copy(this.#buffer, this.#used, at);
      this.#used += count;
      at += count;
    }
  }

  *pad(count: number): Generator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#used === PIECE_BYTES) yield this.take();
      const length = Math.min(left, PIECE_BYTES - this.#used);
      this.#buffer.fill(0, this.#used, this.#used + length);
      this.#used += length;
      left -= length;
    }
  }

  *copy(descriptor: number, size: number): Generator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#used === PIECE_BYTES) yield this.take();
      const wanted = Math.min(left, PIECE_BYTES - this.#used);
      const count = readSync(descriptor, this.#buffer, this.#used, wanted, null);
      if (count === 0) {
        yield* this.pad(left);
        return;
      }
      this.#used += count;
      left -= count;
    }
  }

  /** What is gathered; the next goes into memory of its own, since this may be sent later than it is asked for. */
  take(): Buffer {
    const piece = this.#buffer.subarray(0, this.#used);
    this.#buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
    this.#used = 0;
    return piece;
  }
}
