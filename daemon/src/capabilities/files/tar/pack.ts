import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs';
import { holdsCredential } from '../../../core/access/credential-files.ts';
import { systemCodeOf } from '../../../core/files/file-failure.ts';
import {
  bytesOfPath,
  entriesInSync,
  type FilePath,
  joinPath,
  shownPath,
  withoutTrailingSlashes,
} from '../../../core/files/file-path.ts';
import { BLOCK, fits, type Header, paxRecord, writeHeader } from '../../../core/files/tar/tar-header.ts';
import { LeasePatience } from '../../../core/files/walk/unleased.ts';
import { LEASED, Unread } from '../../../core/files/walk/unread.ts';

/** Bytes that are collected before they are sent. */
const PIECE_BYTES = 512 * 1024;
const SLASH = Buffer.from('/');
const NO_LINK = Buffer.alloc(0);
const TOO_LONG = 'ENAMETOOLONG';

/** Bytes of the archive, or a wait before the next ones. */
type Piece = Buffer | Promise<unknown>;

/** Whether an entry and everything below it is excluded; its path is relative to the root. */
export type Exclude = (relative: string, name: string) => boolean;

/**
 * A directory as a tar archive in GNU's format: names are exact, links stay links, a second name of a file is a hard
 * link. FIFOs, sockets, devices and credentials of the service are skipped. A file that gets shorter during the export
 * is padded with zeros. A file that a lease keeps closed, and an entry whose path is too long for the system, are
 * skipped; a second entry of the root at the end of the archive then has their numbers as its pax comment (POSIX pax,
 * "comment").
 * With `reuse`, a piece is valid until the second one after it is read.
 */
export async function* packDirectory(
  root: FilePath,
  exclude: Exclude | undefined,
  reuse: boolean,
): AsyncGenerator<Buffer> {
  for (const piece of new Packer(exclude, reuse).pack(withoutTrailingSlashes(root))) {
    if (piece instanceof Promise) await piece;
    else yield piece;
  }
}

class Packer {
  readonly #exclude: Exclude | undefined;
  readonly #pieces: Pieces;
  /** The first name of each file with several names. */
  readonly #linked = new Map<string, Buffer>();
  readonly #patience = new LeasePatience();
  readonly #unread = new Unread();

  constructor(exclude: Exclude | undefined, reuse: boolean) {
    this.#exclude = exclude;
    this.#pieces = new Pieces(reuse);
  }

  *pack(root: FilePath): Generator<Piece> {
    yield* this.#directory(joinPath(root, '.'), Buffer.from('./'), Buffer.alloc(0));
    if (this.#unread.total > 0) yield* this.#note(root);
    yield* this.#pieces.pad(2 * BLOCK);
    const rest = this.#pieces.take();
    if (rest.length > 0) yield rest;
  }

  *#directory(path: FilePath, name: Buffer, prefix: Buffer): Generator<Piece> {
    const stats = this.#statsOf(path);
    if (!stats?.isDirectory()) return;
    yield* head(this.#pieces, { ...attributes(stats), type: '5', name });
    for (const { name, kind } of this.#entriesIn(path)) {
      if (kind === 'other') continue;
      const below = Buffer.concat([prefix, bytesOfPath(name)]);
      if (this.#exclude?.(below.toString('utf8'), shownPath(name))) continue;
      const entry = joinPath(path, name);
      if (kind === 'file') yield* this.#file(entry, below);
      else if (kind === 'symlink') yield* this.#link(entry, below);
      else yield* this.#directory(entry, Buffer.concat([below, SLASH]), Buffer.concat([below, SLASH]));
    }
  }

  *#link(path: FilePath, name: Buffer): Generator<Piece> {
    const stats = this.#statsOf(path);
    if (!stats?.isSymbolicLink()) return;
    const link = this.#known(() => readlinkSync(path, { encoding: 'buffer' }));
    if (link === undefined) return;
    yield* head(this.#pieces, { ...attributes(stats), type: '2', name, link });
  }

  *#file(path: FilePath, name: Buffer): Generator<Piece> {
    const descriptor = yield* this.#open(path);
    if (descriptor === undefined) return;
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile() || holdsCredential(descriptor)) return;
      const first = stats.nlink > 1 ? this.#linked.get(`${stats.dev}:${stats.ino}`) : undefined;
      if (first) {
        yield* head(this.#pieces, { ...attributes(stats), type: '1', name, link: first });
        return;
      }
      if (stats.nlink > 1) this.#linked.set(`${stats.dev}:${stats.ino}`, name);
      yield* head(this.#pieces, { ...attributes(stats), type: '0', name, size: stats.size });
      yield* this.#pieces.copy(descriptor, stats.size);
      yield* this.#pieces.pad((BLOCK - (stats.size % BLOCK)) % BLOCK);
    } finally {
      closeSync(descriptor);
    }
  }

  #statsOf(path: FilePath): Stats | undefined {
    return this.#known(() => lstatSync(path));
  }

