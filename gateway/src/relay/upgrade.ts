import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { hasBody } from '@sandbox/program/has-body.ts';
import type { UpgradeExchange } from '../exchange/exchange.ts';
import { sendUpstreamError } from '../exchange/upstream-error.ts';
import { connectTo } from '../net/address.ts';
import { splice } from '../net/splice.ts';
import type { WideSocket } from '../net/wide-socket.ts';
import type { ProxyTarget } from './proxy-target.ts';
import { relayResponse } from './streamed.ts';

/** Other versions of HTTP: after such an upgrade, requests would bypass the gateway's access checks. */
const HTTP_UPGRADES = /(?:^|,)\s*(?:h2c|http|tls)\b/i;

/**
 * Whether a request is handled as an upgrade: a GET without a body to a protocol other than HTTP. For other requests
 * the Upgrade header is ignored (RFC 9110 §7.8), as clients expect that offer h2c with every request.
 */
export function isProtocolChange(req: IncomingMessage): boolean {
  const protocol = req.headers.upgrade;
  return protocol !== undefined && !HTTP_UPGRADES.test(protocol) && req.method === 'GET' && !hasBody(req);
}

/**
 * Requests the upgrade from an upstream and joins the connections if it accepts; any other response is relayed. The
 * daemon checks access to its own paths itself; for other upstreams the caller has checked it.
 */
export function relayUpgrade(exchange: UpgradeExchange, proxyTarget: ProxyTarget): void {
  let outgoing: ClientRequest;
  let upstreamSocket: WideSocket;
  try {
    outgoing = request({
      createConnection: () => {
        upstreamSocket = connectTo(proxyTarget.to);
        return upstreamSocket;
      },
      method: exchange.req.method ?? 'GET',
      path: proxyTarget.path,
      headers: [...proxyTarget.headers, 'Connection', 'Upgrade', 'Upgrade', exchange.protocol],
      setHost: false,
    });
  } catch (error) {
    sendUpstreamError(exchange, error, proxyTarget);
    return;
  }
  const { socket, res } = exchange;
  let responded = false;
  socket.on('close', () => outgoing.destroy());
  outgoing.on('error', (error) => {
    if (!responded && !socket.destroyed) sendUpstreamError(exchange, error, proxyTarget);
  });
  outgoing.on('response', (response) => {
    responded = true;
    relayResponse(exchange, proxyTarget, outgoing, response);
  });
  outgoing.on('upgrade', (response, _socket, head) => {
    responded = true;
    res.detachSocket(socket);
    accept(exchange, proxyTarget, response, upstreamSocket, head);
  });
  outgoing.end();
}

function accept(
  { socket, head, protocol }: UpgradeExchange,
  proxyTarget: ProxyTarget,
  response: IncomingMessage,
  upstreamSocket: WideSocket,
  upstreamHead: Buffer,
): void {
  const fields = proxyTarget.responseHeaders(response.rawHeaders);
  fields.push('Connection', 'Upgrade', 'Upgrade', response.headers.upgrade ?? protocol);
  let lines = `HTTP/1.1 101 ${response.statusMessage ?? ''}\r\n`;
  for (let i = 0; i < fields.length; i += 2) lines += `${fields[i]}: ${fields[i + 1]}\r\n`;
  socket.write(Buffer.concat([Buffer.from(`${lines}\r\n`, 'latin1'), upstreamHead]));
  if (head.length > 0) upstreamSocket.write(head);
  splice(socket, upstreamSocket);
}
