import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { startDaemon } from '../gateway.fixture.ts';
import { terminateSilentPeer } from './silent-peer.ts';

async function connected(options: {
  autoPong: boolean;
}): Promise<{ client: WebSocket; server: WebSocket } & AsyncDisposable> {
  const daemon = await startDaemon(() => {});
  const sockets = new WebSocketServer({ server: daemon.server });
  const client = new WebSocket(`ws://127.0.0.1:${daemon.port}`, options);
  const [server] = (await once(sockets, 'connection')) as [WebSocket];
  return { client, server, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() };
}

test('a peer stays connected as long as it sends pongs', async () => {
  await using pair = await connected({ autoPong: false });
  terminateSilentPeer(pair.server, { pingMs: 250 });
  for (let answered = 0; answered < 6; answered += 1) {
    await once(pair.client, 'ping');
    pair.client.pong();
  }
  const [code] = (await once(pair.client, 'close')) as [number];
  expect(code).toBe(1006);
});

test('a peer without pongs is terminated after the second missed one', async () => {
  await using pair = await connected({ autoPong: false });
  let pings = 0;
  pair.client.on('ping', () => {
    pings += 1;
  });
  terminateSilentPeer(pair.server, { pingMs: 20 });
  await once(pair.client, 'close');
  expect(pings).toBe(2);
});