  #entriesIn(path: FilePath): ReturnType<typeof entriesInSync> {
    return this.#known(() => entriesInSync(path)) ?? [];
  }

  /** Undefined for an entry that was removed or replaced during the export, and for one whose path is too long. */
  #known<T>(look: () => T): T | undefined {
    try {
      return look();
    } catch (error) {
      const code = systemCodeOf(error);
      if (code !== TOO_LONG && code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
      this.#unread.addFailure(error);
      return undefined;
    }
  }

  /** Undefined for a file that was removed or replaced, one that a lease keeps closed, and one with too long a path. */
  *#open(path: FilePath): Generator<Piece, number | undefined> {
    for (;;) {
      try {
        return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      } catch (error) {
        const code = systemCodeOf(error);
        if (code === TOO_LONG) this.#unread.add(code);
        if (code === 'ENOENT' || code === 'ELOOP' || code === TOO_LONG) return undefined;
        if (code !== LEASED) throw error;
      }
      if (this.#patience.isOver) break;
      yield this.#patience.wait();
    }
    this.#unread.add(LEASED);
    return undefined;
  }

  *#note(root: FilePath): Generator<Piece> {
    const stats = lstatSync(joinPath(root, '.'), { throwIfNoEntry: false });
    if (!stats?.isDirectory()) return;
    const { [LEASED]: leased, [TOO_LONG]: tooLong } = this.#unread.counts ?? {};
    const reasons = [
      leased && `because of leases: ${leased} files`,
      tooLong && `because their paths are too long: ${tooLong} entries`,
    ];
    const text = paxRecord('comment', `left out ${reasons.filter(Boolean).join('; ')}`);
    const name = Buffer.from('./');
    yield* this.#pieces.header({ ...attributes(stats), type: 'x', name, size: text.length });
    yield* this.#pieces.bytes(text);
    yield* this.#pieces.pad((BLOCK - (text.length % BLOCK)) % BLOCK);
    yield* head(this.#pieces, { ...attributes(stats), type: '5', name });
  }
}

function attributes({ mode, uid, gid, mtimeMs }: Stats): Omit<Header, 'type' | 'name'> {
  return { link: NO_LINK, mode: mode & 0o7777, uid, gid, size: 0, mtime: Math.floor(mtimeMs / 1000) };
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

/** Collects headers and small files, and reads large files directly into the buffers that are sent. */
class Pieces {
  readonly #reuse: boolean;
  #spare: Buffer | undefined;
  #buffer: Buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #used = 0;

  constructor(reuse: boolean) {
    this.#reuse = reuse;
  }

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

  /** The collected bytes; the next ones use another buffer, because these may still wait to be sent. */
  take(): Buffer {
    const piece = this.#buffer.subarray(0, this.#used);
    const next = this.#spare ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
    this.#spare = this.#reuse ? this.#buffer : undefined;
    this.#buffer = next;
    this.#used = 0;
    return piece;
  }
}
