import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AccessLine } from './access-log.ts';
import type { Peer } from './peer.ts';
import type { Target } from './target.ts';

/** One request on the public port and its response. */
export interface Exchange {
  readonly req: IncomingMessage;
  /** Also set for an upgrade, if it sends every response except the 101. */
  readonly res: ServerResponse;
  readonly target: Target;
  readonly requestId: string;
  readonly peer: Peer;
  readonly access: AccessLine;
  /** Of the gateway's span, for the upstream; undefined without tracing, which leaves the client's. */
  readonly traceparent?: string | undefined;
  /** Counts an upstream that is away, silent or broken. */
  readonly upstreamFailed?: () => void;
  /** The client has shown a valid credential, so that its connection does not count as one of a stranger. */
  readonly admitted?: () => void;
  /** Ends the exchange after an unexpected exception, with a log line that has the stack. */
  readonly fail: (error: unknown) => void;
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

/** Whether a response has begun or can no longer be sent. */
export function isAnswered({ res }: Pick<Exchange, 'res'>): boolean {
  return res.headersSent || res.destroyed;
}

/** The callback with a boundary of its own: an exception ends this exchange alone. */
export function within<A extends unknown[]>(
  { fail }: Pick<Exchange, 'fail'>,
  callback: (...args: A) => void,
): (...args: A) => void {
  return (...args) => {
    try {
      callback(...args);
    } catch (error) {
      fail(error);
    }
  };
}
