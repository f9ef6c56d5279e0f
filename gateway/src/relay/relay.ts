import { hasBody } from '@sandbox/program/has-body.ts';
import type { DaemonUpstream } from '../daemon/daemon-upstream.ts';
import { PooledResponse } from '../daemon/pooled-response.ts';
import { type Exchange, isAnswered, within } from '../exchange/exchange.ts';
import { sendUpstreamError } from '../exchange/upstream-error.ts';
import { isLostConnection } from '../net/connection-errors.ts';
import { relayStreamed } from './streamed.ts';

/** Methods that may be retried (RFC 9110 §9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/**
 * Relays a request to the daemon and streams the response back. Two HTTP clients share the work: the gateway's own,
 * which copies no body, for requests with a complete body or none; node:http for the others, because it sends the head
 * before the first byte of the body, supports `Expect: 100-continue` and reads a response before the body has ended.
 */
export function relay(exchange: Exchange, upstream: DaemonUpstream): void {
  const { req } = exchange;
  if (!hasBody(req)) {
    relayPooled(exchange, upstream, null);
  } else if (req.headers.expect !== undefined) {
    relayStreamed(exchange, upstream.proxyTarget(exchange));
  } else {
    // The check phase follows the read of the head: a body that arrived in the same read has been parsed by then.
    setImmediate(
      within(exchange, () => {
        if (isAnswered(exchange)) return;
        if (req.complete) relayPooled(exchange, upstream, req.read() as Buffer | null);
        else relayStreamed(exchange, upstream.proxyTarget(exchange));
      }),
    );
  }
}

function relayPooled(exchange: Exchange, upstream: DaemonUpstream, body: Buffer | null): void {
  const response = new PooledResponse(exchange, (error) => {
    const isRetryable =
      !isAnswered(exchange) && body === null && IDEMPOTENT.has(exchange.req.method ?? '') && isLostConnection(error);
    if (isRetryable) relayStreamed(exchange, upstream.proxyTarget(exchange, { agent: upstream.freshAgent }));
    else sendUpstreamError(exchange, error);
  });
  response.begin(upstream, body);
}
