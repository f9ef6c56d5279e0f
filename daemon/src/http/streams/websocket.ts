import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ignore } from '@sandbox/program/ignore.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import { onAbort } from '../../core/wait.ts';
import type { App } from '../app-types.ts';
import { failure } from '../envelope.ts';
import { WebSocketPort } from './websocket-port.ts';

/** Largest message of a client, in bytes; a longer one closes the connection with 1009. */
const MAX_MESSAGE_BYTES = 8 * 1024 ** 2;
/** Milliseconds for a client to complete the close handshake when the daemon stops. */
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

/** Whether a request is a WebSocket upgrade (RFC 6455 §4.1); any other `Upgrade` is ignored (RFC 9110 §7.8). */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Routes WebSocket upgrades like any other request, so that gate, hooks and schemas apply before the upgrade; the route
 * then calls `acceptWebSocket`. Register it after the hooks that end streams.
 */
export function serveUpgrades(app: App): void {
  const open = new Set<WebSocketPort>();
  app.server.on('upgrade', (request: IncomingMessage, duplex: Duplex, head: Buffer) => {
    const socket = duplex as Socket;
    socket.on('error', ignore);
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
 * Completes the handshake of an admitted request.
 * @returns undefined if the request is no upgrade (status 426) or its handshake is invalid (status 400)
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
      .send(failure('this path accepts only WebSocket connections', hint));
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
      onAbort(port.gone, () => open.delete(port));
      resolve(port);
    });
  });
}
