import { bytesOfPath, type FilePath, pathOfBytes } from '../../../core/files/file-path.ts';
import type { ByteSource } from './byte-source.ts';
import { BLOCK, type Header, isZero, parseHeader, TarFault } from './header.ts';

/** Bytes of a header that only says more about the next entry. */
const EXTENSION_BYTES = 1024 ** 2;
const SLASH = 0x2f;

/** One entry of an archive; its body has to be read, or skipped, before the next one is asked for. */
export interface TarEntry {
  readonly type: string;
  readonly name: FilePath;
  readonly link: FilePath;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly mtime: number;
  /** Of a file: the form of sparse files that it has, if any, which nothing here can expand. */
  readonly isSparse: boolean;
}

interface Extensions {
  name?: Buffer;
  link?: Buffer;
  readonly pax: Map<string, Buffer>;
}

/** Reads headers, with the long names of GNU and the extended headers of pax (POSIX.1-2024, pax). */
export class TarReader {
  readonly #source: ByteSource;
  readonly #global = new Map<string, Buffer>();
  #unread = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Undefined at the end of the archive. @throws TarFault where it is none, or is cut */
  async next(): Promise<TarEntry | undefined> {
    const extensions: Extensions = { pax: new Map() };
    for (;;) {
      await this.#source.skip(this.#unread);
      this.#unread = 0;
      const block = await this.#source.take(BLOCK);
      if (!block) throw new TarFault('the archive has no end');
      if (isZero(block)) return undefined;
      const header = parseHeader(block);
      if (!(await this.#extend(header, extensions))) return this.#entry(header, extensions);
    }
  }

  /** The body of the entry that came last. */
  body(): AsyncGenerator<Buffer> {
    const { size, padded } = this.#last;
    this.#unread = padded - size;
    this.#last = { size: 0, padded: 0 };
    return this.#source.pieces(size);
  }

  /** The body of a small entry in one. */
  async wholeBody(): Promise<Buffer> {
    const { size, padded } = this.#last;
    this.#unread = padded - size;
    this.#last = { size: 0, padded: 0 };
    return size === 0 ? Buffer.alloc(0) : cut(await this.#source.take(size));
  }

  #last = { size: 0, padded: 0 };

  async #extend({ type, size }: Header, extensions: Extensions): Promise<boolean> {
    if (!'LKxgV'.includes(type)) return false;
    if (size > EXTENSION_BYTES) throw new TarFault(`a header of type ${type} is over ${EXTENSION_BYTES} bytes`);
    const bytes = size === 0 ? Buffer.alloc(0) : cut(await this.#source.take(size));
    this.#unread = padded(size) - size;
    if (type === 'L') extensions.name = untilNul(bytes);
    if (type === 'K') extensions.link = untilNul(bytes);
    if (type === 'x' || type === 'g') readRecords(bytes, type === 'x' ? extensions.pax : this.#global);
    return true;
  }

  #entry(header: Header, { name, link, pax }: Extensions): TarEntry {
    const value = (key: string): Buffer | undefined => pax.get(key) ?? this.#global.get(key);
    const number = (key: string, other: number): number => {
      const text = value(key)?.toString('latin1');
      const read = text === undefined ? other : Number(text);
      if (!Number.isFinite(read)) throw new TarFault(`an extended header has no number in ${key}`);
      return read;
    };
    const path = pathOfBytes(value('path') ?? name ?? header.name);
    const isOldDirectory = header.type === '0' && bytesOfPath(path).at(-1) === SLASH;
    const type = isOldDirectory ? '5' : header.type;
    const size = 'SABCDEFGHIJMNOPQRTUWXYZ07'.includes(type) ? number('size', header.size) : 0;
    if (!Number.isSafeInteger(size) || size < 0) throw new TarFault('an entry has a size out of range');
    this.#unread = padded(size);
    this.#last = { size, padded: padded(size) };
    return {
      type,
      name: path,
      link: pathOfBytes(value('linkpath') ?? link ?? header.link),
      mode: header.mode,
      uid: number('uid', header.uid),
      gid: number('gid', header.gid),
      size,
      mtime: number('mtime', header.mtime),
      isSparse: type === 'S' || [...pax.keys()].some((key) => key.startsWith('GNU.sparse')),
    };
  }
}

function cut(bytes: Buffer | undefined): Buffer {
  if (!bytes) throw new TarFault('the archive is cut');
  return bytes;
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

function untilNul(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end));
}

/** Records of the form `length key=value\n`, where the length counts all of the record. */
function readRecords(bytes: Buffer, into: Map<string, Buffer>): void {
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = Number(bytes.toString('latin1', at, space));
    const equals = bytes.indexOf(0x3d, space);
    const end = at + length;
    if (space < 0 || equals < 0 || !(length > 0) || end > bytes.length || equals >= end || bytes[end - 1] !== 0x0a) {
      throw new TarFault('an extended header cannot be read');
    }
    into.set(bytes.toString('utf8', space + 1, equals), Buffer.from(bytes.subarray(equals + 1, end - 1)));
    at = end;
  }
}
