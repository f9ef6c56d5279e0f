import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type Daemon, startDaemon, startGateway } from '../gateway.fixture.ts';

interface Relayed {
  readonly client: WebSocket;
  /** The daemon's end. */
  readonly socket: Socket;
  readonly server: WebSocket;
  readonly closed: Promise<unknown[]>;
}

/** A WebSocket through a gateway, over which a message has passed. */
async function relayed(daemon: Daemon, port: number, path = '/v2/pty/ws'): Promise<Relayed> {
  const sockets = new WebSocketServer({ server: daemon.server });
  const accepted = once(sockets, 'connection');
  const client = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  const closed = once(client, 'close');
  const [server, { socket }] = (await accepted) as [WebSocket, { socket: Socket }];
  server.send('hello');
  await once(client, 'message');
  return { client, server, socket, closed };
}

test.each([
  ['resets', (socket: Socket) => void socket.resetAndDestroy()],
  ['ends', (socket: Socket) => void socket.destroy()],
])('[gateway.interrupted] a daemon that %s the connection between two messages is close code 1012', async (_, cut) => {
  await using daemon = await startDaemon((_req, res) => void res.end());
  await using gateway = await startGateway(daemon.port);
  const { socket, closed } = await relayed(daemon, gateway.port);
  cut(socket);
  expect((await closed).map(String)).toEqual(['1012', 'the service was interrupted: connect again']);
});

test('[gateway.interrupted] a client that still sends and reads late gets every message and then 1012', async () => {
  await using daemon = await startDaemon((_req, res) => void res.end());
  await using gateway = await startGateway(daemon.port);
  const { client, server, socket, closed } = await relayed(daemon, gateway.port);
  let received = 0;
  client.on('message', (data: Buffer) => {
    received += data.length;
  });
  client.pause();
  const sent = 40 * 1024;
  const written = new Promise<void>((resolve) => server.send(Buffer.alloc(sent), () => resolve()));
  await written;
  const gone = once(socket, 'close');
  socket.destroySoon();
  await gone;
  for (let i = 0; i < 100; i++) client.send(Buffer.alloc(10_000));
  client.resume();
  expect((await closed)[0]).toBe(1012);
  expect(received).toBe(sent);
});

test('[gateway.interrupted] within a message the connection is cut', async () => {
  await using daemon = await startDaemon((_req, res) => void res.end());
  await using gateway = await startGateway(daemon.port);
  const within = await relayed(daemon, gateway.port);
  within.socket.end(Buffer.from([0x82, 5, 1, 2]));
  expect((await within.closed)[0]).toBe(1006);
});

test('[gateway.interrupted] a close code of the daemon passes unchanged', async () => {
  await using daemon = await startDaemon((_req, res) => void res.end());
  await using gateway = await startGateway(daemon.port);
  const { server, closed } = await relayed(daemon, gateway.port);
  server.close(4404, 'gone');
  expect((await closed).map(String)).toEqual(['4404', 'gone']);
});
