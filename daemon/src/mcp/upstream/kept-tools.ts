import type { Tool } from '@modelcontextprotocol/server';
import { timeoutSignal, waitFor } from '@sandbox/api/wait.ts';

interface KeepingTerms {
  /** Milliseconds for which a list is kept, and for which a server that failed is not asked again. */
  readonly keptMs: number;
  /** Milliseconds from the question on for which a reader waits. */
  readonly patienceMs: number;
  /** Milliseconds after which a question has failed. */
  readonly endMs: number;
}

/**
 * The tools of one other server. A server that answers late, because it starts or is busy, is waited for beyond its
 * readers: they get what it listed before, and the next ones what it answers.
 */
export class KeptTools {
  readonly #ask: (signal: AbortSignal) => Promise<readonly Tool[]>;
  readonly #terms: KeepingTerms;
  #known: readonly Tool[] = [];
  #until = 0;
  #changes = 0;
  #question: { readonly answered: Promise<void>; readonly deadline: number } | undefined;

  /** @param ask rejects if the server does not answer: it has no tools then */
  constructor(ask: (signal: AbortSignal) => Promise<readonly Tool[]>, terms: KeepingTerms) {
    this.#ask = ask;
    this.#terms = terms;
  }

  async list(): Promise<readonly Tool[]> {
    if (performance.now() < this.#until) return this.#known;
    this.#question ??= { answered: this.#learn(), deadline: performance.now() + this.#terms.patienceMs };
    const { answered, deadline } = this.#question;
    await waitFor(answered, { ms: deadline - performance.now() });
    return this.#known;
  }

  /** The next reader asks the server; an answer that is under way is listed, and not kept. */
  invalidate(): void {
    this.#until = 0;
    this.#changes += 1;
  }

  async #learn(): Promise<void> {
    const changes = this.#changes;
    this.#known = await this.#ask(timeoutSignal(this.#terms.endMs)).catch(() => []);
    if (changes === this.#changes) this.#until = performance.now() + this.#terms.keptMs;
    this.#question = undefined;
  }
}
