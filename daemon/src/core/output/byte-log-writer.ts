import { closeSync, openSync, writeSync } from 'node:fs';
import { discard } from '../files/discard.ts';
import { type ByteLog, SEGMENT_BYTES } from './byte-log.ts';

const MIN_SEGMENT_BYTES = 4096;
/** A disk that is full and free by turns makes short segments; this bounds the list. */
const MAX_SEGMENTS = 256;

/** Bytes of one segment: 8 MiB, or half of a cap below 16 MiB, but at least 4 KiB. */
export function segmentBytesOf(cap: number): number {
  return Math.max(MIN_SEGMENT_BYTES, Math.min(SEGMENT_BYTES, Math.floor(cap / 2)));
}

/**
 * Writes one stream to its segment files and updates its log. It never throws: bytes that the disk refuses (full, over
 * quota, too many open files, broken) are counted and dropped, and a new segment begins when writing works again.
 * Writing is synchronous: a producer cannot outrun the disk then, and nothing queues up in memory.
 */
export class ByteLogWriter {
  readonly #log: ByteLog;
  readonly #segmentBytes: number;
  readonly #cap: number;
  #fd: number | undefined;
  /** Bytes in the open segment. */
  #length = 0;

  /** `cap`: bytes that are kept at most (two segments of 4 KiB if it is smaller); at least half of it are. */
  constructor(log: ByteLog, cap: number) {
    this.#log = log;
    this.#segmentBytes = segmentBytesOf(cap);
    this.#cap = Math.max(cap, 2 * this.#segmentBytes);
  }

  write(bytes: Uint8Array): void {
    const end = this.#log.end + bytes.length;
    let rest = bytes;
    while (rest.length > 0) {
      const stored = this.#store(rest);
      if (stored === 0) break;
      this.#log.advance(this.#log.end + stored);
      rest = rest.subarray(stored);
    }
    if (rest.length === 0) return;
    this.#closeSegment();
    this.#log.skip(end);
  }

  /** The stream has ended. */
  close(): void {
    this.#closeSegment();
    this.#log.seal();
  }

  /** Number of bytes that the current segment took; 0 if the disk refuses. */
  #store(bytes: Uint8Array): number {
    if (this.#log.removed) return 0;
    if (this.#fd !== undefined && this.#length < this.#segmentBytes) return this.#append(this.#fd, bytes);
    return this.#storeInNewSegment(bytes);
  }

  #append(fd: number, bytes: Uint8Array): number {
    const stored = tryWrite(fd, bytes, Math.min(bytes.length, this.#segmentBytes - this.#length));
    this.#length += stored;
    return stored;
  }

  /** The segment counts only once a byte is in it, so that a full disk leaves no empty files. */
  #storeInNewSegment(bytes: Uint8Array): number {
    this.#closeSegment();
    this.#makeRoom();
    const start = this.#log.end;
    const fd = tryOpen(this.#log.pathOf(start));
    if (fd === undefined) return 0;
    this.#length = 0;
    const stored = this.#append(fd, bytes);
    if (stored === 0) {
      closeSync(fd);
      discard(this.#log.pathOf(start));
      return 0;
    }
    this.#fd = fd;
    this.#log.begin(start);
    return stored;
  }

  #makeRoom(): void {
    while (this.#log.retainedBytes > this.#cap - this.#segmentBytes || this.#log.segmentCount >= MAX_SEGMENTS) {
      if (this.#log.dropOldest() === 0) return;
    }
  }

  #closeSegment(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

function tryOpen(path: string): number | undefined {
  try {
    return openSync(path, 'wx', 0o600);
  } catch {
    return undefined;
  }
}

function tryWrite(fd: number, bytes: Uint8Array, length: number): number {
  try {
    return writeSync(fd, bytes, 0, length);
  } catch {
    return 0;
  }
}
