import { readdirSync, rmSync, type Stats, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { AgeClock } from '../../../core/clock/age-clock.ts';
import { Execution } from './execution.ts';
import type { ExecutionHead } from './execution-head.ts';
import {
  type CellProcess,
  ENDED,
  type Journal,
  JournalDirectory,
  type JournalFile,
  RUNNING,
  readJournal,
} from './journal-file.ts';

/** Milliseconds for which an ended execution can be read. */
export const KEPT_MS = 600_000;
/** Bytes of journals of ended executions; the oldest go first. */
const TOTAL_BYTES = 1024 ** 3;
/** Ended executions that are kept at most. */
const ENDED_MAX = 10_000;
/** Bytes up to which an ended execution stays in memory, and of all that do. */
const MEMORY_BYTES = 64 * 1024;
const MEMORY_TOTAL = 8 * 1024 ** 2;

/** An execution that an earlier daemon left without an end. */
export interface Unfinished {
  readonly execution: Execution;
  readonly journal: Journal;
}

interface Ended {
  /** Tick. */
  readonly endedAt: number;
  readonly bytes: number;
  /** In memory; the others are read from their file. */
  execution: Execution | undefined;
}

/** Executions by id: those that run, and those that ended in the last ten minutes. */
export class ExecutionStore implements Disposable {
  readonly #directory: string;
  readonly #clock: AgeClock;
  readonly #journals: JournalDirectory;
  readonly #running = new Map<string, Execution>();
  readonly #ended = new Map<string, Ended>();
  #diskBytes = 0;
  #memoryBytes = 0;
  readonly #keptMs: number;
  readonly #sweeping: NodeJS.Timeout;

  constructor(directory: string, clock: AgeClock, keptMs: number = KEPT_MS) {
    this.#clock = clock;
    this.#directory = directory;
    this.#journals = new JournalDirectory(directory);
    this.#keptMs = keptMs;
    this.#sweeping = setInterval(() => this.#sweep(), keptMs / 10).unref();
  }

  /** Finds the executions of an earlier daemon; answers those that had not ended. */
  recover(): Unfinished[] {
    const names = readdirSync(this.#directory);
    const stats = names.filter((name) => name.endsWith(ENDED)).map((name) => ({ name, stat: this.#stat(name) }));
    for (const { name, stat } of stats.sort((a, b) => (a.stat?.mtimeMs ?? 0) - (b.stat?.mtimeMs ?? 0))) {
      if (!stat) continue;
      const endedAt = this.#clock.restored(stat.mtimeMs, stat.mtime);
      this.#keep(name.slice(0, -ENDED.length), { endedAt, bytes: stat.size, execution: undefined });
    }
    this.#sweep();
    return names.filter((name) => name.endsWith(RUNNING)).flatMap((name) => this.#unfinished(name));
  }

  /** @param process of its interpreter, if it is known */
  create(head: ExecutionHead, process?: CellProcess): { readonly execution: Execution; readonly journal: JournalFile } {
    const journal = this.#journals.create(head, process);
    return { execution: this.#track(new Execution(head, journal)), journal };
  }

  /** @throws SandboxError `not_found` */
  get(id: string): Execution {
    const found = this.find(id);
    if (found) return found;
    throw new SandboxError('not_found', `no execution with id ${id}`, {
      hint: 'an execution can be read for ten minutes after its end',
    });
  }

  find(id: string): Execution | undefined {
    return this.#running.get(id) ?? this.#ended.get(id)?.execution ?? this.#load(id);
  }

  /** Forgets the execution that ended first, for its room on disk. Returns false if none has ended. */
  forgetOldest(): boolean {
    for (const [id, ended] of this.#ended) {
      this.#forget(id, ended);
      return true;
    }
    return false;
  }

  running(): Execution[] {
    return [...this.#running.values()];
  }

  [Symbol.dispose](): void {
    clearInterval(this.#sweeping);
    this.#journals[Symbol.dispose]();
  }

  #track(execution: Execution): Execution {
    this.#running.set(execution.id, execution);
    void execution.ended.then(() => this.#end(execution));
    return execution;
  }

  #end(execution: Execution): void {
    this.#running.delete(execution.id);
    const { bytes } = execution;
    const endedAt = this.#clock.now();
    this.#stamp(execution.id, endedAt);
    const staysInMemory = bytes <= MEMORY_BYTES;
    this.#keep(execution.id, { endedAt, bytes, execution: staysInMemory ? execution : undefined });
    this.#sweep();
  }

  #keep(id: string, ended: Ended): void {
    this.#ended.set(id, ended);
    this.#diskBytes += ended.bytes;
    if (ended.execution) this.#memoryBytes += ended.bytes;
    for (const other of this.#ended.values()) {
      if (this.#memoryBytes <= MEMORY_TOTAL) break;
      if (other.execution) this.#memoryBytes -= other.bytes;
      other.execution = undefined;
    }
  }

  #sweep(): void {
    const oldest = this.#clock.now() - this.#keptMs;
    for (const [id, ended] of this.#ended) {
      const isOver = ended.endedAt < oldest || this.#diskBytes > TOTAL_BYTES || this.#ended.size > ENDED_MAX;
      if (!isOver) break;
      this.#forget(id, ended);
    }
  }

  #forget(id: string, { bytes, execution }: Ended): void {
    this.#ended.delete(id);
    this.#diskBytes -= bytes;
    if (execution) this.#memoryBytes -= bytes;
    rmSync(join(this.#directory, id + ENDED), { force: true });
  }

  #load(id: string): Execution | undefined {
    if (!this.#ended.has(id)) return undefined;
    const journal = this.#read(id + ENDED);
    if (!journal?.end) return undefined;
    const execution = new Execution(journal.head);
    execution.restore(journal.outputs);
    execution.finish(journal.end, journal.end.at);
    return execution;
  }

  #unfinished(name: string): Unfinished[] {
    const journal = this.#read(name);
    if (journal === undefined) {
      rmSync(join(this.#directory, name), { force: true });
      return [];
    }
    const execution = new Execution(journal.head, this.#journals.reopen(name, journal.head.id));
    execution.restore(journal.outputs);
    this.#track(execution);
    if (journal.end) execution.finish(journal.end, journal.end.at);
    return journal.end ? [] : [{ execution, journal }];
  }

  #read(name: string): Journal | undefined {
    try {
      return readJournal(join(this.#directory, name), this.#clock);
    } catch {
      return undefined;
    }
  }

  /** The time of the file is the tick of the end, so that a next daemon need not read all files. */
  #stamp(id: string, tick: number): void {
    try {
      utimesSync(join(this.#directory, id + ENDED), tick / 1000, tick / 1000);
    } catch {
      // It was not renamed: the next daemon finds the end under its first name.
    }
  }

  #stat(name: string): Stats | undefined {
    return statSync(join(this.#directory, name), { throwIfNoEntry: false });
  }
}
