import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { WebSocketPort } from './websocket-port.ts';

const PIECE = 100 * 1024;
const PIECES = 40;

test('a client with too many unhandled messages is paused, and resumed after they are handled', async () => {
  const handshake = new WebSocketServer({ noServer: true });
  await using server = createServer();
  const gate = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const sizes: number[] = [];
  let connection: WebSocket | undefined;
  server.on('upgrade', (request, socket, head) =>
    handshake.handleUpgrade(request, socket, head, (accepted) => {
      connection = accepted;
      new WebSocketPort(accepted, socket as Socket).onMessage(async (bytes) => {
        sizes.push(bytes.length);
        if (sizes.length === PIECES) over.resolve();
        await gate.promise;
      });
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await once(client, 'open');
  for (let piece = 0; piece < PIECES; piece += 1) client.send(Buffer.alloc(PIECE));
  await expect.poll(() => connection?.isPaused).toBe(true);
  expect(sizes.length).toBeLessThan(PIECES);
  gate.resolve();
  await over.promise;
  expect(sizes).toEqual(Array.from({ length: PIECES }, () => PIECE));
  client.terminate();
});

test('[websocket.ping] a client that is not read cannot answer pings, and is not taken for one that has gone', async () => {
  const handshake = new WebSocketServer({ noServer: true });
  await using server = createServer();
  const gate = Promise.withResolvers<void>();
  const ports: WebSocketPort[] = [];
  server.on('upgrade', (request, socket, head) =>
    handshake.handleUpgrade(request, socket, head, (connection) => {
      const port = new WebSocketPort(connection, socket as Socket, { pingMs: 20 });
      port.onMessage(() => gate.promise);
      ports.push(port);
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new WebSocket(url);
  await once(client, 'open');
  for (let piece = 0; piece < PIECES; piece += 1) client.send(Buffer.alloc(PIECE));
  const other = new WebSocket(url);
  for (let pings = 0; pings < 10; pings += 1) await once(other, 'ping');
  expect(ports.map(({ gone }) => gone.aborted)).toEqual([false, false]);
  gate.resolve();
  await once(client, 'ping');
  client.terminate();
  other.terminate();
});
