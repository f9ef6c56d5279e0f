import { createContext, Script } from 'node:vm';
import { isMainThread, type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { Slots, waitFor } from '@sandbox/api/wait.ts';

const NAME = 'search';
/** Milliseconds in which a thread that has ended a search says so. */
const LATE_MS = 5000;
const HEAP_MB = 128;
const SEARCH = new Script('new RegExp(pattern, "s").exec(text)');

/** Patterns, and a text with a character a byte. */
export interface Search {
  readonly patterns: readonly string[];
  readonly text: string;
}

export type SearchEnd =
  | { readonly kind: 'found'; readonly index: number; readonly start: number; readonly end: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'slow' }
  | { readonly kind: 'wrong'; readonly index: number };

/** Searches for patterns of clients in a thread, which starts with the first one; one search at a time. */
export class SearchThread {
  readonly #ms: number;
  readonly #turn = new Slots(1);
  #worker: Worker | undefined;

  /** @param ms time for all patterns of one search */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** The match that begins first. @throws the reason of the signal */
  async find(search: Search, gone: AbortSignal): Promise<SearchEnd> {
    using _turn = await this.#turn.take(gone);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const { promise, resolve } = Promise.withResolvers<SearchEnd>();
    const ended = (): void => resolve({ kind: 'slow' });
    worker.once('message', resolve).once('exit', ended);
    try {
      worker.postMessage(search);
      const isAnswered = (await waitFor(promise, { ms: this.#ms + LATE_MS })) === 'settled';
      if (!isAnswered) await this.#end();
      return isAnswered ? await promise : { kind: 'slow' };
    } finally {
      worker.off('message', resolve).off('exit', ended);
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { [NAME]: this.#ms },
      env: {},
      stdin: false,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 8 },
    });
    worker.unref();
    const forget = (): void => {
      if (this.#worker === worker) this.#worker = undefined;
    };
    // Its memory was not enough for a pattern.
    worker.on('error', forget).once('exit', forget);
    return worker;
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }
}

/** Nothing of the thread is in reach of a pattern. */
function searcher(ms: number): (search: Search) => SearchEnd {
  const context = createContext({ pattern: '', text: '' });
  return ({ patterns, text }) => {
    const deadline = performance.now() + ms;
    let first: Extract<SearchEnd, { kind: 'found' }> | undefined;
    for (const [index, pattern] of patterns.entries()) {
      Object.assign(context, { pattern: Buffer.from(pattern).toString('latin1'), text });
      try {
        const left = Math.max(1, Math.ceil(deadline - performance.now()));
        const match = SEARCH.runInContext(context, { timeout: left }) as RegExpExecArray | null;
        if (match === null || (first && first.start <= match.index)) continue;
        first = { kind: 'found', index, start: match.index, end: match.index + String(match[0]).length };
      } catch (error) {
        // It may be an error of the other context.
        const { code } = Object(error) as { readonly code?: string };
        return code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? { kind: 'slow' } : { kind: 'wrong', index };
      }
    }
    return first ?? { kind: 'none' };
  };
}

function serve(port: MessagePort, ms: number): void {
  const find = searcher(ms);
  port.on('message', (search: Search) => port.postMessage(find(search)));
}

// This module is its own worker: its bundle is one file, wherever that lies.
if (!isMainThread && parentPort !== null && workerData?.[NAME] !== undefined) serve(parentPort, workerData[NAME]);
