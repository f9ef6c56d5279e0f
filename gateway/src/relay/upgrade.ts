import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { hasBody } from '@sandbox/program/has-body.ts';
import type { UpgradeExchange } from '../exchange/exchange.ts';
import { answerFailure } from '../exchange/failure.ts';
import { connectTo } from '../net/address.ts';
import { splice } from '../net/splice.ts';
import type { WideSocket } from '../net/wide-socket.ts';
import type { ProxyTarget } from './proxy-target.ts';
import { relayAnswer } from './streamed.ts';

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

/**
 * Asks an upstream for the upgrade and joins the connections where it accepts; a refusal is an ordinary answer.
 * The daemon judges its own before it upgrades; before any other upstream it has been asked.
 */
export function relayUpgrade(exchange: UpgradeExchange, proxyTarget: ProxyTarget): void {
  let outgoing: ClientRequest;
  let far: WideSocket;
  try {
    outgoing = request({
      createConnection: () => {
        far = connectTo(proxyTarget.to);
        return far;
      },
      method: exchange.req.method ?? 'GET',
      path: proxyTarget.path,
      headers: [...proxyTarget.headers, 'Connection', 'Upgrade', 'Upgrade', exchange.protocol],
      setHost: false,
    });
  } catch (error) {
    answerFailure(exchange, error, proxyTarget);
    return;
  }
  const { socket, res } = exchange;
  let answered = false;
  socket.on('close', () => outgoing.destroy());
  outgoing.on('error', (error) => {
    if (!answered && !socket.destroyed) answerFailure(exchange, error, proxyTarget);
  });
  outgoing.on('response', (answer) => {
    answered = true;
    relayAnswer(exchange, proxyTarget, outgoing, answer);
  });
  outgoing.on('upgrade', (answer, _far, head) => {
    answered = true;
    res.detachSocket(socket);
    accept(exchange, proxyTarget, answer, far, head);
  });
  outgoing.end();
}

function accept(
  { socket, head, protocol }: UpgradeExchange,
  proxyTarget: ProxyTarget,
  answer: IncomingMessage,
  far: WideSocket,
  farHead: Buffer,
): void {
  const fields = proxyTarget.answered(answer.rawHeaders);
  fields.push('Connection', 'Upgrade', 'Upgrade', answer.headers.upgrade ?? protocol);
  let lines = `HTTP/1.1 101 ${answer.statusMessage ?? ''}\r\n`;
  for (let i = 0; i < fields.length; i += 2) lines += `${fields[i]}: ${fields[i + 1]}\r\n`;
  socket.write(Buffer.concat([Buffer.from(`${lines}\r\n`, 'latin1'), farHead]));
  if (head.length > 0) far.write(head);
  splice(socket, far);
}
