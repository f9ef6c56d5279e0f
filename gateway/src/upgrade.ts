import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { UpgradeExchange } from './exchange.ts';
import { answerFailure } from './failure.ts';
import { answeredHeaders, type FlatHeaders, forwardedHeaders, hasBody } from './headers.ts';
import { splice } from './splice.ts';
import { relayAnswer } from './streamed.ts';
import type { Upstream } from './upstream.ts';

/** Other versions of HTTP: behind an accepted one, requests would pass that no gateway has judged. */
const HTTP_UPGRADES = /(?:^|,)\s*(?:h2c|http|tls)\b/i;

/**
 * Which requests change the protocol: those without a body and not to another HTTP. Others are served as if they had
 * not asked (RFC 9110 §7.8), which is what clients expect that offer h2c with every request.
 */
export function isProtocolChange(req: IncomingMessage): boolean {
  const protocol = req.headers.upgrade;
  return protocol !== undefined && !HTTP_UPGRADES.test(protocol) && req.method === 'GET' && !hasBody(req);
}

/** Asks the daemon for the upgrade; it judges before anything is upgraded, and a refusal is an ordinary answer. */
export function relayUpgrade(exchange: UpgradeExchange, upstream: Upstream): void {
  let outgoing: ClientRequest;
  try {
    outgoing = request({
      createConnection: () => connect({ host: upstream.host, port: upstream.port, allowHalfOpen: true, noDelay: true }),
      method: exchange.req.method ?? 'GET',
      path: exchange.target.raw,
      headers: upgradeHeaders(exchange, upstream),
      setHost: false,
    });
  } catch (error) {
    answerFailure(exchange, error);
    return;
  }
  const { socket, res } = exchange;
  let answered = false;
  socket.on('close', () => outgoing.destroy());
  outgoing.on('error', (error) => {
    if (!answered && !socket.destroyed) answerFailure(exchange, error);
  });
  outgoing.on('response', (answer) => {
    answered = true;
    relayAnswer(exchange, outgoing, answer);
  });
  outgoing.on('upgrade', (answer, far, head) => {
    answered = true;
    res.detachSocket(socket);
    accept(exchange, answer, far, head);
  });
  outgoing.end();
}

function upgradeHeaders(exchange: UpgradeExchange, upstream: Upstream): FlatHeaders {
  return [...forwardedHeaders(exchange, upstream.authority), 'Connection', 'Upgrade', 'Upgrade', exchange.protocol];
}

function accept(
  { socket, head, requestId, protocol }: UpgradeExchange,
  answer: IncomingMessage,
  far: Socket,
  farHead: Buffer,
): void {
  const fields = answeredHeaders(answer.rawHeaders, requestId);
  fields.push('Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? protocol);
  let lines = `HTTP/1.1 101 ${answer.statusMessage ?? ''}\r\n`;
  for (let i = 0; i < fields.length; i += 2) lines += `${fields[i]}: ${fields[i + 1]}\r\n`;
  socket.write(Buffer.concat([Buffer.from(`${lines}\r\n`, 'latin1'), farHead]));
  if (head.length > 0) far.write(head);
  splice(socket, far);
}
