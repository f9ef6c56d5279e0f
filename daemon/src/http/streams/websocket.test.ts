import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { WebSocketPort } from './websocket-port.ts';

test('[websocket.ping] a client is pinged, and ended when two pings go unanswered', async () => {
  const handshake = new WebSocketServer({ noServer: true });
  await using server = createServer();
  const ports: Promise<WebSocketPort>[] = [];
  server.on('upgrade', (request, socket, head) => {
    ports.push(
      new Promise((resolve) => {
        handshake.handleUpgrade(request, socket, head, (connection) =>
          resolve(new WebSocketPort(connection, socket as Socket, 20)),
        );
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const alive = new WebSocket(url);
  await once(alive, 'open');
  for (let i = 0; i < 5; i += 1) await once(alive, 'ping');
  expect((await ports[0])?.gone.aborted).toBe(false);
  alive.terminate();

  const deaf = new WebSocket(url, { autoPong: false });
  await once(deaf, 'open');
  let pings = 0;
  deaf.on('ping', () => {
    pings += 1;
  });
  const [code] = await once(deaf, 'close');
  expect([code, pings]).toEqual([1006, 2]);
  const port = await ports[1];
  await expect.poll(() => port?.gone.aborted).toBe(true);
});
