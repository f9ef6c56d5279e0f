import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { waitFor } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { TransformAnswer, TransformRequest } from './transform-protocol.ts';

/** Milliseconds that a cell may take; the thread is replaced then. */
const TRANSFORM_MS = 20_000;
const MEMORY_MB = 1024;

/** The thread that erases types and rewrites modules, since parsing would block the event loop. Starts on first use. */
export class TransformThread implements AsyncDisposable {
  readonly #waiting = new Map<number, (answer: TransformAnswer) => void>();
  #worker: Worker | undefined;
  #ids = 0;

  /** Never rejects: code that cannot be rewritten has an `error`. */
  async transform(language: string, code: string): Promise<TransformAnswer> {
    const id = ++this.#ids;
    const { promise, resolve } = Promise.withResolvers<TransformAnswer>();
    this.#waiting.set(id, resolve);
    this.#worker ??= this.#start();
    this.#worker.postMessage({ id, language, code } satisfies TransformRequest);
    if ((await waitFor(promise, { ms: TRANSFORM_MS })) !== 'settled') await this[Symbol.asyncDispose]();
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    for (const id of [...this.#waiting.keys()]) this.#give(tooLarge(id));
  }

  #start(): Worker {
    const worker = new Worker(programOf(), { env: {}, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
    worker.unref();
    worker.on('message', (answer: TransformAnswer) => this.#give(answer));
    worker.on('error', ignore);
    worker.once('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const id of [...this.#waiting.keys()]) this.#give(tooLarge(id));
    });
    return worker;
  }

  #give(answer: TransformAnswer): void {
    this.#waiting.get(answer.id)?.(answer);
    this.#waiting.delete(answer.id);
  }
}

function tooLarge(id: number): TransformAnswer {
  return { id, error: { name: 'RangeError', message: 'the code is too large to be parsed' } };
}

/** The source file; in a bundle, a file beside the programs. */
function programOf(): string {
  const { dirname, filename } = import.meta;
  return filename.endsWith('.ts') ? join(dirname, 'transform-worker.ts') : join(dirname, '../transform-worker.mjs');
}
