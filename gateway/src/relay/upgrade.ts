import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { hasBody } from '@sandbox/program/has-body.ts';
import { onWithdrawn } from '../access/credential-uses.ts';
import { isAnswered, type UpgradeExchange, within } from '../exchange/exchange.ts';
import { sendUpstreamError } from '../exchange/upstream-error.ts';
import { connectTo } from '../net/address.ts';
import { MalformedAnswer } from '../net/connection-errors.ts';
import { splice } from '../net/splice.ts';
import { WebSocketFrames } from '../net/websocket-frames.ts';
import type { WideSocket } from '../net/wide-socket.ts';
import type { ProxyTarget } from './proxy-target.ts';
import { relayAnswer } from './streamed.ts';

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
  if (isAnswered(exchange)) return;
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
  socket.on('close', () => outgoing.destroy());
  relayAnswer(exchange, proxyTarget, outgoing);
  outgoing.on(
    'upgrade',
    within(exchange, (response, _socket, head) => {
      if (!isOffered(exchange, response)) {
        upstreamSocket.destroy();
        sendUpstreamError(exchange, new MalformedAnswer('101 to a protocol that was not offered'), proxyTarget);
        return;
      }
      if (!proxyTarget.isPublic) exchange.admitted?.();
      res.detachSocket(socket);
      accept(exchange, proxyTarget, response, upstreamSocket, head);
    }),
  );
  outgoing.end();
}

/** A server may switch only to a protocol that the client offered (RFC 9110 §7.8). */
function isOffered({ protocol }: UpgradeExchange, { headers }: IncomingMessage): boolean {
  const offered = protocol.split(',').map((name) => name.trim().toLowerCase());
  return headers.upgrade !== undefined && offered.includes(headers.upgrade.trim().toLowerCase());
}

function accept(
  exchange: UpgradeExchange,
  proxyTarget: ProxyTarget,
  response: IncomingMessage,
  upstreamSocket: WideSocket,
  upstreamHead: Buffer,
): void {
  const { socket, head, protocol } = exchange;
  const fields = proxyTarget.responseHeaders(response.rawHeaders);
  fields.push('Connection', 'Upgrade', 'Upgrade', response.headers.upgrade ?? protocol);
  let lines = 'HTTP/1.1 101 Switching Protocols\r\n';
  for (let i = 0; i < fields.length; i += 2) lines += `${fields[i]}: ${fields[i + 1]}\r\n`;
  socket.write(Buffer.concat([Buffer.from(`${lines}\r\n`, 'latin1'), upstreamHead]));
  if (head.length > 0) upstreamSocket.write(head);
  const frames = response.headers.upgrade?.toLowerCase() === 'websocket' ? new WebSocketFrames() : undefined;
  frames?.take(upstreamHead);
  const cut = splice(socket, upstreamSocket, frames && { frames, restarts: proxyTarget.restarts ?? false });
  onWithdrawn(exchange, cut);
}
