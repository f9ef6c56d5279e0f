import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import process from 'node:process';
import { closeWhenRead } from '@sandbox/program/close-when-read.ts';
import { hasBody } from '@sandbox/program/has-body.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { withCorsHeaders } from '../exchange/cross-origin.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { type FlatHeaders, needsLength } from '../exchange/headers.ts';
import { abortResponse } from '../exchange/responses.ts';
import { sendUpstreamError } from '../exchange/upstream-error.ts';
import { loopbackLookup } from '../net/address.ts';
import { pump } from '../net/pump.ts';
import type { ProxyTarget } from './proxy-target.ts';

/** Relays a request while its body is still arriving, and streams the response back. */
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
    sendUpstreamError(exchange, error, proxyTarget);
    return;
  }
  let responded = false;
  res.on('close', () => {
    if (!res.writableFinished) outgoing.destroy();
  });
  outgoing.on('error', (error) => {
    if (!responded && !res.destroyed) sendUpstreamError(exchange, error, proxyTarget);
  });
  outgoing.on('response', (response) => {
    responded = true;
    relayResponse(exchange, proxyTarget, outgoing, response);
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

/** Streams a response to the client; a response before the end of the request body closes the connection afterwards. */
export function relayResponse(
  exchange: Exchange,
  proxyTarget: ProxyTarget,
  outgoing: ClientRequest,
  response: IncomingMessage,
): void {
  const { req, res } = exchange;
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
    res.writeHead(response.statusCode ?? 502, response.statusMessage, headers);
  } catch (error) {
    outgoing.destroy();
    sendUpstreamError(exchange, error, proxyTarget);
    return;
  }
  pump(response, res);
  process.nextTick(() => {
    if (res.writable && res.writableLength === 0) res.flushHeaders();
  });
}
