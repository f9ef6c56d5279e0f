import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { AgeClock } from '../../../core/clock/age-clock.ts';
import type { HostedProcess } from '../../../core/process/process-host.ts';
import { LineJournal, type LineTerms, readEntries } from '../../../core/records/line-journal.ts';
import { type OutputEvent, REFUSED } from '../runtime/output.ts';
import type { ExecutionEnd, ExecutionHead } from './execution-head.ts';

/** Of an execution that runs, and of one that has ended. */
export const RUNNING = '.running';
export const ENDED = '.ended';

/** Milliseconds between two executions up to which the file of the next one is opened ahead. */
const AHEAD_MS = 1000;
/** Milliseconds after which it is removed if no execution has begun. */
const UNUSED_MS = 10_000;

/** What a restarted daemon reads of an execution. */
export interface Journal {
  readonly head: ExecutionHead;
  /** The process whose interpreter runs the cell; undefined before it was known. */
  readonly processId: string | undefined;
  /** Bytes of stdin that the process had been given before the cell. */
  readonly stdinBefore: number | undefined;
  readonly outputs: readonly OutputEvent[];
  readonly end: (ExecutionEnd & { readonly at: Date }) | undefined;
}

/** The process whose interpreter runs a cell, before it is given the cell. */
export type CellProcess = Pick<HostedProcess, 'id' | 'stdinCount'>;

/** Bytes of a file that are set aside for the end of its cell on a full disk. */
const RESERVE_BYTES = 4096;

/**
 * The file of one execution, a JSON line each for its head, its process, its outputs and its end. Outputs that the disk
 * refuses are left out, and a line in their place says so.
 */
export class JournalFile {
  readonly #lines: LineJournal;
  readonly #endedPath: string;
  #isGap = false;
  /** The newest error, if the disk refused it. */
  #refusedError: OutputEvent | undefined;
  #hasEnded = false;

  constructor(lines: LineJournal, endedPath: string) {
    this.#lines = lines;
    this.#endedPath = endedPath;
  }

  /** @param process if it is known @throws the error of the system call: the cell must not begin */
  begin(head: ExecutionHead, process: CellProcess | undefined): void {
    this.#lines.append(JSON.stringify({ head, ...lineOf(process) }));
  }

  /** @throws the error of the system call: the cell must not begin */
  process(process: CellProcess): void {
    this.#lines.append(JSON.stringify(lineOf(process)), { spend: true });
  }

  output(event: OutputEvent): void {
    if (this.#hasEnded) return;
    if (this.#isGap) this.#isGap = !this.#write({ output: REFUSED });
    if (!this.#isGap) this.#isGap = !this.#write({ output: event });
    if (event.type === 'error') this.#refusedError = this.#isGap ? event : undefined;
  }

  /**
   * Writes the end and closes the file. What the end needs is part of the same write: that outputs are missing, and the
   * error if the disk refused it.
   */
  end(end: ExecutionEnd, at: Date): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const gap = this.#isGap ? [{ output: REFUSED }] : [];
    const error = this.#isGap && this.#refusedError ? [{ output: this.#refusedError }] : [];
    const last = { end: { ...end, at } };
    // A long error may be more than what is set aside.
    if (!this.#writeAtEnd([...gap, ...error, last])) this.#writeAtEnd([...gap, last]);
    try {
      this.#lines.finish(this.#endedPath);
    } catch {
      // The next daemon finds the end in the file under its first name.
    }
  }

  /** Removes the file of a cell that never began. */
  discard(): void {
    this.#hasEnded = true;
    this.#lines.remove();
  }

  #writeAtEnd(lines: readonly object[]): boolean {
    return this.#append(lines, { spend: true });
  }

  /** Returns whether the disk took it. */
  #write(line: object): boolean {
    return this.#append([line]);
  }

  #append(lines: readonly object[], terms?: LineTerms): boolean {
    try {
      this.#lines.append(lines.map((line) => JSON.stringify(line)).join('\n'), terms);
      return true;
    } catch {
      return false;
    }
  }
}

/**
 * The files of executions. While executions follow each other the next one is opened ahead, off the way of a cell; an
 * idle daemon holds none.
 */
export class JournalDirectory implements Disposable {
  readonly #path: string;
  readonly #unusedMs: number;
  #begunAt = Number.NEGATIVE_INFINITY;
  #next: LineJournal | undefined;
  #opening: NodeJS.Immediate | undefined;
  #removing: NodeJS.Timeout | undefined;

  constructor(path: string, unusedMs: number = UNUSED_MS) {
    this.#path = path;
    this.#unusedMs = unusedMs;
  }

  /** @param process if it is known @throws the error of the system call that the disk refused */
  create(head: ExecutionHead, process: CellProcess | undefined): JournalFile {
    const lines = this.#next ?? this.#open();
    this.#next = undefined;
    clearTimeout(this.#removing);
    const file = new JournalFile(lines, join(this.#path, head.id + ENDED));
    try {
      file.begin(head, process);
    } catch (error) {
      file.discard();
      throw error;
    }
    const now = performance.now();
    if (now - this.#begunAt < AHEAD_MS) this.#openAhead();
    this.#begunAt = now;
    return file;
  }

  /** That of an execution which an earlier daemon began, by its name. */
  reopen(name: string, id: string): JournalFile {
    const lines = new LineJournal(join(this.#path, name), { reserveBytes: RESERVE_BYTES });
    return new JournalFile(lines, join(this.#path, id + ENDED));
  }

  [Symbol.dispose](): void {
    if (this.#opening) clearImmediate(this.#opening);
    this.#removeNext();
  }

  #removeNext(): void {
    clearTimeout(this.#removing);
    this.#next?.remove();
    this.#next = undefined;
  }

  #openAhead(): void {
    this.#opening ??= setImmediate(() => {
      this.#opening = undefined;
      try {
        this.#next = this.#open();
        this.#removing = setTimeout(() => this.#removeNext(), this.#unusedMs).unref();
      } catch {
        // The next execution tries again, and says why.
      }
    });
  }

  #open(): LineJournal {
    const path = join(this.#path, randomUUID() + RUNNING);
    return new LineJournal(path, { reserveBytes: RESERVE_BYTES, isNew: true });
  }
}

/** Reads the file of an execution; undefined if it has no whole head. A torn last line is left out. */
export function readJournal(path: string, clock: AgeClock): Journal | undefined {
  const lines = readEntries(path).map((line) => (line ?? {}) as Line);
  const head = lines[0]?.head;
  if (head === undefined) return undefined;
  const end = lines.findLast((line) => line.end !== undefined)?.end;
  return {
    head: {
      ...head,
      startedAt: new Date(head.startedAt),
      startedTick: clock.restored(head.startedTick, head.startedAt),
    },
    processId: lines.find(({ process }) => process !== undefined)?.process,
    stdinBefore: lines.find(({ stdin }) => stdin !== undefined)?.stdin,
    outputs: lines.flatMap(({ output }) => (output ? [output] : [])),
    end: end && { ...end, at: new Date(end.at) },
  };
}

function lineOf(process: CellProcess | undefined): Pick<Line, 'process' | 'stdin'> {
  return process === undefined ? {} : { process: process.id, stdin: process.stdinCount.taken };
}

interface Line {
  readonly head?: ExecutionHead;
  readonly process?: string;
  readonly stdin?: number;
  readonly output?: OutputEvent;
  readonly end?: ExecutionEnd & { readonly at: Date };
}
