import { isUtf8 } from 'node:buffer';
import { BLOCK, fits, type Header, paxRecord, writeHeader } from '../../../core/files/tar/tar-header.ts';
import type { ExportedObject, FilePart } from '../engine/engine-protocol.ts';
import { pathIn } from '../tree/entry.ts';
import { paxTime, UNREAD_RECORD, xattrRecords } from './pax-records.ts';

/** Bytes that are collected before they are sent. */
const PIECE_BYTES = 256 * 1024;
/** Bytes of names of files without content in one header. */
const NAMES_BYTES = 1024 ** 2;
const NANOSECONDS = 1_000_000_000n;
const NOTHING = Buffer.alloc(0);
const OF_PAX = { type: 'x', link: NOTHING, uid: 0, gid: 0, mtime: 0, device: undefined } as const;
const TYPES: Readonly<Record<string, string>> = { f: '0', d: '5', l: '2', p: '6', c: '3', b: '4' };

/** What an archive is made of. */
interface ArchiveSource {
  /** The path and the hash of each directory. */
  readonly directories: readonly (readonly [path: string, hash: string])[];
  readonly objectsOf: (hash: string) => Promise<readonly ExportedObject[]>;
  readonly bytesOf: (parts: readonly FilePart[]) => AsyncIterable<Uint8Array>;
}

/**
 * A checkpoint as a tar archive with pax headers (POSIX.1-2024) for what a plain header cannot hold: times in
 * nanoseconds, long names, extended attributes (`SCHILY.xattr.`), sparse files (GNU 1.0). A second name of a file is a
 * hard link. Sockets, and files whose content is not known, are left out; further entries of the root at the end then
 * have their numbers as its comment, and the names of these files.
 */
export async function* exportTar(source: ArchiveSource): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of new Archive(source).parts()) {
    parts.push(part);
    length += part.length;
    if (length < PIECE_BYTES) continue;
    yield Buffer.concat(parts);
    [parts, length] = [[], 0];
  }
  yield Buffer.concat(parts);
}

class Archive {
  readonly #source: ArchiveSource;
  /** The first name of each file with several names. */
  readonly #linked = new Map<string, Buffer>();
  /** Directories whose turn is later, by their paths. */
  readonly #waiting = new Map<string, ExportedObject>();
  #sockets = 0;
  readonly #unread: string[] = [];
  #root: ExportedObject | undefined;

  constructor(source: ArchiveSource) {
    this.#source = source;
  }

  async *parts(): AsyncGenerator<Uint8Array> {
    const directories = depthFirst(this.#source.directories);
    const listed = new Set(directories.map(([path]) => path));
    for (const [directory, hash] of directories) {
      yield* this.#directory(directory);
      for (const object of await this.#source.objectsOf(hash)) {
        const path = pathIn(directory, object.name);
        if (object.name === '') yield* this.#itself(directory, object);
        else if (object.kind === 'd' && listed.has(path)) this.#waiting.set(path, object);
        else yield* this.#object(path, object);
      }
    }
    if (this.#root) yield* this.#notes(this.#root);
    yield Buffer.alloc(2 * BLOCK);
  }

  /** The root again, with what is left out: the last entry of a directory counts. */
  *#notes(root: ExportedObject): Iterable<Uint8Array> {
    if (this.#sockets + this.#unread.length === 0) return;
    const text = `left out: ${this.#sockets} sockets, ${this.#unread.length} files without content`;
    const records = [...timeRecords(root), ...xattrRecords(root.xattrs), paxRecord('comment', text)];
    const header = headerOf('./', '5', root);
    if (this.#unread.length === 0) yield* entry(header, records);
    for (const names of namesAtOnce(this.#unread)) {
      yield* entry(header, [...records, paxRecord(UNREAD_RECORD, Buffer.from(names, 'latin1'))]);
    }
  }

  /** A directory is followed by what is in it: tar sets its time after that. */
  async *#directory(path: string): AsyncGenerator<Uint8Array> {
    const object = this.#waiting.get(path);
    if (object) yield* this.#object(path, object);
    this.#waiting.delete(path);
  }

  /** The entry of a directory itself, of which only that of the root is not one of another directory too. */
  async *#itself(path: string, object: ExportedObject): AsyncGenerator<Uint8Array> {
    if (path !== '') return;
    this.#root = object;
    yield* this.#object('', object);
  }

  async *#object(path: string, object: ExportedObject): AsyncGenerator<Uint8Array> {
    const type = TYPES[object.kind];
    if (type === undefined || (type === '0' && !object.parts)) {
      if (type === undefined) this.#sockets += 1;
      else this.#unread.push(path);
      return;
    }
    const name = type === '5' ? `${path === '' ? '.' : path}/` : path;
    const header = headerOf(name, type, object);
    const first = object.link === undefined ? undefined : this.#linked.get(object.link);
    if (first) {
      yield* entry({ ...header, type: '1', link: first }, []);
      return;
    }
    if (object.link !== undefined) this.#linked.set(object.link, header.name);
    const records = [...timeRecords(object), ...xattrRecords(object.xattrs)];
    if (type !== '0') yield* entry(header, records);
    else yield* this.#file(header, records, object);
  }

  async *#file(header: Header, records: readonly Buffer[], object: ExportedObject): AsyncGenerator<Uint8Array> {
    const { parts = [], size, isSparse } = object;
    if (!isSparse) {
      yield* entry({ ...header, size }, records);
      yield* this.#bytes(parts, size);
      return;
    }
    const data = parts.filter((part) => 'hash' in part);
    const stored = data.reduce((sum, { length }) => sum + length, 0);
    const map = sparseMap(parts, size);
    const sparse = [
      paxRecord('GNU.sparse.major', '1'),
      paxRecord('GNU.sparse.minor', '0'),
      paxRecord('GNU.sparse.name', header.name),
      paxRecord('GNU.sparse.realsize', `${size}`),
    ];
    yield* entry({ ...header, size: map.length + stored }, [...records, ...sparse]);
    yield map;
    yield* this.#bytes(data, stored);
  }

