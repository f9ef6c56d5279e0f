import type { Worker } from 'node:worker_threads';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { onAbort } from '@sandbox/api/wait.ts';
import { callLeft } from './call-queue.ts';
import type { EngineAnswer, EngineCalls, EngineError, EngineRequest, EngineTerms } from './engine-protocol.ts';

/** Calls that wait for their turn. */
const WAITING_MAX = 64;

interface Pending {
  readonly resolve: (returns: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The engine in its thread, which begins with the first call. A thread that dies is followed by another one. */
export class EngineThread implements AsyncDisposable {
  readonly #terms: () => EngineTerms;
  readonly #pending = new Map<number, Pending>();
  #worker: Promise<Worker> | undefined;
  #numbers = 0;

  constructor(terms: () => EngineTerms) {
    this.#terms = terms;
  }

  /** Whether a call runs or waits. */
  get isBusy(): boolean {
    return this.#pending.size > 0;
  }

  /**
   * @param gone fires when the caller has left: a call that has not begun does not begin
   * @throws SandboxError in the words of the engine
   */
  async call<Call extends keyof EngineCalls>(
    call: Call,
    takes: EngineCalls[Call]['takes'],
    gone?: AbortSignal,
  ): Promise<EngineCalls[Call]['returns']> {
    if (gone?.aborted) throw callLeft();
    if (this.#pending.size >= WAITING_MAX) {
      throw new SandboxError('capacity', `${WAITING_MAX} calls of checkpoints wait for their turn`, {
        hint: 'repeat the call when one of them has ended',
        retryAfter: 1,
      });
    }
    this.#numbers += 1;
    const number = this.#numbers;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(number, { resolve, reject });
    let worker: Worker;
    try {
      this.#worker ??= this.#start();
      worker = await this.#worker;
      worker.postMessage({ number, call, takes } satisfies EngineRequest);
    } catch (error) {
      this.#pending.delete(number);
      this.#worker = undefined;
      throw error;
    }
    using _leaving = onAbort(gone, () => worker.postMessage({ leaves: number } satisfies EngineRequest));
    // The types of both ends come from `EngineCalls`.
    return (await promise) as EngineCalls[Call]['returns'];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = await this.#worker?.catch(() => undefined);
    await worker?.terminate();
  }

  async #start(): Promise<Worker> {
    const { startEngine } = await import('./engine-worker.ts');
    const worker = startEngine(this.#terms());
    worker.unref();
    worker.on('message', ({ number, returns, error }: EngineAnswer) => {
      const pending = this.#pending.get(number);
      this.#pending.delete(number);
      if (error) pending?.reject(failureOf(error));
      else pending?.resolve(returns);
    });
    worker.once('error', (error) => this.#end(error));
    worker.once('exit', () => this.#end(new Error('the thread of the checkpoints has ended')));
    return worker;
  }

  #end(error: unknown): void {
    this.#worker = undefined;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

function failureOf({ kind, message, details }: EngineError): Error {
  return kind === undefined ? new Error(message) : new SandboxError(kind, message, details);
}
