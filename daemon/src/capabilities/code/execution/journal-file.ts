import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputEvent } from '../runtime/output.ts';
import type { ExecutionEnd, ExecutionHead } from './execution-head.ts';

/** Of an execution that runs, and of one that has ended. */
export const RUNNING = '.running';
export const ENDED = '.ended';

/** Milliseconds between two executions up to which the file of the next one is opened ahead. */
const AHEAD_MS = 1000;

/** What a restarted daemon reads of an execution. */
export interface Journal {
  readonly head: ExecutionHead;
  /** The process whose interpreter runs the cell; undefined before it was known. */
  readonly processId: string | undefined;
  readonly outputs: readonly OutputEvent[];
  readonly end: (ExecutionEnd & { readonly at: Date }) | undefined;
}

/**
 * The file of one execution, a JSON line each for its head, its process, its outputs and its end. Lines are written at
 * once and not synced: they outlive the daemon, not the machine. A disk that refuses ends the file, not the cell.
 */
export class JournalFile {
  readonly #path: string;
  readonly #endedPath: string;
  #fd: number | undefined;

  /** @param fd of `path`; undefined where the disk refuses it */
  constructor(path: string, endedPath: string, fd: number | undefined) {
    this.#path = path;
    this.#endedPath = endedPath;
    this.#fd = fd;
  }

  /** @param process where it is known */
  begin(head: ExecutionHead, process: string | undefined): void {
    this.#write({ head, process });
  }

  process(id: string): void {
    this.#write({ process: id });
  }

  output(event: OutputEvent): void {
    this.#write({ output: event });
  }

  /** Writes the end and closes the file. */
  end(end: ExecutionEnd, at: Date): void {
    this.#write({ end: { ...end, at } });
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
    openedFor(() => renameSync(this.#path, this.#endedPath));
  }

  #write(line: object): void {
    if (this.#fd === undefined) return;
    try {
      writeSync(this.#fd, `${JSON.stringify(line)}\n`);
    } catch {
      closeSync(this.#fd);
      this.#fd = undefined;
      rmSync(this.#path, { force: true });
    }
  }
}

interface OpenFile {
  readonly path: string;
  readonly fd: number | undefined;
}

/** The files of executions. While executions follow each other the next one is opened ahead, off the way of a cell. */
export class JournalDirectory implements Disposable {
  readonly #path: string;
  #begunAt = Number.NEGATIVE_INFINITY;
  #next: OpenFile | undefined;
  #opening: NodeJS.Immediate | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** @param process where it is known */
  create(head: ExecutionHead, process: string | undefined): JournalFile {
    const { path, fd } = this.#next ?? this.#open();
    this.#next = undefined;
    const file = new JournalFile(path, join(this.#path, head.id + ENDED), fd);
    file.begin(head, process);
    const now = performance.now();
    if (now - this.#begunAt < AHEAD_MS) this.#openAhead();
    this.#begunAt = now;
    return file;
  }

  /** That of an execution which an earlier daemon began, by its name. */
  reopen(name: string, id: string): JournalFile {
    const path = join(this.#path, name);
    return new JournalFile(
      path,
      join(this.#path, id + ENDED),
      openedFor(() => openSync(path, 'a')),
    );
  }

  [Symbol.dispose](): void {
    if (this.#opening) clearImmediate(this.#opening);
    const next = this.#next;
    this.#next = undefined;
    if (next?.fd === undefined) return;
    closeSync(next.fd);
    rmSync(next.path, { force: true });
  }

  #openAhead(): void {
    this.#opening ??= setImmediate(() => {
      this.#opening = undefined;
      const next = this.#open();
      if (next.fd !== undefined) this.#next = next;
    });
  }

  #open(): OpenFile {
    const path = join(this.#path, randomUUID() + RUNNING);
    return { path, fd: openedFor(() => openSync(path, 'ax', 0o600)) };
  }
}

/** Undefined where the disk refuses. */
function openedFor<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}

/** Reads the file of an execution; undefined where it has no whole head. A torn last line is left out. */
export function readJournal(path: string): Journal | undefined {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1).map(parsed);
  const head = lines[0]?.head;
  if (head === undefined) return undefined;
  const end = lines.at(-1)?.end;
  return {
    head: { ...head, startedAt: new Date(head.startedAt) },
    processId: lines.find(({ process }) => process !== undefined)?.process,
    outputs: lines.flatMap(({ output }) => (output ? [output] : [])),
    end: end && { ...end, at: new Date(end.at) },
  };
}

interface Line {
  readonly head?: ExecutionHead;
  readonly process?: string;
  readonly output?: OutputEvent;
  readonly end?: ExecutionEnd & { readonly at: Date };
}

function parsed(line: string): Line {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return {};
  }
}
