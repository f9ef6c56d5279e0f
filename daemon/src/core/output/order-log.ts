import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { errnoName } from '../errno-name.ts';
import { discard } from '../files/discard.ts';
import { OUTPUT_STREAMS, type OutputStream, outputPath } from './segment-files.ts';

const ENTRY_BYTES = 8;
const EMPTY = Buffer.alloc(0);
/** Entries of one order file. */
export const ORDER_FILE_ENTRIES = 65_536;
/** Order files that are kept; older order is forgotten. */
export const ORDER_FILES = 32;
const STDERR_BIT = 0x8000_0000;
const HIGH = 0x1_0000_0000;

/** One stream wrote up to this offset, and then the other one wrote. */
export interface Switch {
  readonly stream: OutputStream;
  readonly end: number;
}

/** The read side of the arrival order of stdout and stderr (`docs/output-log.md`). The writer calls `advance`. */
export class OrderLog {
  readonly #directory: string;
  readonly #id: string;
  #count = 0;
  #removed = false;

  constructor(directory: string, id: string) {
    this.#directory = directory;
    this.#id = id;
  }

  /** Entries that were ever written. */
  get count(): number {
    return this.#count;
  }

  get removed(): boolean {
    return this.#removed;
  }

  /** Number of the oldest file that is kept. */
  get firstFile(): number {
    return Math.max(0, this.lastFile - ORDER_FILES + 1);
  }

  get lastFile(): number {
    return Math.max(0, Math.ceil(this.#count / ORDER_FILE_ENTRIES) - 1);
  }

  advance(count: number): void {
    this.#count = count;
  }

  pathOf(file: number): string {
    return outputPath(this.#directory, this.#id, 'order', file);
  }

  /** The entries of one file after its first `skip`, oldest first; none if it is gone. */
  entries(file: number, skip = 0): Switch[] {
    const count = Math.min(ORDER_FILE_ENTRIES, this.#count - file * ORDER_FILE_ENTRIES) - skip;
    const bytes = count > 0 ? readAt(this.pathOf(file), skip * ENTRY_BYTES, count * ENTRY_BYTES) : EMPTY;
    const length = Math.floor(bytes.length / ENTRY_BYTES);
    return Array.from({ length }, (_, index) => decode(bytes, index * ENTRY_BYTES));
  }

  /** Unlinks all files; later entries are not kept. */
  async remove(): Promise<void> {
    this.#removed = true;
    if (this.#count === 0) return;
    const files = Array.from({ length: this.lastFile - this.firstFile + 1 }, (_, index) => this.firstFile + index);
    await Promise.all(files.map((file) => rm(this.pathOf(file), { force: true })));
  }
}

/** At most `length` bytes, at once: an order file has at most 512 KiB. Empty if it is gone. */
function readAt(path: string, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  try {
    const fd = openSync(path, 'r');
    try {
      return bytes.subarray(0, readSync(fd, bytes, 0, length, position));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoName(error) === 'ENOENT') return EMPTY;
    throw error;
  }
}

/** Records each change of the stream. Without an entry that the disk refuses the order is a guess; no byte is lost. */
export class OrderLogWriter {
  readonly #log: OrderLog;
  readonly #entry = Buffer.alloc(ENTRY_BYTES);
  #speaking: OutputStream | undefined;
  #fd: number | undefined;

  constructor(log: OrderLog) {
    this.#log = log;
  }

  /** `stream` is about to grow; `endOf` gives the end offsets as they are now. */
  note(stream: OutputStream, endOf: (stream: OutputStream) => number): void {
    const before = this.#speaking;
    this.#speaking = stream;
    if (before === undefined || before === stream || this.#log.removed) return;
    try {
      this.#write({ stream: before, end: endOf(before) });
    } catch {
      this.close();
      if (this.#log.count % ORDER_FILE_ENTRIES === 0) discard(this.#log.pathOf(this.#file));
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** Number of the file of the next entry. */
  get #file(): number {
    return Math.floor(this.#log.count / ORDER_FILE_ENTRIES);
  }

  #write(entry: Switch): void {
    const index = this.#log.count % ORDER_FILE_ENTRIES;
    const file = this.#file;
    if (index === 0) this.close();
    this.#fd ??= openSync(this.#log.pathOf(file), index === 0 ? 'w' : 'r+', 0o600);
    encode(this.#entry, entry);
    // At its own position, so that the next entry overwrites one that a full disk cut short.
    if (writeSync(this.#fd, this.#entry, 0, ENTRY_BYTES, index * ENTRY_BYTES) < ENTRY_BYTES) return;
    this.#log.advance(this.#log.count + 1);
    if (index === 0 && file >= ORDER_FILES) discard(this.#log.pathOf(file - ORDER_FILES));
  }
}

/** 64 bits, little-endian: bit 63 the stream that finished (1: stderr), below it its end offset. */
function encode(target: Buffer, { stream, end }: Switch): void {
  target.writeUInt32LE(end % HIGH, 0);
  target.writeUInt32LE(Math.floor(end / HIGH) + (stream === 'stderr' ? STDERR_BIT : 0), 4);
}

function decode(bytes: Buffer, at: number): Switch {
  const high = bytes.readUInt32LE(at + 4);
  const stderr = high >= STDERR_BIT;
  return {
    stream: OUTPUT_STREAMS[stderr ? 1 : 0],
    end: (stderr ? high - STDERR_BIT : high) * HIGH + bytes.readUInt32LE(at),
  };
}
