import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { AnswerBudget } from './answer-budget.ts';

/** Seconds after which a client may ask again. */
const RETRY_AFTER = 1;

const current = new AsyncLocalStorage<AnswerHold>();

/** Runs the work of a request; `workOnAnswer` finds its hold there. */
export function withinHold(hold: AnswerHold, work: () => void): void {
  current.run(hold, work);
}

/**
 * Reserves memory for work that ends up in the answer of the current request, before the work begins. It stays reserved
 * until the answer has been read, at least until it is disposed of. Outside a request it reserves nothing.
 * @throws SandboxError `unavailable` if answers that other clients have not read take too much memory
 */
export function workOnAnswer(bytes: number): Disposable {
  return current.getStore()?.work(bytes) ?? NOTHING;
}

/**
 * What the current request answers when its own answer does not fit into the memory of answers: its work is done, so that
 * a client that repeats a refused call would do it twice.
 */
export function answerInstead(answer: () => unknown): void {
  const hold = current.getStore();
  if (hold) hold.instead = answer;
}

/** Bytes after which growing work reserves what it has by then. */
const STEP_BYTES = 256 * 1024;

/** Work of the current request whose size is not known before: it reserves memory as it grows. */
export class GrowingWork implements Disposable {
  readonly #hold = current.getStore();
  #bytes = 0;
  #reserved = 0;
  readonly #steps = new DisposableStack();

  /** @throws SandboxError `unavailable` as `workOnAnswer` */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes - this.#reserved < STEP_BYTES) return;
    if (this.#hold) this.#steps.use(this.#hold.work(this.#bytes - this.#reserved));
    this.#reserved = this.#bytes;
  }

  [Symbol.dispose](): void {
    this.#steps.dispose();
  }
}

const NOTHING: Disposable = { [Symbol.dispose]: () => undefined };

/** What one answer holds of the budget. */
export class AnswerHold {
  /** Makes a small answer; undefined: a refusal. */
  instead: (() => unknown) | undefined;
  readonly #budget: AnswerBudget;
  readonly #answer: Pick<EventEmitter, 'once'> & { readonly destroyed: boolean };
  /** Bytes that the work in progress reserves. */
  #working = 0;
  /** Bytes of the answer: of the largest work that has ended, until the answer is complete. */
  #kept = 0;
  #isWatched = false;
  #isClosed = false;

  constructor(budget: AnswerBudget, answer: Pick<EventEmitter, 'once'> & { readonly destroyed: boolean }) {
    this.#budget = budget;
    this.#answer = answer;
  }

  /** @throws SandboxError `unavailable` */
  work(bytes: number): Disposable {
    this.#watch();
    if (this.#isClosed) throw new SandboxError('unavailable', 'the client has left');
    this.#change(this.#working + bytes, this.#kept);
    return {
      [Symbol.dispose]: () => this.#change(this.#working - bytes, this.#isClosed ? 0 : Math.max(this.#kept, bytes)),
    };
  }

  /** The answer is complete and takes these bytes. @throws SandboxError `unavailable` */
  settle(bytes: number): void {
    if (bytes > 0) this.#watch();
    this.#change(this.#working, this.#isClosed ? 0 : bytes);
  }

  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    if (this.#answer.destroyed) this.#isClosed = true;
    this.#answer.once('close', () => {
      this.#isClosed = true;
      this.#change(this.#working, 0);
    });
  }

  #change(working: number, kept: number): void {
    if (!this.#budget.exchange(this.#working + this.#kept, working + kept)) {
      throw new SandboxError('unavailable', 'answers that clients have not read take too much memory', {
        hint: 'retry shortly; read each answer to its end, or ask for less at once: downloads are not limited',
        retryAfter: RETRY_AFTER,
      });
    }
    this.#working = working;
    this.#kept = kept;
  }
}