  async *#bytes(parts: readonly FilePart[], length: number): AsyncGenerator<Uint8Array> {
    yield* this.#source.bytesOf(parts);
    yield padding(length);
  }
}

/** The names with a NUL after each, in parts that fit into a header. */
function* namesAtOnce(names: readonly string[]): Iterable<string> {
  let text = '';
  for (const name of names) {
    if (text.length > NAMES_BYTES) {
      yield text;
      text = '';
    }
    text += `${name}\0`;
  }
  if (text !== '') yield text;
}

/** Each directory before those below it, and these before its next sibling. */
function depthFirst(directories: ArchiveSource['directories']): ArchiveSource['directories'] {
  const keyed = directories.map((one) => ({ one, key: one[0].replaceAll('/', '\0') }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ one }) => one);
}

/** Where the data of a sparse file are: a count, then offset and length of each, a number a line, in whole blocks. */
function sparseMap(parts: readonly FilePart[], size: number): Buffer {
  const runs: { offset: number; length: number }[] = [];
  let at = 0;
  for (const part of parts) {
    const length = 'zeros' in part ? part.zeros : part.length;
    const last = runs.at(-1);
    if (!('zeros' in part)) {
      if (last && last.offset + last.length === at) last.length += length;
      else runs.push({ offset: at, length });
    }
    at += length;
  }
  const last = runs.at(-1);
  if (!last || last.offset + last.length < size) runs.push({ offset: size, length: 0 });
  const text = Buffer.from(
    [runs.length, ...runs.flatMap(({ offset, length }) => [offset, length])].join('\n').concat('\n'),
  );
  return Buffer.concat([text, padding(text.length)]);
}

function timeRecords({ mtime }: ExportedObject): Buffer[] {
  return mtime >= 0n && mtime % NANOSECONDS === 0n ? [] : [paxRecord('mtime', paxTime(mtime))];
}

/** A header, after a pax header with what it cannot hold. */
function* entry(header: Header, records: readonly Buffer[]): Iterable<Uint8Array> {
  const more = [...records, ...numberRecords(header)];
  const isBinary = [header.name, header.link].some((text) => !fits(text) && !isUtf8(text));
  if (isBinary) more.push(paxRecord('hdrcharset', 'BINARY'));
  if (!fits(header.name)) more.push(paxRecord('path', header.name));
  if (!fits(header.link)) more.push(paxRecord('linkpath', header.link));
  if (more.length > 0) {
    const body = Buffer.concat(more);
    yield headerBlock({ ...header, ...OF_PAX, size: body.length });
    yield body;
    yield padding(body.length);
  }
  yield headerBlock(header);
}

/** Numbers beyond the octal digits of a plain header. */
function numberRecords({ uid, gid, size }: Header): Buffer[] {
  const fields = { uid: [uid, 7], gid: [gid, 7], size: [size, 11] } as const;
  return Object.entries(fields)
    .filter(([, [value, digits]]) => value >= 8 ** digits)
    .map(([name, [value]]) => paxRecord(name, `${value}`));
}

function headerBlock(header: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  writeHeader(block, header);
  return block;
}

function headerOf(name: string, type: string, { mode, uid, gid, mtime, target, rdev }: ExportedObject): Header {
  const seconds = (mtime - (((mtime % NANOSECONDS) + NANOSECONDS) % NANOSECONDS)) / NANOSECONDS;
  return {
    ...{ type, mode: mode & 0o7777, uid, gid, size: 0, isPosix: true },
    name: Buffer.from(name, 'latin1'),
    link: type === '2' ? Buffer.from(target, 'latin1') : NOTHING,
    mtime: Number(seconds),
    ...((type === '3' || type === '4') && { device: deviceOf(rdev) }),
  };
}

/** As makedev(3) of Linux puts them together. */
function deviceOf(rdev: bigint): { major: number; minor: number } {
  const major = ((rdev >> 8n) & 0xfffn) | ((rdev >> 32n) & ~0xfffn);
  const minor = (rdev & 0xffn) | ((rdev >> 12n) & 0xffffff00n);
  return { major: Number(major), minor: Number(minor) };
}

function padding(length: number): Buffer {
  return Buffer.alloc((BLOCK - (length % BLOCK)) % BLOCK);
}
