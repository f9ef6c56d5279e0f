import { type ExtractEvents, extract } from 'tar-stream';
import { type FilePath, pathOfBytes, pathOfLatin1, shownPath } from '../file-path.ts';
import { PassedBytes } from './passed-bytes.ts';
import { type KeepsRecord, type PaxRecords, paxRecords, SPARSE } from './pax.ts';
import { TarFault } from './tar-fault.ts';
import { BLOCK } from './tar-header.ts';

/** Bytes of the stream that are passed on at once. */
const WATER_MARK = 64 * 1024;
/** Options of tar-stream: names as bytes, and formats older than POSIX. */
const OPTIONS = { filenameEncoding: 'latin1', allowUnknownFormat: true };
const TYPE_AT = 156;
/** tar-stream reads a time before 1970, which begins with 0xff, one second too late. */
const MTIME_AT = 136;
const SIZE_AT = 124;
/** The first byte of a number below zero in base 256. */
const NEGATIVE = 0xff;
/** The type of a volume label, which is not an entry. */
const VOLUME = 'V';
const VOLUMES_MAX = 100;

type Entry = ExtractEvents['entry'];

/** One entry of an archive. */
export interface TarEntry {
  readonly type: string;
  readonly name: FilePath;
  readonly link: FilePath;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  /** Seconds. */
  readonly mtime: number;
  /** In one of the formats for sparse files. */
  readonly isSparse: boolean;
  /** Of a device node. */
  readonly device: { readonly major: number; readonly minor: number };
  /** Records of extended headers, `mtime` and what the reader keeps among them. */
  readonly records: PaxRecords;
}

interface Arrival {
  readonly entry: Entry;
  /** The blocks before its body: extended headers and its header. */
  readonly headers: Buffer;
  /** Whether the archive ended before it. */
  readonly isBeyond: boolean;
}

/** Reads the entries of an archive one by one with tar-stream, and keeps the exact bytes of names. */
export class TarReader {
  readonly #extract = extract({ ...OPTIONS, highWaterMark: WATER_MARK });
  readonly #passed = new PassedBytes();
  readonly #pumped: Promise<void>;
  /** Global records for all later entries. */
  readonly #global = new Map<string, Buffer>();
  #arrival: Arrival | undefined;
  #current: Entry | undefined;
  #isOver = false;
  #fault: unknown;
  #wake: () => void = () => undefined;
  #drained: () => void = () => undefined;

  readonly #limit: number;
  readonly #overLimit: () => Error;
  readonly #keeps: KeepsRecord | undefined;
  #volumes = 0;

