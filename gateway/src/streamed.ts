import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import process from 'node:process';
import { closeWhenRead, cutAnswer } from './answers.ts';
import type { Exchange } from './exchange.ts';
import { answerFailure } from './failure.ts';
import { answeredHeaders, type FlatHeaders, forwardedHeaders, hasBody } from './headers.ts';
import type { Upstream } from './upstream.ts';

/**
 * Passes a request on while its body is still coming.
 * @param connection `new`: not one of those that are kept, which the daemon may just have closed.
 */
export function relayStreamed(
  exchange: Exchange,
  upstream: Upstream,
  { connection = 'kept' }: { readonly connection?: 'kept' | 'new' } = {},
): void {
  const { req, res, target } = exchange;
  let outgoing: ClientRequest;
  try {
    outgoing = request({
      host: upstream.host,
      port: upstream.port,
      method: req.method ?? 'GET',
      path: target.raw,
      headers: framedHeaders(exchange, upstream),
      setHost: false,
      agent: connection === 'kept' ? upstream.agent : false,
    });
  } catch (error) {
    answerFailure(exchange, error);
    return;
  }
  let answered = false;
  res.on('close', () => {
    if (!res.writableFinished) outgoing.destroy();
  });
  outgoing.on('error', (error) => {
    if (!answered && !res.destroyed) answerFailure(exchange, error);
  });
  outgoing.on('response', (answer) => {
    answered = true;
    relayAnswer(exchange, outgoing, answer);
  });
  if (!hasBody(req)) {
    outgoing.end();
  } else if (req.headers.expect === undefined) {
    outgoing.flushHeaders();
    req.pipe(outgoing);
  } else {
    outgoing.on('continue', () => {
      res.writeContinue();
      req.pipe(outgoing);
    });
  }
}

function framedHeaders(exchange: Exchange, upstream: Upstream): FlatHeaders {
  const { req } = exchange;
  const headers = forwardedHeaders(exchange, upstream.authority);
  if (req.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
  if (req.headers.expect !== undefined) headers.push('Expect', '100-continue');
  return headers;
}

/** Writes an answer through; one that comes before the request was read ends the connection after it. */
export function relayAnswer(exchange: Exchange, outgoing: ClientRequest, answer: IncomingMessage): void {
  const { req, res, requestId } = exchange;
  const headers = answeredHeaders(answer.rawHeaders, requestId);
  if (!req.complete) {
    const closing = closeWhenRead(req, res);
    headers.push('Connection', closing.Connection);
  }
  answer.on('close', () => {
    if (!answer.complete) cutAnswer(exchange);
    if (!outgoing.writableFinished) outgoing.destroy();
  });
  answer.on('error', () => {});
  try {
    res.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
  } catch (error) {
    outgoing.destroy();
    answerFailure(exchange, error);
    return;
  }
  answer.pipe(res);
  process.nextTick(() => {
    if (res.writable && res.writableLength === 0) res.flushHeaders();
  });
}
