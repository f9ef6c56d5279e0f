import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputEvent } from '../runtime/output.ts';
import type { ExecutionEnd, ExecutionHead } from './execution-head.ts';

/** Of an execution that runs, and of one that has ended. */
export const RUNNING = '.running';
export const ENDED = '.ended';

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
  readonly #directory: string;
  readonly #id: string;
  #fd: number | undefined;

  private constructor(directory: string, id: string, fd: number | undefined) {
    this.#directory = directory;
    this.#id = id;
    this.#fd = fd;
  }

  /** @param process where it is known */
  static create(directory: string, head: ExecutionHead, process: string | undefined): JournalFile {
    const fd = openedFor(() => openSync(join(directory, head.id + RUNNING), 'ax', 0o600));
    const file = new JournalFile(directory, head.id, fd);
    file.#write({ head, process });
    return file;
  }

  /** That of an execution which an earlier daemon began. */
  static reopen(directory: string, id: string): JournalFile {
    return new JournalFile(
      directory,
      id,
      openedFor(() => openSync(join(directory, id + RUNNING), 'a')),
    );
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
    openedFor(() => renameSync(join(this.#directory, this.#id + RUNNING), join(this.#directory, this.#id + ENDED)));
  }

  #write(line: object): void {
    if (this.#fd === undefined) return;
    try {
      writeSync(this.#fd, `${JSON.stringify(line)}\n`);
    } catch {
      closeSync(this.#fd);
      this.#fd = undefined;
      rmSync(join(this.#directory, this.#id + RUNNING), { force: true });
    }
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
