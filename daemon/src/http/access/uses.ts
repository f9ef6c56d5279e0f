import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Credential } from '../../core/access/credential.ts';
import type { Revocations } from '../../core/access/revocations.ts';

/** Milliseconds between two looks at the files with keys while something is open. */
const LOOK_MS = 200;
/** Milliseconds after which the gateway is answered where nothing was withdrawn. */
const WAIT_MS = 5000;

interface Use {
  readonly credential: Credential;
  readonly end: () => void;
}

/** Which credentials are valid. */
export interface Validity {
  /** The daemon's life, a dot, and a number that grows with each change. */
  readonly cursor: string;
  /** Ids of the keys that are valid now. */
  readonly keys: readonly string[];
  /** Ids of tickets and cookies that are not. */
  readonly revoked: readonly string[];
}

const uses = new WeakMap<IncomingMessage, { readonly of: Uses; readonly use: Use }>();

/**
 * What is open at the moment, and the credential that opened each: requests, streams and WebSockets. They end when that
 * credential is withdrawn. That a ticket or a cookie expires or is used up ends none.
 */
export class Uses implements AsyncDisposable {
  readonly #keysNow: () => readonly string[];
  readonly #revocations: Revocations;
  readonly #open = new Set<Use>();
  readonly #waiting = new Set<() => void>();
  readonly #boot = randomBytes(9).toString('base64url');
  #keys: readonly string[];
  #revoked = 0;
  #version = 0;
  #timer: NodeJS.Timeout | undefined;
  #ended = 0;

  /** @param keysNow ids of the valid keys: the same array as long as they are the same */
  constructor(keysNow: () => readonly string[], revocations: Revocations) {
    this.#keysNow = keysNow;
    this.#revocations = revocations;
    this.#keys = keysNow();
  }

  get open(): number {
    return this.#open.size;
  }

  /** Requests, streams and WebSockets so far that ended because their credential was withdrawn. */
  get ended(): number {
    return this.#ended;
  }

  validity(): Validity {
    this.look();
    return { cursor: `${this.#boot}.${this.#version}`, keys: this.#keys, revoked: this.#revocations.ids };
  }

  /** @param end called at most once, if the credential is withdrawn before the end of the request */
  begin(raw: IncomingMessage, credential: Credential, end: () => void): void {
    const use = { credential, end };
    this.#open.add(use);
    uses.set(raw, { of: this, use });
    this.#watch();
  }

  finish(raw: IncomingMessage): void {
    const found = uses.get(raw);
    if (found) this.#open.delete(found.use);
  }

  /** Answers when the validity differs from the one of the cursor, after five seconds, or when the daemon stops. */
  async changedSince(cursor: string, gone: AbortSignal): Promise<Validity> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, WAIT_MS);
    gone.addEventListener('abort', () => resolve(), { once: true });
    this.#waiting.add(resolve);
    this.#watch();
    if (this.validity().cursor === cursor && !gone.aborted) await promise;
    clearTimeout(timer);
    this.#waiting.delete(resolve);
    return this.validity();
  }

  /** Ends what was opened by credentials that have been withdrawn since the last look. */
  look(): void {
    const keys = this.#keysNow();
    const revoked = this.#revocations.version;
    if (keys === this.#keys && revoked === this.#revoked) return;
    this.#keys = keys;
    this.#revoked = revoked;
    this.#version += 1;
    for (const use of this.#open) {
      if (this.isValid(use.credential)) continue;
      this.#open.delete(use);
      this.#ended += 1;
      use.end();
    }
    for (const wake of this.#waiting) wake();
  }

  isValid({ ids }: Credential): boolean {
    return ids.some((id) => this.#keys.includes(id)) && !this.#revocations.hasAny(ids);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    for (const wake of this.#waiting) wake();
  }

  #watch(): void {
    this.#timer ??= setInterval(() => this.#tick(), LOOK_MS).unref();
  }

  #tick(): void {
    this.look();
    if (this.#open.size > 0 || this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** A request that became a connection of its own: from now on `end` ends it. Call `done` when the connection closes. */
export function transferUse(raw: IncomingMessage, end: () => void): { readonly done: () => void } {
  const found = uses.get(raw);
  if (!found) return { done: () => undefined };
  const { of, use } = found;
  of.finish(raw);
  of.begin(raw, use.credential, end);
  // Its key may be newer than the last look.
  of.look();
  if (!of.isValid(use.credential)) end();
  return { done: () => of.finish(raw) };
}
