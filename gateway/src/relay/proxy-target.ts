import type { Agent } from 'node:http';
import type { FlatHeaders } from '../exchange/headers.ts';
import type { Address } from '../net/address.ts';

/** How one request goes on to an upstream, and how the answer comes back. */
export interface ProxyTarget {
  /** What clients call it: `the daemon`, `code-server`, `port 3000`. */
  readonly service: string;
  readonly to: Address;
  readonly agent: Agent;
  /** The target, query included, as the upstream is to see it. */
  readonly path: string;
  /** Without those of the body's framing besides `Content-Length`, and without those of an upgrade. */
  readonly headers: FlatHeaders;
  /** The fields of the answer as the client gets them. */
  readonly answered: (raw: readonly string[]) => FlatHeaders;
  /** What to do where nothing listens. */
  readonly absentHint?: string;
}
