import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { App } from '@sandbox/api/http/app-types.ts';
import { failure } from '@sandbox/api/http/envelope.ts';
import { onAbort } from '@sandbox/api/wait.ts';
import { endGently } from '@sandbox/program/close-when-read.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { OpenConnections } from '@sandbox/program/server/open-connections.ts';
import { rawAnswer } from '@sandbox/program/server/refusals.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import { transferUse } from '../access/uses.ts';
import { INTERNAL_ERROR, WebSocketPort } from './websocket-port.ts';

/** Largest message of a client, in bytes, unless a route has its own limit. */
const MAX_MESSAGE_BYTES = 8 * 1024 ** 2;
/** Milliseconds for a client to complete the close handshake when the daemon stops. */
const CLOSING_MS = 500;

interface Upgrade {
  readonly socket: Socket;
  readonly head: Buffer;
  readonly response: ServerResponse;
  readonly open: Set<WebSocketPort>;
}

/** By the largest message. */
const handshakes = new Map<number, WebSocketServer>();
const upgrades = new WeakMap<IncomingMessage, Upgrade>();
const requestIds = new WeakMap<IncomingMessage, string>();

/** Whether a request is a WebSocket upgrade (RFC 6455 §4.1); any other `Upgrade` is ignored (RFC 9110 §7.8). */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Routes WebSocket upgrades like any other request, so that gate, hooks and schemas apply before the upgrade; the route
 * then calls `acceptWebSocket`. Register it after the hooks that end streams.
 * @returns the open WebSockets
 */
export function serveUpgrades(app: App, connections: OpenConnections): ReadonlySet<object> {
  const open = new Set<WebSocketPort>();
  app.server.on('upgrade', (request: IncomingMessage, duplex: Duplex, head: Buffer) => {
    const socket = duplex as Socket;
    socket.on('error', ignore);
    connections.guard(socket, () => {
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket);
      response.on('finish', () => {
        if (response.socket) response.detachSocket(socket);
        socket.end();
      });
      upgrades.set(request, { socket, head, response, open });
      connections.takeUpgrade(request, response, () => app.routing(request, response));
    });
  });
  app.addHook('preClose', async () => {
    for (const port of open) port.close(1001, 'the service is stopping');
    setTimeout(() => {
      for (const port of open) port.terminate();
    }, CLOSING_MS).unref();
  });
  return open;
}

/**
 * Completes the handshake of an admitted request and serves the connection. A request that is no upgrade is status 426,
 * an invalid handshake 400. An exception in `serve` closes the connection with 1011 and is logged.
 * @param maxMessageBytes a longer message closes the connection with 1009
 */
export async function acceptWebSocket(
  request: FastifyRequest,
  reply: FastifyReply,
  serve: (port: WebSocketPort) => Promise<void>,
  maxMessageBytes = MAX_MESSAGE_BYTES,
): Promise<void> {
  const upgrade = upgrades.get(request.raw);
  if (upgrade === undefined) return refuseWithoutUpgrade(reply);
  reply.hijack();
  const fail = (error: unknown): void =>
    request.log.error({ err: error, reqId: request.id }, 'unexpected error on a WebSocket');
  const port = await shakeHands(request, upgrade, { maxMessageBytes, fail });
  if (port === undefined) return;
  try {
    await serve(port);
  } catch (error) {
    fail(error);
    port.close(INTERNAL_ERROR, 'internal error');
  }
}

/** Answers 426 to a request without an upgrade, for routes that look before they call `acceptWebSocket`. */
export async function refuseWithoutUpgrade(reply: FastifyReply): Promise<void> {
  await reply
    .code(426)
    .headers({ upgrade: 'websocket', connection: 'Upgrade' })
    .send(failure('this path accepts only WebSocket connections', 'connect with a WebSocket client'));
}

/** @returns undefined if the handshake is invalid, or the client is gone */
function shakeHands(
  { raw, id }: FastifyRequest,
  { socket, head, response, open }: Upgrade,
  { maxMessageBytes, fail }: { readonly maxMessageBytes: number; readonly fail: (error: unknown) => void },
): Promise<WebSocketPort | undefined> {
  requestIds.set(raw, id);
  response.detachSocket(socket);
  return new Promise((resolve) => {
    const refused = (): void => {
      transferUse(raw, ignore).done();
      resolve(undefined);
    };
    socket.once('close', refused);
    handshakeFor(maxMessageBytes).handleUpgrade(raw, socket, head, (connection) => {
      socket.off('close', refused);
      const port = new WebSocketPort(connection, socket, { fail });
      open.add(port);
      const use = transferUse(raw, () => port.withdraw());
      onAbort(port.gone, () => {
        open.delete(port);
        use.done();
      });
      resolve(port);
    });
  });
}

function handshakeFor(maxPayload: number): WebSocketServer {
  const known = handshakes.get(maxPayload);
  if (known) return known;
  const handshake = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload,
    allowSynchronousEvents: false,
  });
  handshake.on('headers', (headers, request) => headers.push(`x-request-id: ${requestIds.get(request)}`));
  handshake.on('wsClientError', ({ message }, socket, request) => {
    const headers = { 'Sec-WebSocket-Version': '13' };
    const hint = 'use a client of RFC 6455';
    socket.write(rawAnswer({ status: '400 Bad Request', message, hint, headers }, requestIds.get(request)));
    endGently(socket as Socket);
  });
  handshakes.set(maxPayload, handshake);
  return handshake;
}
