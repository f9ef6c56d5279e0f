import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { waitFor } from '@sandbox/api/wait.ts';
import { BUILT_DIRECTORY } from '@sandbox/program/built-directory.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { ProcessPage, ProcessQuery } from './process-entry.ts';

/** Milliseconds for one page. */
const PAGE_MS = 5000;
/** Milliseconds after which a thread that reads nothing ends. */
const IDLE_MS = 30_000;
/** Processes whose arguments cannot be read, for each of which a thread waits. */
const STUCK_MAX = 4;
/** Calls at once, those that wait for their turn included. */
export const CALLS_MAX = 16;

type Query = Omit<ProcessQuery, 'withoutCommand'>;

/**
 * Reads /proc in a thread: a read of the arguments of a process waits for its memory, which may be on a file system that
 * does not answer. One page at a time. The thread starts on first use and ends when it is idle.
 */
export class ProcessThread implements AsyncDisposable {
  /** At which threads wait that have been given up. */
  readonly #stuck = new Set<number>();
  readonly #at = new SharedArrayBuffer(4);
  #worker: Worker | undefined;
  #calls = 0;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  readonly #program: string;
  readonly #pageMs: number;

  /** @param pageMs milliseconds for one page */
  constructor(program: string = programOf(), pageMs: number = PAGE_MS) {
    this.#program = program;
    this.#pageMs = pageMs;
  }

  /** @throws SandboxError `unavailable` without /proc, or if it cannot be read in time; `capacity` beyond `CALLS_MAX` */
  async read(query: Query): Promise<ProcessPage> {
    if (this.#calls >= CALLS_MAX) {
      throw new SandboxError('capacity', `${CALLS_MAX} calls wait for the list of processes`, {
        hint: 'repeat the call after a second',
        retryAfter: 1,
      });
    }
    this.#calls += 1;
    const page = this.#last.then(() => this.#page(query));
    this.#last = page.catch(ignore);
    try {
      return await page;
    } finally {
      this.#calls -= 1;
    }
  }

  async #page(query: Query): Promise<ProcessPage> {
    clearTimeout(this.#idle);
    const skipped = [...this.#stuck];
    while (skipped.length < STUCK_MAX) {
      const answer = await this.#ask({ ...query, withoutCommand: skipped });
      if (typeof answer === 'string') throw unreadable(answer);
      if (answer !== undefined) {
        this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
        return answer;
      }
      const [pid = 0] = new Int32Array(this.#at);
      this.#end(pid);
      if (pid === 0) break;
      skipped.push(pid);
    }
    throw unreadable('it does not answer');
  }

  /** Undefined if it has not answered in time. */
  async #ask(query: ProcessQuery): Promise<ProcessPage | string | undefined> {
    const { promise, resolve } = Promise.withResolvers<ProcessPage | string>();
    this.#worker ??= this.#start();
    const worker = this.#worker;
    worker.once('message', resolve);
    worker.once('exit', () => resolve('its reader has ended'));
    worker.postMessage(query);
    const end = await waitFor(promise, { ms: this.#pageMs });
    worker.removeAllListeners('exit').removeAllListeners('message');
    return end === 'settled' ? promise : undefined;
  }

  #start(): Worker {
    const worker = new Worker(this.#program, { env: {}, execArgv: [], workerData: this.#at });
    worker.unref();
    worker.on('error', ignore);
    return worker;
  }

  /** @param pid at which it waits; a thread that waits in the kernel ends when that wait does */
  #end(pid = 0): void {
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker === undefined) return;
    this.#stuck.add(pid);
    void worker
      .terminate()
      .catch(ignore)
      .then(() => this.#stuck.delete(pid));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle);
    this.#end();
  }
}

function unreadable(reason: string): SandboxError {
  return new SandboxError('unavailable', `/proc cannot be read: ${reason}`, {
    hint: 'mount /proc in the container; a command with ps lists what it can see',
  });
}

/** The source file; in a bundle, a file beside the programs. */
function programOf(): string {
  const { dirname, filename } = import.meta;
  return filename.endsWith('.ts') ? join(dirname, 'process-worker.ts') : join(BUILT_DIRECTORY, 'process-worker.mjs');
}
