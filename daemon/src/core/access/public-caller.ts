import { AsyncLocalStorage } from 'node:async_hooks';
import type { Credential } from './credential.ts';

/** How a client reached the service, for links that it can use as they are. */
export interface PublicCaller {
  /** Whether by https. */
  readonly isSecure: boolean;
  /** Host with its port, followed by the prefix that a trusted proxy removed. */
  readonly base: string;
  /** Its query, which may have its credential, without the question mark. */
  readonly query: string;
  /** Whether a link needs a ticket: a page or a client of DevTools sends no header with the key. */
  readonly needsTicket: boolean;
  readonly credential: Credential;
}

const callers = new AsyncLocalStorage<PublicCaller>();

/** Runs what serves tools for a client. */
export function serveCaller<T>(caller: PublicCaller, run: () => T): T {
  return callers.run(caller, run);
}

/** The client that the call of a tool serves. */
export function servedCaller(): PublicCaller {
  const caller = callers.getStore();
  if (caller === undefined) throw new Error('a tool was called for no client');
  return caller;
}
