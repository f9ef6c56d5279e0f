import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import process from 'node:process';
import { closeWhenRead } from '@sandbox/program/close-when-read.ts';
import { hasBody } from '@sandbox/program/has-body.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { withCorsHeaders } from '../exchange/cross-origin.ts';
import { type Exchange, isAnswered, within } from '../exchange/exchange.ts';
import { type FlatHeaders, needsLength } from '../exchange/headers.ts';
import { abortResponse } from '../exchange/responses.ts';
import { sendUpstreamError } from '../exchange/upstream-error.ts';
import { loopbackLookup } from '../net/address.ts';
import { MalformedAnswer, SilentUpstream } from '../net/connection-errors.ts';
import { pump } from '../net/pump.ts';
import type { ProxyTarget } from './proxy-target.ts';

/** A reason phrase (RFC 9112 §4). */
const REASON = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Milliseconds to wait for `100 Continue`; HTTP/1.0 applications send none (RFC 9110 §10.1.1). */
const CONTINUE_MS = 1_000;

/** Relays a request while its body is still arriving, and streams the response back. */
export function relayStreamed(exchange: Exchange, proxyTarget: ProxyTarget): void {
  const { req, res } = exchange;
  if (isAnswered(exchange)) return;
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
    sendUpstreamError(exchange, error, proxyTarget);
    return;
  }
  res.on('close', () => {
    if (!res.writableFinished || !req.complete) outgoing.destroy();
  });
  relayAnswer(exchange, proxyTarget, outgoing);
  outgoing.on(
    'upgrade',
    within(exchange, (_response, socket) => {
      socket.destroy();
      sendUpstreamError(exchange, new MalformedAnswer('unrequested 101 Switching Protocols'), proxyTarget);
    }),
  );
  sendBody(exchange, outgoing);
}

/** Sends what an upstream answers to the client; its failure becomes an error. */
export function relayAnswer(exchange: Exchange, proxyTarget: ProxyTarget, outgoing: ClientRequest): void {
  if (proxyTarget.answerTimeoutMs !== undefined) limitSilence(outgoing, proxyTarget.answerTimeoutMs);
  outgoing.on('error', (error) => {
    if (!isAnswered(exchange)) sendUpstreamError(exchange, error, proxyTarget);
  });
  outgoing.on(
    'response',
    within(exchange, (response) => relayResponse(exchange, proxyTarget, outgoing, response)),
  );
}

function limitSilence(outgoing: ClientRequest, ms: number): void {
  const timer = setTimeout(() => outgoing.destroy(new SilentUpstream(`no answer within ${ms} ms`)), ms);
  const stop = (): void => clearTimeout(timer);
  outgoing.once('response', stop).once('upgrade', stop).once('close', stop);
}

function sendBody({ req, res }: Exchange, outgoing: ClientRequest): void {
  if (!hasBody(req)) {
    outgoing.end();
    return;
  }
  if (req.headers.expect === undefined) {
    outgoing.flushHeaders();
    pump(req, outgoing);
    return;
  }
  let begun = false;
  const begin = (): void => {
    clearTimeout(timer);
    if (begun || res.headersSent || outgoing.destroyed) return;
    begun = true;
    res.writeContinue();
    pump(req, outgoing);
  };
  const timer = setTimeout(begin, CONTINUE_MS);
  outgoing.on('continue', begin);
  outgoing.on('close', () => clearTimeout(timer));
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

/** Streams a response to the client; a response before the end of the request body closes the connection afterwards. */
function relayResponse(
  exchange: Exchange,
  proxyTarget: ProxyTarget,
  outgoing: ClientRequest,
  response: IncomingMessage,
): void {
  const { req, res } = exchange;
  const { statusCode = 0, statusMessage = '' } = response;
  if (isAnswered(exchange) || statusCode < 200 || !REASON.test(statusMessage)) {
    outgoing.destroy();
    if (!isAnswered(exchange)) sendUpstreamError(exchange, new MalformedAnswer('invalid status line'), proxyTarget);
    return;
  }
  const headers = withCorsHeaders(res, proxyTarget.responseHeaders(response.rawHeaders));
  if (!req.complete) {
    const closing = closeWhenRead(req, res);
    headers.push('Connection', closing.Connection);
  }
  response.on('close', () => {
    if (!response.complete) abortResponse(exchange);
    if (!outgoing.writableFinished) outgoing.destroy();
  });
  response.on('error', ignore);
  try {
    res.writeHead(statusCode, statusMessage, headers);
  } catch (error) {
    outgoing.destroy();
    sendUpstreamError(exchange, new MalformedAnswer(String(error)), proxyTarget);
    return;
  }
  pump(response, res);
  process.nextTick(() => {
    if (res.writable && res.writableLength === 0) res.flushHeaders();
  });
}
