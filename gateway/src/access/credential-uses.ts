import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { endWith } from '@sandbox/program/server/last-answer.ts';
import { WITHDRAWN_ANSWER } from '@sandbox/program/withdrawn.ts';
import { type Exchange, isUpgrade } from '../exchange/exchange.ts';
import { errorAnswer } from '../exchange/responses.ts';

/** Milliseconds after which the daemon is asked about something that is still open; most exchanges are shorter. */
const BEGIN_MS = 200;
/** Milliseconds between two attempts to reach the daemon. */
const RETRY_MS = 100;
/** Milliseconds without the daemon after which nothing stays open, since nobody can tell what was withdrawn. */
const UNKNOWN_MS = 15_000;

/** The credential of an exchange, as `X-Credential` of the daemon's decision names it. */
export interface UsedCredential {
  readonly cursor: string;
  readonly ids: readonly string[];
}

/** The daemon's answer about the credentials that are valid. */
interface Validity {
  readonly cursor: string;
  readonly keys: readonly string[];
  readonly revoked: readonly string[];
}

interface Use extends UsedCredential {
  readonly end: () => void;
}

const ends = new WeakMap<IncomingMessage, () => void>();

/** How an exchange ends when its credential is withdrawn; without this it is refused, and closed if its answer has begun. */
export function onWithdrawn({ req }: Pick<Exchange, 'req'>, end: () => void): void {
  ends.set(req, end);
}

/** @returns undefined for a header that names none */
export function usedCredential(field: string | undefined): UsedCredential | undefined {
  const [cursor, ...ids] = field?.split(' ') ?? [];
  return cursor !== undefined && ids.length > 0 ? { cursor, ids } : undefined;
}

/**
 * The exchanges with the gateway's own upstreams that are open, which end when the daemon says that their credential is
 * withdrawn. While one is open, a request waits at the daemon for the next change. After a cut of it everything is
 * checked again as soon as the daemon answers.
 */
export class CredentialUses implements Disposable {
  readonly #ask: (after: string | undefined) => Promise<unknown>;
  readonly #open = new Set<Use>();
  #last: Validity | undefined;
  #isFollowing = false;
  #isClosed = false;
  readonly #unknownMs: number;

  /**
   * @param ask for a validity; `after`: answer when it differs from this one
   * @param unknownMs only tests change it
   */
  constructor(ask: (after: string | undefined) => Promise<unknown>, unknownMs: number = UNKNOWN_MS) {
    this.#ask = ask;
    this.#unknownMs = unknownMs;
  }

  /** From now on the exchange ends with its credential. */
  hold(exchange: Pick<Exchange, 'req' | 'res'>, credential: UsedCredential | undefined): void {
    if (credential === undefined) return;
    const { req, res } = exchange;
    const use: Use = { ...credential, end: () => (ends.get(req) ?? closing(exchange))() };
    this.#open.add(use);
    const done = (): void => void this.#open.delete(use);
    // After an upgrade the response has no connection any more.
    if (isUpgrade(exchange)) exchange.socket.once('close', done);
    else res.once('close', done);
    if (this.#last && isOlder(use.cursor, this.#last.cursor)) this.#judge(use, this.#last);
    if (this.#isFollowing || this.#isClosed) return;
    this.#isFollowing = true;
    setTimeout(() => void this.#follow(), BEGIN_MS).unref();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
  }

  async #follow(): Promise<void> {
    let heardAt = performance.now();
    while (this.#open.size > 0 && !this.#isClosed) {
      try {
        this.#take(validityOf(await this.#ask(this.#last?.cursor)));
        heardAt = performance.now();
      } catch {
        this.#last = undefined;
        if (performance.now() - heardAt > this.#unknownMs) this.#endAll();
        await wait(RETRY_MS, undefined, { ref: false });
      }
    }
    this.#last = undefined;
    this.#isFollowing = false;
  }

  #take(validity: Validity): void {
    this.#last = validity;
    // One that is newer than the answer is told of by the next, which comes at once.
    for (const use of this.#open) if (!isOlder(validity.cursor, use.cursor)) this.#judge(use, validity);
  }

  #judge(use: Use, { keys, revoked }: Validity): void {
    if (use.ids.some((id) => keys.includes(id)) && !use.ids.some((id) => revoked.includes(id))) return;
    this.#open.delete(use);
    use.end();
  }

  #endAll(): void {
    for (const use of this.#open) use.end();
    this.#open.clear();
  }
}

function closing(exchange: Pick<Exchange, 'req' | 'res'>): () => void {
  const { req, res } = exchange;
  return () => {
    if (isUpgrade(exchange) || res.headersSent) req.socket.destroy();
    else endWith(res, { status: 401, ...errorAnswer(exchange, 401, WITHDRAWN_ANSWER) });
  };
}

/** Whether both cursors are of one daemon, and the first is the older one. */
function isOlder(one: string, other: string): boolean {
  const [boot, number] = one.split('.');
  const [otherBoot, otherNumber] = other.split('.');
  return boot === otherBoot && Number(number) < Number(otherNumber);
}

function validityOf(answer: unknown): Validity {
  const { cursor, keys, revoked } = answer as Partial<Validity>;
  if (typeof cursor !== 'string' || !Array.isArray(keys) || !Array.isArray(revoked)) throw new Error('not a validity');
  return { cursor, keys, revoked };
}
