import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Peer } from './peer.ts';
import type { Target } from './target.ts';

/** One request on the public port and its response. */
export interface Exchange {
  readonly req: IncomingMessage;
  /** Also set for an upgrade, where it sends every response except the 101. */
  readonly res: ServerResponse;
  readonly target: Target;
  readonly requestId: string;
  readonly peer: Peer;
}

/** An upgrade request (RFC 9110 §7.8); the HTTP parser no longer reads the connection. */
export interface UpgradeExchange extends Exchange {
  readonly protocol: string;
  readonly socket: Socket;
  /** Bytes received after the request head. */
  readonly head: Buffer;
}

export function isUpgrade(exchange: object): exchange is UpgradeExchange {
  return 'protocol' in exchange;
}

/** Whether a browser requests a page, in contrast to an API call. */
export function wantsPage({ req }: Pick<Exchange, 'req'>): boolean {
  return (req.method === 'GET' || req.method === 'HEAD') && (req.headers.accept?.includes('text/html') ?? false);
}
