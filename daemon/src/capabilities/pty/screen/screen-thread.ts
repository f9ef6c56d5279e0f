import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ignore } from '@sandbox/program/ignore.ts';
import type { TerminalSize } from '../../../core/process/process-host.ts';
import type { ScreenAnswer, ScreenFormat, ScreenLook, ScreenRequest } from './screen-protocol.ts';
import { ThreadWatch } from './thread-watch.ts';

/** Why a session has no screen: its output took too long to draw, or too much memory. */
export type ScreenFailure = 'time' | 'memory';

export interface ScreenThreadOptions {
  readonly idleMs?: number;
  /** Milliseconds for one piece of output or one look. */
  readonly deadlineMs?: number;
  /** Path of the thread's program. */
  readonly program?: string;
}

/** Milliseconds for one piece of work, which is meant to take a few. */
const DEADLINE_MS = 3000;

type WithId = Extract<ScreenRequest, { id: number }>;

/** Milliseconds without a session after which the thread ends. */
const IDLE_MS = 30_000;

/**
 * The thread with the screen models of all sessions, since parsing would block the event loop. Starts on first use, and
 * ends some time after the last session: its garbage, up to 20 MiB, is collected only while it works. It also ends with
 * a piece of work that does not: the session of that work fails, and the others get a new thread.
 */
export class ScreenThread implements AsyncDisposable {
  readonly #waiting = new Map<number, (answer: ScreenAnswer) => void>();
  #worker: Worker | undefined;
  #begun: Promise<void> = Promise.resolve();
  #sessions = 0;
  #ids = 0;
  #starts = 0;
  readonly #options: Required<ScreenThreadOptions>;
  /** What to call when the model of a session fails. */
  readonly #open = new Map<number, (failure: ScreenFailure) => void>();
  #idle: NodeJS.Timeout | undefined;

  constructor({ idleMs = IDLE_MS, deadlineMs = DEADLINE_MS, program = programOf() }: ScreenThreadOptions = {}) {
    this.#options = { idleMs, deadlineMs, program };
  }

  /** Threads that were started. */
  get generation(): number {
    return this.#starts;
  }

  /** `failed` is called at most once, if the model cannot draw its output; it is then lost. */
  open({ cols, rows }: TerminalSize, failed: (failure: ScreenFailure) => void): number {
    const session = ++this.#sessions;
    clearTimeout(this.#idle);
    this.#open.set(session, failed);
    this.#send({ type: 'open', session, cols, rows });
    return session;
  }

  /** Whether the thread has the model: it is lost with its thread, and when it fails. */
  has(session: number): boolean {
    return this.#open.has(session);
  }

  resize(session: number, cols: number, rows: number): void {
    this.#send({ type: 'resize', session, cols, rows });
  }

  close(session: number): void {
    if (!this.#open.delete(session) || this.#worker === undefined) return;
    this.#send({ type: 'close', session });
    if (this.#open.size === 0) this.#endLater();
  }

  /** Resolves once the bytes are drawn. */
  async write(session: number, bytes: Uint8Array): Promise<void> {
    // Transferring a view would transfer its whole buffer.
    const own = new Uint8Array(bytes);
    await this.#ask((id) => ({ type: 'write', session, bytes: own, id }), [own.buffer]);
  }

  /** Undefined if the model is lost with its thread. */
  async look(session: number, format: ScreenFormat): Promise<ScreenLook | undefined> {
    return (await this.#ask((id) => ({ type: 'look', session, format, id }))).look;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A thread that is terminated while it starts may never exit.
    await this.#begun;
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  #endLater(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#end(), this.#options.idleMs).unref();
  }

  async #end(): Promise<void> {
    await this.#begun;
    if (this.#open.size > 0) return;
    if (this.#waiting.size > 0) return this.#endLater();
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #ask(request: (id: number) => WithId, moved: readonly ArrayBuffer[] = []): Promise<ScreenAnswer> {
    const id = ++this.#ids;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send(request(id), moved);
    });
  }

  #send(request: ScreenRequest, moved: readonly ArrayBuffer[] = []): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(request, moved);
  }

  #start(): Worker {
    this.#starts += 1;
    const watch = new ThreadWatch(this.#options.deadlineMs);
    const worker = new Worker(this.#options.program, {
      env: {},
      workerData: watch.buffer,
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 },
    });
    worker.unref();
    this.#begun = new Promise((resolve) => {
      worker.once('online', resolve).once('exit', () => resolve());
    });
    watch.follow(worker);
    worker.on('message', (answer: ScreenAnswer) => {
      if (answer.failed !== undefined) this.#fail(answer.failed, 'memory');
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
    worker.on('error', ignore);
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      const { session, isLate } = watch;
      if (session !== undefined) this.#fail(session, isLate ? 'time' : 'memory');
      // Models are lost with their thread.
      this.#open.clear();
      for (const [id, settle] of this.#waiting) settle({ id });
      this.#waiting.clear();
    });
    return worker;
  }

  #fail(session: number, failure: ScreenFailure): void {
    const failed = this.#open.get(session);
    this.#open.delete(session);
    failed?.(failure);
  }
}

/** The source file; in a bundle, a file beside the programs. */
function programOf(): string {
  const { dirname, filename } = import.meta;
  return filename.endsWith('.ts') ? join(dirname, 'screen-worker.ts') : join(dirname, '../screen-worker.mjs');
}
