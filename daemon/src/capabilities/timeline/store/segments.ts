import { mkdirSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { discard } from '../../../core/files/discard.ts';
import { LineJournal, readEntries } from '../../../core/records/line-journal.ts';
import { replaceFile } from '../../../core/records/replace-file.ts';

/** Bytes of one segment, at most, and how many of them the whole has, at least. */
const SEGMENT_MAX = 1024 * 1024;
const SEGMENTS_MIN = 8;
/** Part of the file system that it takes at most, also if the option allows more: a full one refuses commands. */
const DISK_PART = 1 / 8;
/** Bytes behind the last line that a full disk cannot refuse: for the lines that say what was dropped. */
const RESERVE = 4096;
/** Bytes that a journal has behind its last line at most. */
const BEHIND = 4 * RESERVE;
const NAME = /^\d{16}\.ndjson$/;

/** A file of lines, as far as they were written at one moment. */
export interface Segment {
  readonly path: string;
  /** The number of its first line. */
  readonly first: number;
  readonly bytes: number;
}

/** Lines with the numbers of the first and the last of them. */
export interface Batch {
  readonly first: number;
  readonly lines: readonly string[];
}

/**
 * Numbered lines in files of the runtime directory, each file a journal and named by its first number. Together they
 * stay within a number of bytes: the oldest file is removed first. A full disk removes none.
 */
export class Segments implements Disposable {
  readonly #directory: string;
  readonly #maxBytes: number;
  readonly #segmentBytes: number;
  /** Oldest first, without the one that is written. */
  readonly #closed: Segment[];
  #open: { readonly path: string; readonly first: number; readonly journal: LineJournal } | undefined;
  /** What the daemon before wrote last. */
  readonly #found: { readonly next: number; readonly lastKind: string | undefined };

  /** @throws the error of the system call, but not of a full disk */
  constructor(directory: string, maxBytes: number) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#directory = directory;
    this.#maxBytes = Math.min(maxBytes, sizeOf(directory) * DISK_PART);
    this.#segmentBytes = Math.min(SEGMENT_MAX, Math.floor(this.#maxBytes / SEGMENTS_MIN));
    this.#closed = readdirSync(directory)
      .filter((name) => NAME.test(name))
      .sort()
      .map((name) => segmentOf(join(directory, name)));
    const newest = this.#closed.at(-1);
    this.#found = newest === undefined ? { next: 1, lastKind: undefined } : lastOf(newest);
    if (newest === undefined || newest.bytes >= this.#segmentBytes) return;
    this.#closed.pop();
    this.#open = { ...newest, journal: new LineJournal(newest.path, { reserveBytes: RESERVE }) };
  }

  /** The number of the first line that this daemon writes. */
  get next(): number {
    return this.#found.next;
  }

  /** The kind of the line before it; undefined: none is known. */
  get lastKind(): string | undefined {
    return this.#found.lastKind;
  }

  /** Oldest first. */
  get all(): readonly Segment[] {
    const open = this.#open;
    return open === undefined
      ? this.#closed
      : [...this.#closed, { path: open.path, first: open.first, bytes: open.journal.length }];
  }

  get bytes(): number {
    return this.all.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Writes the lines at once.
   * @param spend from the reserve, on a full disk
   * @throws the error of the system call; nothing is written then
   */
  append({ first, lines }: Batch, spend = false): void {
    const text = lines.join('\n');
    this.#journalFor(first, Buffer.byteLength(text)).append(text, { spend });
  }

  /** Keeps the state before a segment; without room the next call works it out again. */
  keepState(segment: Segment, text: string): void {
    try {
      if (this.all.some(({ first }) => first === segment.first)) replaceFile(stateFileOf(segment), text);
    } catch {
      // It is only faster with it.
    }
  }

  /** Removes all lines. */
  clear(): void {
    for (const segment of this.#closed.splice(0)) remove(segment);
    this.#open?.journal.remove();
    if (this.#open) discard(stateFileOf(this.#open));
    this.#open = undefined;
  }

  [Symbol.dispose](): void {
    this.#open?.journal[Symbol.dispose]();
  }

  #journalFor(first: number, length: number): LineJournal {
    const open = this.#open;
    if (open !== undefined && open.journal.length + length <= this.#segmentBytes) return open.journal;
    const path = join(this.#directory, `${String(first).padStart(16, '0')}.ndjson`);
    const journal = new LineJournal(path, { reserveBytes: RESERVE });
    if (open !== undefined) {
      if (!journal.refill()) {
        // Without room for another file the reserve of this one takes the lines that say so.
        journal.remove();
        return open.journal;
      }
      open.journal[Symbol.dispose]();
      this.#closed.push({ path: open.path, first: open.first, bytes: open.journal.length });
    }
    this.#open = { path, first, journal };
    this.#trim();
    return journal;
  }

  #trim(): void {
    let bytes = this.#closed.reduce((sum, segment) => sum + segment.bytes, this.#segmentBytes + BEHIND);
    while (bytes > this.#maxBytes) {
      const oldest = this.#closed.shift();
      if (oldest === undefined) return;
      bytes -= oldest.bytes;
      remove(oldest);
    }
  }
}

/** The file with the state before the segment. */
export function stateFileOf({ path }: Pick<Segment, 'path'>): string {
  return `${path}.state`;
}

function remove(segment: Segment): void {
  discard(segment.path);
  discard(stateFileOf(segment));
}

function segmentOf(path: string): Segment {
  return {
    path,
    first: Number.parseInt(path.slice(-'0000000000000000.ndjson'.length), 10),
    bytes: statSync(path).size,
  };
}

/** A line that the death of its writer cut counts as not written: no reader has seen it. */
function lastOf({ path, first }: Segment): { next: number; lastKind: string | undefined } {
  const last = readEntries(path).at(-1) as { readonly seq?: unknown; readonly kind?: unknown } | undefined;
  const { seq, kind } = last ?? {};
  return { next: typeof seq === 'number' ? seq + 1 : first, lastKind: typeof kind === 'string' ? kind : undefined };
}

/** Bytes of the file system; infinite if the system does not say. */
function sizeOf(directory: string): number {
  const { bsize, blocks } = statfsSync(directory);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bsize * blocks;
}