  /**
   * @param limit bytes of the whole stream; an entry with a larger size is refused before its body
   * @param keeps further records that entries have
   */
  constructor(source: AsyncIterable<Buffer>, limit: number, overLimit: () => Error, keeps?: KeepsRecord) {
    this.#limit = limit;
    this.#overLimit = overLimit;
    this.#keeps = keeps;
    this.#extract.on('entry', (...entry) => this.#come(entry));
    this.#extract.on('error', (error) => this.#end(new TarFault(`the archive cannot be read: ${error.message}`)));
    this.#extract.on('drain', () => this.#drained());
    this.#extract.on('close', () => this.#end(new TarFault('the archive has no end')));
    this.#pumped = this.#pump(source);
    this.#pumped.catch((error) => {
      this.#end(error);
      this.#extract.destroy(error);
    });
  }

  /** Undefined at the end of the archive; the unread rest of the previous entry is skipped. @throws TarFault */
  async next(): Promise<TarEntry | undefined> {
    for (;;) {
      const arrival = await this.#following();
      if (!arrival) return undefined;
      const entry = entryOf(arrival, this.#paxOf(arrival.headers));
      if (entry.size > this.#limit) throw this.#overLimit();
      if (entry.type !== VOLUME) return entry;
      this.#volumes += 1;
      if (this.#volumes > VOLUMES_MAX) throw new TarFault(`the archive has over ${VOLUMES_MAX} labels of volumes`);
    }
  }

  /** The body of the current entry. */
  async *body(): AsyncGenerator<Buffer> {
    const stream = this.#current?.[1];
    if (!stream) return;
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) yield piece;
    } catch (error) {
      throw this.#fault ?? error;
    }
  }

  /** The whole body of a small entry. */
  async wholeBody(): Promise<Buffer> {
    const stream = this.#current?.[1];
    if (!stream || stream.header.size === 0) return Buffer.alloc(0);
    const pieces: Buffer[] = [];
    await new Promise<void>((resolve, reject) => {
      stream.on('data', (piece) => void pieces.push(piece as Buffer));
      stream.on('end', () => resolve());
      stream.on('error', (error) => reject(this.#fault ?? error));
    });
    if (pieces.length === 1) return pieces[0] ?? Buffer.alloc(0);
    return Buffer.concat(pieces);
  }

  /** Reads to the end of the stream, so that the sender can finish its request. */
  async drain(): Promise<void> {
    await this.#pumped;
  }

  #paxOf(headers: Buffer): PaxRecords {
    if (headers.length === BLOCK) return this.#global;
    const { own, global } = paxRecords(headers, this.#keeps);
    for (const [key, value] of global) this.#global.set(key, value);
    return own.size === 0 ? this.#global : new Map([...this.#global, ...own]);
  }

  async #following(): Promise<Arrival | undefined> {
    const [, stream, goOn] = this.#current ?? [];
    this.#current = undefined;
    stream?.resume();
    goOn?.();
    while (!this.#arrival && !this.#isOver) await new Promise<void>((resolve) => (this.#wake = resolve));
    const arrival = this.#arrival;
    this.#arrival = undefined;
    if (arrival && !arrival.isBeyond) {
      this.#current = arrival.entry;
      return arrival;
    }
    this.#extract.destroy(null);
    if (this.#fault) throw this.#fault;
    return undefined;
  }

  #come(entry: Entry): void {
    const [header, stream] = entry;
    stream.on('error', () => undefined);
    const isBeyond = this.#passed.isEnded;
    const size = header.type === 'directory' ? 0 : header.size;
    this.#arrival = { entry, headers: this.#passed.headersTo(stream.offset + BLOCK, size), isBeyond };
    this.#wake();
  }

  /** Errors of tar-stream about bytes after the end are ignored. */
  #end(fault: unknown): void {
    if (!this.#isOver && !this.#passed.isEnded) this.#fault = fault;
    this.#isOver = true;
    this.#wake();
    this.#drained();
  }

  async #pump(source: AsyncIterable<Buffer>): Promise<void> {
    const iterator = source[Symbol.asyncIterator]();
    let received = 0;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      received += next.value.length;
      if (received > this.#limit) throw this.#overLimit();
      if (this.#isOver || this.#passed.isEnded) continue;
      this.#passed.add(next.value);
      const drained = new Promise<void>((resolve) => (this.#drained = resolve));
      if (!this.#extract.write(next.value)) await drained;
      if (this.#fault) return;
    }
    this.#extract.end(null);
  }
}

function entryOf({ entry: [header], headers }: Arrival, pax: PaxRecords): TarEntry {
  const block = headers.subarray(-BLOCK);
  const name = textOf(pax, 'path', header.name);
  const letter = String.fromCharCode(block[TYPE_AT] || 0x30).replace('7', '0');
  const type = letter === '0' && shownPath(name).endsWith('/') ? '5' : letter;
  return {
    type,
    name,
    link: textOf(pax, 'linkpath', header.linkname ?? ''),
    mode: bounded('mode', header.mode) & 0o7777,
    uid: numberOf(pax, 'uid', header.uid),
    gid: numberOf(pax, 'gid', header.gid),
    size: sizeOf(pax, header.size, block),
    mtime: numberOf(pax, 'mtime', header.mtime.getTime() / 1000 - (block[MTIME_AT] === NEGATIVE ? 1 : 0)),
    isSparse: type === 'S' || pax.has(SPARSE),
    device: { major: header.devmajor ?? 0, minor: header.devminor ?? 0 },
    records: pax,
  };
}

/** A record without a value cancels that of a global header. */
function textOf(pax: PaxRecords, key: string, other: string): FilePath {
  const value = pax.get(key);
  return value?.length ? pathOfBytes(value) : pathOfLatin1(other);
}

function numberOf(pax: PaxRecords, key: string, other: number): number {
  const value = pax.get(key)?.toString('latin1') ?? '';
  if (value === '') return bounded(key, other);
  return bounded(key, /^-?\d+(\.\d*)?$/.test(value) ? Number(value) : Number.NaN);
}

/** tar-stream reads the digits at the start of a record, and takes a negative size for an empty body. */
function sizeOf(pax: PaxRecords, size: number, block: Buffer): number {
  const value = pax.get('size')?.toString('latin1') ?? '';
  if (block[SIZE_AT] === NEGATIVE || (value !== '' && !/^\d+$/.test(value)))
    throw new TarFault('a header has no number in size');
  return size;
}

function bounded(key: string, value: number): number {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  throw new TarFault(`a header has no number in ${key}`);
}
