import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import type { App } from '../app-types.ts';
import { failure } from '../envelope.ts';
import { WebSocketPort } from './websocket-port.ts';

/** Bytes of one message from a client; a longer one ends the connection with 1009. */
const MAX_MESSAGE_BYTES = 8 * 1024 ** 2;
/** Milliseconds that a client gets to answer the closing of a daemon that stops. */
const CLOSING_MS = 500;

interface Upgrade {
  readonly socket: Socket;
  readonly head: Buffer;
  readonly response: ServerResponse;
  readonly open: Set<WebSocketPort>;
}

const handshake = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MAX_MESSAGE_BYTES,
});
const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** Whether a request asks for a WebSocket (RFC 6455 §4.1); for anything else `Upgrade` is left aside (RFC 9110 §7.8). */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Lets requests for WebSockets take the way of every other request, so that the gate, the hooks and the schemas judge
 * them before anything is upgraded; a route then calls `acceptWebSocket`. Must come after what ends the streams.
 */
export function serveUpgrades(app: App): void {
  const open = new Set<WebSocketPort>();
  app.server.on('upgrade', (request: IncomingMessage, duplex: Duplex, head: Buffer) => {
    const socket = duplex as Socket;
    const swallow = (): void => {};
    socket.on('error', swallow);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.on('finish', () => {
      if (response.socket) response.detachSocket(socket);
      socket.end();
    });
    upgrades.set(request, { socket, head, response, open });
    app.routing(request, response);
  });
  app.addHook('preClose', async () => {
    for (const port of open) port.close(1001, 'the service is stopping');
    setTimeout(() => {
      for (const port of open) port.terminate();
    }, CLOSING_MS).unref();
  });
}

/**
 * Completes the handshake of a request that was let in. Undefined where there will be no WebSocket: the request was no
 * upgrade (it is answered with 426) or its handshake is wrong (ws answers 400).
 */
export async function acceptWebSocket(
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<WebSocketPort | undefined> {
  const upgrade = upgrades.get(request.raw);
  if (upgrade === undefined) {
    const hint = 'connect with a WebSocket client';
    await reply
      .code(426)
      .headers({ upgrade: 'websocket', connection: 'Upgrade' })
      .send(failure('a WebSocket is served here', hint));
    return undefined;
  }
  const { socket, head, response, open } = upgrade;
  reply.hijack();
  response.detachSocket(socket);
  return new Promise((resolve) => {
    const refused = (): void => resolve(undefined);
    socket.once('close', refused);
    handshake.handleUpgrade(request.raw, socket, head, (connection) => {
      socket.off('close', refused);
      const port = new WebSocketPort(connection, socket);
      open.add(port);
      port.gone.addEventListener('abort', () => open.delete(port), { once: true });
      resolve(port);
    });
  });
}
