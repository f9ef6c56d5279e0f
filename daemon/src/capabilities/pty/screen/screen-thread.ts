import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { ScreenAnswer, ScreenFormat, ScreenLook, ScreenRequest } from './screen-protocol.ts';

type WithId = Extract<ScreenRequest, { id: number }>;

/** Milliseconds without a session after which the thread ends. */
const IDLE_MS = 30_000;

/**
 * The thread with the screen models of all sessions, since parsing would block the event loop. Starts on first use, and
 * ends some time after the last session: its garbage, up to 20 MiB, is collected only while it works.
 */
export class ScreenThread implements AsyncDisposable {
  readonly #waiting = new Map<number, (answer: ScreenAnswer) => void>();
  #worker: Worker | undefined;
  #begun: Promise<void> = Promise.resolve();
  #sessions = 0;
  #ids = 0;
  #starts = 0;
  readonly #idleMs: number;
  readonly #open = new Set<number>();
  #idle: NodeJS.Timeout | undefined;

  constructor(idleMs = IDLE_MS) {
    this.#idleMs = idleMs;
  }

  /** Number of the current thread; a model is lost with its thread. */
  get generation(): number {
    return this.#starts;
  }

  open(cols: number, rows: number): number {
    const session = ++this.#sessions;
    clearTimeout(this.#idle);
    this.#open.add(session);
    this.#send({ type: 'open', session, cols, rows });
    return session;
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

  /** @throws SandboxError `unavailable` where the thread died */
  async look(session: number, format: ScreenFormat): Promise<ScreenLook> {
    const { look } = await this.#ask((id) => ({ type: 'look', session, format, id }));
    if (look === undefined) throw new SandboxError('unavailable', 'the screen is being redrawn', { hint: 'try again' });
    return look;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A thread that is terminated while it starts may never exit.
    await this.#begun;
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  #endLater(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#end(), this.#idleMs).unref();
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
    const worker = new Worker(programOf(), {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 8 },
    });
    worker.unref();
    this.#begun = new Promise((resolve) => {
      worker.once('online', resolve).once('exit', () => resolve());
    });
    worker.on('message', (answer: ScreenAnswer) => {
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
    worker.on('error', ignore);
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      // Models are lost with their thread.
      this.#open.clear();
      for (const [id, settle] of this.#waiting) settle({ id });
      this.#waiting.clear();
    });
    return worker;
  }
}

/** The source file; in a bundle, a file beside the programs. */
function programOf(): string {
  const { dirname, filename } = import.meta;
  return filename.endsWith('.ts') ? join(dirname, 'screen-worker.ts') : join(dirname, '../screen-worker.mjs');
}
