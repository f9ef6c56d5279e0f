import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import process from 'node:process';
import { closeWhenRead } from '@sandbox/program/close-when-read.ts';
import { hasBody } from '@sandbox/program/has-body.ts';
import { cutAnswer } from '../exchange/answers.ts';
import { withGrant } from '../exchange/cross-origin.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { answerFailure } from '../exchange/failure.ts';
import { type FlatHeaders, needsLength } from '../exchange/headers.ts';
import { loopbackLookup } from '../net/address.ts';
import { pump } from '../net/pump.ts';
import type { ProxyTarget } from './proxy-target.ts';

/** Passes a request on while its body is still coming, and the answer back. */
export function relayStreamed(exchange: Exchange, proxyTarget: ProxyTarget): void {
  const { req, res } = exchange;
  let outgoing: ClientRequest;
  try {
    outgoing = request({
      ...proxyTarget.to,
      ...loopbackLookup(proxyTarget.to.host),
      method: req.method ?? 'GET',
      path: proxyTarget.path,
      headers: framedHeaders(exchange, proxyTarget),
      setHost: false,
      agent: proxyTarget.agent,
    });
  } catch (error) {
    answerFailure(exchange, error, proxyTarget);
    return;
  }
  let answered = false;
  res.on('close', () => {
    if (!res.writableFinished) outgoing.destroy();
  });
  outgoing.on('error', (error) => {
    if (!answered && !res.destroyed) answerFailure(exchange, error, proxyTarget);
  });
  outgoing.on('response', (answer) => {
    answered = true;
    relayAnswer(exchange, proxyTarget, outgoing, answer);
  });
  if (!hasBody(req)) {
    outgoing.end();
  } else if (req.headers.expect === undefined) {
    outgoing.flushHeaders();
    pump(req, outgoing);
  } else {
    outgoing.on('continue', () => {
      res.writeContinue();
      pump(req, outgoing);
    });
  }
}

function framedHeaders({ req }: Exchange, proxyTarget: ProxyTarget): FlatHeaders {
  const headers = [...proxyTarget.headers];
  const { method = 'GET' } = req;
  if (!hasBody(req) && req.headers['content-length'] === undefined && needsLength(method))
    headers.push('Content-Length', '0');
  if (req.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
  if (req.headers.expect !== undefined) headers.push('Expect', '100-continue');
  return headers;
}

/** Writes an answer through; one that comes before the request was read ends the connection after it. */
export function relayAnswer(
  exchange: Exchange,
  proxyTarget: ProxyTarget,
  outgoing: ClientRequest,
  answer: IncomingMessage,
): void {
  const { req, res } = exchange;
  const headers = withGrant(res, proxyTarget.answered(answer.rawHeaders));
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
    answerFailure(exchange, error, proxyTarget);
    return;
  }
  pump(answer, res);
  process.nextTick(() => {
    if (res.writable && res.writableLength === 0) res.flushHeaders();
  });
}
