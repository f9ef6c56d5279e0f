import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { WebSocketPort } from './websocket-port.ts';

const PIECE = Buffer.alloc(64 * 1024);
const UPGRADE = [
  'GET / HTTP/1.1',
  'Host: 127.0.0.1',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

test('bytes for a client that has ended its side and does not read are waited for until the connection has closed', async () => {
  const handshake = new WebSocketServer({ noServer: true });
  await using server = createServer();
  const accepted = Promise.withResolvers<{ port: WebSocketPort; socket: Socket }>();
  server.on('upgrade', (request, duplex, head) => {
    const socket = duplex as Socket;
    handshake.handleUpgrade(request, socket, head, (connection) =>
      accepted.resolve({ port: new WebSocketPort(connection, socket), socket }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write(`${UPGRADE.join('\r\n')}\r\n\r\n`);
  const { port, socket } = await accepted.promise;
  while (port.buffered < 10 * PIECE.length) {
    port.sendBytes(PIECE, () => {});
    await nextTurn();
  }
  client.end();
  await once(socket, 'end');
  const isGone = port.drained().then(() => port.gone.aborted);
  client.destroy();
  expect(await isGone).toBe(true);
});
