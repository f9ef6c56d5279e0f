import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SandboxError } from '../../../core/errors.ts';
import type { ScreenAnswer, ScreenFormat, ScreenLook, ScreenRequest } from './screen-protocol.ts';

type WithId = Extract<ScreenRequest, { id: number }>;

/** The thread that holds the screen models of all sessions, started with the first of them: parsing would hold the event loop. */
export class ScreenThread implements AsyncDisposable {
  readonly #waiting = new Map<number, (answer: ScreenAnswer) => void>();
  #worker: Worker | undefined;
  #begun: Promise<void> = Promise.resolve();
  #sessions = 0;
  #ids = 0;
  #starts = 0;

  /** Counts the threads there were: a model lives in one of them. */
  get generation(): number {
    return this.#starts;
  }

  open(cols: number, rows: number): number {
    const session = ++this.#sessions;
    this.#send({ type: 'open', session, cols, rows });
    return session;
  }

  resize(session: number, cols: number, rows: number): void {
    this.#send({ type: 'resize', session, cols, rows });
  }

  close(session: number): void {
    if (this.#worker !== undefined) this.#send({ type: 'close', session });
  }

  /** Resolves once the bytes are drawn. */
  async write(session: number, bytes: Uint8Array): Promise<void> {
    // A part of a buffer would be sent with the whole of it.
    const own = new Uint8Array(bytes);
    await this.#ask((id) => ({ type: 'write', session, bytes: own, id }), [own.buffer]);
  }

  /** @throws SandboxError `unavailable` where the thread died */
  async look(session: number, format: ScreenFormat): Promise<ScreenLook> {
    const { look } = await this.#ask((id) => ({ type: 'look', session, format, id }));
    if (look === undefined)
      throw new SandboxError('unavailable', 'the screen is being drawn anew', { hint: 'try again' });
    return look;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A thread that is told to end while it comes up may never do so.
    await this.#begun;
    await this.#worker?.terminate();
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
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const [id, settle] of this.#waiting) settle({ id });
      this.#waiting.clear();
    });
    return worker;
  }
}

/** Its source where this is one; a file beside the programs where this is part of a bundle. */
function programOf(): string {
  const { dirname, filename } = import.meta;
  return filename.endsWith('.ts') ? join(dirname, 'screen-worker.ts') : join(dirname, '../screen-worker.mjs');
}
