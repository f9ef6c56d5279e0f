import type { Agent } from 'node:http';
import type { FlatHeaders } from '../exchange/headers.ts';
import type { Address } from '../net/address.ts';

/** How one request is sent to an upstream, and how its response is translated. */
export interface ProxyTarget {
  /** Name in error messages: `the daemon`, `code-server`, `port 3000`. */
  readonly service: string;
  readonly to: Address;
  readonly agent: Agent;
  /** The request target for the upstream, query included. */
  readonly path: string;
  /** The request headers for the upstream, without Transfer-Encoding, Expect and the headers of an upgrade. */
  readonly headers: FlatHeaders;
  /** Translates the upstream's response headers to those for the client. */
  readonly responseHeaders: (raw: readonly string[]) => FlatHeaders;
  /** Hint if nothing listens at the address. */
  readonly absentHint?: string;
  /** After an interruption it is started again: a WebSocket that it left is closed with 1012. */
  readonly restarts?: boolean;
  /** Milliseconds until the upstream has to begin its answer; default: no limit. */
  readonly answerTimeoutMs?: number;
  /** Whether no credential opened it. */
  readonly isPublic?: boolean;
}
