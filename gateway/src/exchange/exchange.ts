import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Peer } from './forwarded.ts';
import type { Target } from './target.ts';

/** One request and its answer on the public port. */
export interface Exchange {
  readonly req: IncomingMessage;
  /** Of an upgrade too: it carries every answer but the 101. */
  readonly res: ServerResponse;
  readonly target: Target;
  readonly requestId: string;
  readonly peer: Peer;
}

/** A request to change the protocol (RFC 9110 §7.8); the connection is no longer read by the HTTP parser. */
export interface UpgradeExchange extends Exchange {
  readonly protocol: string;
  readonly socket: Socket;
  /** What came behind the head of the request. */
  readonly head: Buffer;
}

export function isUpgrade(exchange: object): exchange is UpgradeExchange {
  return 'protocol' in exchange;
}

/** A page of a browser, not a program's call. */
export function wantsPage({ req }: Pick<Exchange, 'req'>): boolean {
  return (req.method === 'GET' || req.method === 'HEAD') && (req.headers.accept?.includes('text/html') ?? false);
}
