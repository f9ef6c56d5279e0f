import { hasBody } from '@sandbox/program/has-body.ts';
import { PooledAnswer } from '../daemon/pooled.ts';
import { isLostConnection, type Upstream } from '../daemon/upstream.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { answerFailure } from '../exchange/failure.ts';
import { relayStreamed } from './streamed.ts';

/** Safe to send again (RFC 9110 §9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/**
 * Passes a request to the daemon and its answer back, as they come. Two clients share the work: ours,
 * which copies no body, where there is nothing to wait for; node:http sends the head before the first byte of the body is there, passes on
 * `Expect: 100-continue` and reads an answer that comes before the body has ended.
 */
export function relay(exchange: Exchange, upstream: Upstream): void {
  const { req, res } = exchange;
  if (!hasBody(req)) {
    relayPooled(exchange, upstream, null);
  } else if (req.headers.expect !== undefined) {
    relayStreamed(exchange, upstream.proxyTarget(exchange));
  } else {
    // The check phase follows the read that brought the head: by then what came with it has been parsed.
    setImmediate(() => {
      if (res.destroyed) return;
      if (req.complete) relayPooled(exchange, upstream, req.read() as Buffer | null);
      else relayStreamed(exchange, upstream.proxyTarget(exchange));
    });
  }
}

function relayPooled(exchange: Exchange, upstream: Upstream, body: Buffer | null): void {
  const answer = new PooledAnswer(exchange, (error) => {
    const repeatable = body === null && IDEMPOTENT.has(exchange.req.method ?? '') && isLostConnection(error);
    if (repeatable) relayStreamed(exchange, upstream.proxyTarget(exchange, { agent: upstream.freshAgent }));
    else answerFailure(exchange, error);
  });
  answer.begin(upstream, body);
}
