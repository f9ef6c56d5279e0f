import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { errnoName } from '../errno-name.ts';
import { discard } from '../files/discard.ts';
import { type ReplaceTerms, replaceFile, writeAllAt } from './replace-file.ts';

const CLOSED = -1;
const LINE_FEED = 10;
const OPEN = constants.O_RDWR | constants.O_CREAT;

export interface JournalTerms {
  /** Bytes after the last line that stay allocated for lines that are `spent` from it on a full disk. */
  readonly reserveBytes: number;
  /** The file must not exist. */
  readonly isNew?: boolean;
}

export interface LineTerms {
  /** Whether the line may use the reserve: the end of something of which the beginning was written. */
  readonly spend?: boolean;
}

/**
 * A file of lines that outlives the daemon (`docs/records.md`): each line is written by one write(2) before the call
 * that it belongs to is answered, and is not synced. The file has zeros after its last line, allocated blocks that a
 * full disk cannot refuse. A line that the death of the daemon cut is skipped; one that the disk refuses leaves nothing.
 */
export class LineJournal implements Disposable {
  readonly #path: string;
  readonly #terms: JournalTerms;
  #fd = CLOSED;
  #isDisposed = false;
  /** Offset of the next line. */
  #end = 0;
  /** Size of the file: the bytes between are zeros. */
  #allocated = 0;
  /** Something that is not a whole line precedes the next one. */
  #isTorn = false;

  /** @throws the error of the system call, but not of a full disk: the file is then opened by the next line */
  constructor(path: string, terms: JournalTerms) {
    this.#path = path;
    this.#terms = terms;
    try {
      this.#open();
      this.#allocate(0);
    } catch (error) {
      if (!OPENED_LATER.has(errnoName(error))) throw error;
    }
  }

  /** Bytes of its lines. */
  get length(): number {
    return this.#end;
  }

  /** @throws the error of the system call, ENOSPC also if only the reserve has room; the file is then unchanged */
  append(line: string, { spend = false }: LineTerms = {}): void {
    if (this.#isDisposed) throw Object.assign(new Error(`EBADF: ${this.#path} is closed`), { code: 'EBADF' });
    if (this.#fd === CLOSED) this.#open();
    const bytes = Buffer.from(`${this.#isTorn ? '\n' : ''}${line}\n`);
    this.#require(bytes.length, spend);
    try {
      writeAllAt(this.#fd, bytes, this.#end);
    } catch (error) {
      this.#cut();
      throw error;
    }
    this.#end += bytes.length;
    this.#allocated = Math.max(this.#allocated, this.#end);
    this.#isTorn = false;
  }

  /** Fills the reserve again after a full disk. @returns whether it is whole */
  refill(): boolean {
    try {
      if (this.#fd === CLOSED) this.#open();
      this.#require(0, false);
      return true;
    } catch {
      return false;
    }
  }

  /** Leaves these lines alone in the file. @throws the error of the system call; the file is then unchanged */
  replace(lines: Iterable<string>, terms: ReplaceTerms = {}): void {
    const text = Buffer.from(Array.from(lines, (line) => `${line}\n`).join(''));
    replaceFile(this.#path, Buffer.concat([text, Buffer.alloc(this.#terms.reserveBytes)]), terms);
    this.#close();
    this.#open(text.length);
    try {
      // The old file is gone by now, so that a small disk has room for both in turn.
      this.#require(1, false);
    } catch {
      // The next line asks again.
    }
  }

  /** Removes all lines. @throws the error of the system call */
  clear(): void {
    if (this.#fd === CLOSED) return;
    if (this.#end <= this.#terms.reserveBytes) {
      // The blocks stay: a journal that is cleared often would pay for its reserve each time.
      writeAllAt(this.#fd, Buffer.alloc(this.#end), 0);
    } else {
      ftruncateSync(this.#fd, 0);
      this.#allocated = 0;
    }
    this.#end = 0;
    this.#isTorn = false;
  }

  /** Gives the file its last name. Nothing is written from now on. @throws the error of the system call */
  finish(path: string): void {
    this[Symbol.dispose]();
    renameSync(this.#path, path);
  }

  /** Removes the file. */
  remove(): void {
    this[Symbol.dispose]();
    discard(this.#path);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    if (this.#fd === CLOSED) return;
    this.#cut();
    this.#close();
  }

  /** @param end where the last line ends, if it is known */
  #open(end?: number): void {
    const { isNew = false } = this.#terms;
    this.#fd = openSync(this.#path, isNew && end === undefined ? OPEN | constants.O_EXCL : OPEN, 0o600);
    const size = fstatSync(this.#fd).size;
    const content = end === undefined && size > 0 ? readFileSync(this.#fd) : undefined;
    this.#end = end ?? (content === undefined ? 0 : lastLineOf(content));
    this.#isTorn = content !== undefined && this.#end > 0 && content[this.#end - 1] !== LINE_FEED;
    this.#allocated = size;
  }

  #close(): void {
    if (this.#fd !== CLOSED) closeSync(this.#fd);
    this.#fd = CLOSED;
  }

  /** @throws ENOSPC, EDQUOT or another error of write(2) unless that many bytes can be written now */
  #require(length: number, spend: boolean): void {
    if (this.#end + length + this.#terms.reserveBytes <= this.#allocated) return;
    try {
      this.#allocate(length);
    } catch (error) {
      if (!spend || this.#end + length > this.#allocated) throw error;
    }
  }

  /** Writes zeros after the end, twice the reserve, so that few lines pay for it. */
  #allocate(length: number): void {
    const { reserveBytes } = this.#terms;
    const wanted = this.#end + length + reserveBytes;
    const zeros = Buffer.alloc(Math.max(0, wanted + reserveBytes - this.#allocated));
    while (this.#allocated < wanted) {
      const rest = wanted + reserveBytes - this.#allocated;
      this.#allocated += writeSync(this.#fd, zeros, 0, Math.min(rest, zeros.length), this.#allocated);
    }
  }

  /** Removes what a failed write has left, and the reserve with it. */
  #cut(): void {
    try {
      ftruncateSync(this.#fd, this.#end);
      this.#allocated = this.#end;
    } catch {
      this.#isTorn = true;
    }
  }
}

/** What a later call may find mended: a full disk, and a system without descriptors or memory for one. */
const OPENED_LATER = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM', 'EINTR']);

/** The lines of a journal, oldest first, in `encoding`; none if it does not exist. @throws as `readFileSync` */
export function readLines(path: string, encoding: 'utf8' | 'latin1' = 'utf8'): string[] {
  try {
    const content = readFileSync(path);
    return content
      .toString(encoding, 0, lastLineOf(content))
      .split('\n')
      .filter((line) => line !== '');
  } catch (error) {
    if (errnoName(error) === 'ENOENT') return [];
    throw error;
  }
}

/** As `readLines`, each parsed as JSON; a line that the death of its writer cut is left out. */
export function readEntries(path: string): unknown[] {
  return readLines(path).flatMap((line) => {
    try {
      return [JSON.parse(line) as unknown];
    } catch {
      return [];
    }
  });
}

/** The offset after the last byte that is not zero. */
function lastLineOf(content: Uint8Array): number {
  let end = content.length;
  while (end > 0 && content[end - 1] === 0) end--;
  return end;
}
