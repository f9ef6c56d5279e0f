import { closeSync, openSync, read as readCallback, readSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { onAbort, pause } from '@sandbox/api/wait.ts';
import { errnoName } from '../errno-name.ts';
import { discard } from '../files/discard.ts';
import { OpenSegment } from './open-segment.ts';
import { type LogStream, outputPath } from './segment-files.ts';

/** A segment that has reached this many bytes is followed by a new one. */
export const SEGMENT_BYTES = 8 * 1024 * 1024;

const SYNC_READ_BYTES = 256 * 1024;
const EMPTY = Buffer.alloc(0);
/** Milliseconds that a reader waits for a descriptor, and between two attempts. */
const PASSING_MS = 10_000;
const PASSING_EVERY_MS = 50;
const readAsync = promisify(readCallback);

export interface Slice {
  /** Where `bytes` begin: past the asked offset where bytes were dropped, never before it. */
  readonly offset: number;
  readonly bytes: Buffer;
}

interface Segment {
  readonly start: number;
  /** Offset after its last stored byte. */
  end: number;
}

interface Waiter {
  readonly offset: number;
  readonly settle: () => void;
}

/**
 * The read side of one stream on disk (`docs/output-log.md`): any number of readers, each at an offset of its own.
 * The writer of the files, in this process or another, reports changes by `begin`, `advance`, `skip`, `dropOldest` and
 * `seal`. Memory is constant apart from the list of segments.
 */
export class ByteLog {
  readonly #directory: string;
  readonly #id: string;
  readonly #stream: LogStream;
  readonly #segments: Segment[] = [];
  readonly #waiters = new Set<Waiter>();
  readonly #followed = new OpenSegment();
  #end = 0;
  #sealed = false;
  #removed = false;
  #waking = false;

  constructor(directory: string, id: string, stream: LogStream) {
    this.#directory = directory;
    this.#id = id;
    this.#stream = stream;
  }

  /** Offset of the oldest byte that is still kept; `end` if none is. */
  get first(): number {
    return this.#segments[0]?.start ?? this.#end;
  }

  /** Offset after the last byte that was produced, those included that the disk refused. */
  get end(): number {
    return this.#end;
  }

  /** The stream has ended. */
  get sealed(): boolean {
    return this.#sealed;
  }

  /** Its files were removed; later output is counted and not kept. */
  get removed(): boolean {
    return this.#removed;
  }

  get retainedBytes(): number {
    return this.#segments.reduce((sum, { start, end }) => sum + end - start, 0);
  }

  get segmentCount(): number {
    return this.#segments.length;
  }

  /**
   * At most `limit` bytes from `offset` on, all of one segment, so that a result may be shorter than the limit and
   * never spans a gap. Up to 256 KiB are read at once, more off the event loop. At the end: no bytes, at `end`.
   * With `into`, a buffer of at least `limit` bytes, the result is a view into it; otherwise a new buffer. A caller
   * with a buffer is expected to read on: the newest segment stays open until the log has ended.
   */
  async read(offset: number, limit: number, into?: Buffer): Promise<Slice> {
    let from = Math.max(0, offset);
    for (;;) {
      const segment = this.#segments.find(({ end }) => end > from);
      if (segment === undefined) return { offset: this.#end, bytes: EMPTY };
      const at = Math.max(from, segment.start);
      const length = Math.min(limit, segment.end - at);
      if (length <= 0) return { offset: at, bytes: EMPTY };
      const bytes =
        this.#readFollowed(segment, at, length, into) ??
        (await readWhenPossible(() => readFile(this.pathOf(segment.start), at - segment.start, length, into)));
      if (bytes.length > 0) return { offset: at, bytes };
      from = segment.end;
    }
  }

  /** The contiguous bytes from `offset` on, or from the next kept byte, up to the next gap. */
  contiguousFrom(offset: number): { readonly start: number; readonly end: number } {
    const index = this.#segments.findIndex(({ end }) => end > offset);
    const first = this.#segments[index];
    if (first === undefined) return { start: this.#end, end: this.#end };
    let { end } = first;
    for (const segment of this.#segments.slice(index + 1)) {
      if (segment.start !== end) break;
      end = segment.end;
    }
    return { start: Math.max(offset, first.start), end };
  }

  /** Resolves when there are bytes past `offset`, the stream has ended, or the signal fires; never rejects. */
  advanced(offset: number, signal?: AbortSignal): Promise<void> {
    if (this.#end > offset || this.#sealed || signal?.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const settle = (): void => {
      waiting[Symbol.dispose]();
      listening?.[Symbol.dispose]();
      resolve();
    };
    const waiting = this.whenAdvanced(offset, settle);
    const listening = signal && onAbort(signal, settle);
    return promise;
  }

  /** Calls `handle` in a later turn of the event loop, once, as `advanced` resolves; disposing the answer ends that. */
  whenAdvanced(offset: number, handle: () => void): Disposable {
    const forget = (): void => void this.#waiters.delete(waiter);
    const waiter: Waiter = {
      offset,
      settle: () => {
        forget();
        handle();
      },
    };
    this.#waiters.add(waiter);
    if (this.#end > offset || this.#sealed) this.#wake();
    return { [Symbol.dispose]: forget };
  }

  /** Path of the segment that begins at `start`. */
  pathOf(start: number): string {
    return outputPath(this.#directory, this.#id, this.#stream, start);
  }

  /** A new segment file begins at `start`; bytes between the last end and `start` were dropped. Repeats are ignored. */
  begin(start: number): void {
    const newest = this.#segments.at(-1);
    if (newest !== undefined && start <= newest.start) return;
    this.#segments.push({ start, end: start });
    this.skip(start);
  }

  /** The newest segment now holds the stream up to `end`. */
  advance(end: number): void {
    const newest = this.#segments.at(-1);
    if (newest !== undefined && end > newest.end) newest.end = end;
    this.skip(end);
  }

  /** The stream now ends at `end`; bytes since the end so far were dropped. */
  skip(end: number): void {
    if (end <= this.#end) return;
    this.#end = end;
    this.#wake();
  }

  seal(): void {
    this.#sealed = true;
    this.#followed[Symbol.dispose]();
    this.#wake();
  }

  /** Unlinks the oldest segment and answers its length: 0 if none exists, or only the one being written. */
  dropOldest(): number {
    if (this.#segments.length === 1 && !this.#sealed) return 0;
    const oldest = this.#segments.shift();
    if (oldest === undefined) return 0;
    discard(this.pathOf(oldest.start));
    return oldest.end - oldest.start;
  }

  /** Segments that begin before `first` were unlinked. */
  dropBefore(first: number): void {
    const gone = this.#segments.filter(({ start }) => start < first).length;
    this.#segments.splice(0, gone);
  }

  /** Unlinks all segments; later output is not kept. */
  async remove(): Promise<void> {
    this.#removed = true;
    this.#followed[Symbol.dispose]();
    const segments = this.#segments.splice(0);
    await Promise.all(segments.map(({ start }) => rm(this.pathOf(start), { force: true })));
  }

  /** Undefined if the segment is not the followed one, or its file is gone. */
  #readFollowed(segment: Segment, at: number, length: number, into: Buffer | undefined): Buffer | undefined {
    const newest = !this.#sealed && !this.#removed && segment === this.#segments.at(-1);
    if (into === undefined || !newest || length > SYNC_READ_BYTES) return undefined;
    try {
      const count = this.#followed.read(this.pathOf(segment.start), into, length, at - segment.start);
      return into.subarray(0, count);
    } catch (error) {
      if (errnoName(error) === 'ENOENT' || isPassing(error)) return undefined;
      throw error;
    }
  }

  /** Once a turn of the event loop, however many chunks arrived in it. */
  #wake(): void {
    if (this.#waking || this.#waiters.size === 0) return;
    this.#waking = true;
    setImmediate(() => {
      this.#waking = false;
      for (const waiter of this.#waiters) {
        if (this.#end > waiter.offset || this.#sealed) waiter.settle();
      }
    });
  }
}

/** A process or a system without descriptors or memory may soon have one: no reader ends what it reads for that. */
async function readWhenPossible(read: () => Promise<Buffer>): Promise<Buffer> {
  for (const until = performance.now() + PASSING_MS; ; await pause(PASSING_EVERY_MS)) {
    try {
      return await read();
    } catch (error) {
      if (!isPassing(error) || performance.now() >= until) throw error;
    }
  }
}

function isPassing(error: unknown): boolean {
  return ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'].includes(errnoName(error));
}

/** Empty if the file is gone: the segment was dropped before a reader opened it. */
async function readFile(path: string, position: number, length: number, into?: Buffer): Promise<Buffer> {
  const fd = openIfThere(path);
  if (fd === undefined) return EMPTY;
  try {
    if (length <= SYNC_READ_BYTES) {
      const buffer = into ?? Buffer.allocUnsafe(length);
      return buffer.subarray(0, readSync(fd, buffer, 0, length, position));
    }
    const buffer = into ?? Buffer.allocUnsafeSlow(length);
    const { bytesRead } = await readAsync(fd, buffer, 0, length, position);
    return buffer.subarray(0, bytesRead);
  } finally {
    closeSync(fd);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (errnoName(error) === 'ENOENT') return undefined;
    throw error;
  }
}
