import type { SandboxState } from '../../../src/landing/state-fields.ts';
import { stateIn } from './state.ts';

/** `away`: the sandbox does not answer. `refused`: the key is not accepted any more. */
export type LinkState = 'open' | 'away' | 'refused';

const LOOK_MS = 3000;
const HIDDEN_MS = 20_000;
const FIRST_RETRY_MS = 400;
const LAST_RETRY_MS = 3000;
const ANSWER_MS = 20_000;

/** Whether the sandbox answers, and the state that it answered last. It reads the document of the page again. */
export class Link {
  state: LinkState = 'open';
  sandbox: SandboxState;
  /** Counts how often the sandbox became reachable again: what is read from it is then read again. */
  epoch = 0;
  /** Whether the daemon is another one than before. */
  isRestarted = false;
  readonly #url: string;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: Promise<void> | undefined;
  #retryMs = FIRST_RETRY_MS;
  #answeredAt = performance.now();

  constructor(sandbox: SandboxState, url: string) {
    this.sandbox = sandbox;
    this.#url = url;
  }

  start(): void {
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.look();
    });
    this.#schedule();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Looks now: a call has failed as it does when the sandbox is away or the key has changed. */
  look(): void {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#schedule();
    });
  }

  /** Resolves when the sandbox has answered after a failure. */
  async whenBack(signal?: AbortSignal): Promise<void> {
    this.look();
    await this.#looking;
    while (this.state !== 'open') {
      signal?.throwIfAborted();
      await new Promise<void>((resolve) => {
        const stop = this.subscribe(() => {
          stop();
          resolve();
        });
        signal?.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    signal?.throwIfAborted();
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    const askedAt = performance.now();
    const answer = await fetch(this.#url, {
      headers: { accept: 'text/html' },
      cache: 'no-store',
      signal: AbortSignal.timeout(ANSWER_MS),
    }).catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    const sandbox = answer?.ok && text !== undefined ? stateIn(text) : undefined;
    if (sandbox) this.#answered(sandbox, askedAt);
    else this.#move(answer?.ok || answer?.status === 401 ? 'refused' : 'away');
  }

  #answered(sandbox: SandboxState, askedAt: number): void {
    const [before, after] = [this.sandbox.daemon.uptime_seconds, sandbox.daemon.uptime_seconds];
    // The same daemon has run for at least the time from the last answer to this question in addition.
    const isRestarted = before !== null && after !== null && after + 1 < before + (askedAt - this.#answeredAt) / 1000;
    this.#answeredAt = performance.now();
    this.sandbox = sandbox;
    this.#retryMs = FIRST_RETRY_MS;
    if (this.state !== 'open' || isRestarted) {
      this.isRestarted = isRestarted;
      this.epoch += 1;
    }
    this.#move('open');
  }

  #move(state: LinkState): void {
    this.state = state;
    for (const listener of [...this.#listeners]) listener();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.look(), this.#delay());
  }

  #delay(): number {
    if (document.hidden) return HIDDEN_MS;
    if (this.state === 'open') return LOOK_MS;
    const delay = this.#retryMs;
    this.#retryMs = Math.min(LAST_RETRY_MS, this.#retryMs * 2);
    return delay;
  }
}

export const link = new Link(
  JSON.parse(document.getElementById('state')?.textContent ?? '') as SandboxState,
  new URL('./', document.baseURI).href,
);
