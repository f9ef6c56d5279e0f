import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import process from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { exchange, startDaemon, startGateway, startJudge } from '../gateway.fixture.ts';
import { connectTo, isListening } from './address.ts';

/** As on a machine that is too busy: nothing of this process runs for longer than Node gives an address by itself. */
function standStill(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
}

/** Where in its turn Node looks at what is late before it looks at what has come. */
const beforeTimers = setImmediate;

test('what listens is found by a process that stands still while it looks', async () => {
  await using app = await startDaemon((_req, res) => void res.end());
  await beforeTimers();
  const found = isListening({ host: '127.0.0.1', port: app.port });
  standStill();
  expect(await found).toBe(true);
});

test('a connection to localhost is made by a process that stands still meanwhile', async () => {
  await using app = await startDaemon((_req, res) => void res.end());
  await beforeTimers();
  const socket = connectTo({ host: 'localhost', port: app.port });
  standStill();
  await once(socket, 'connect');
  socket.destroy();
});

test('[preview.path] an application is reached by a gateway that stands still while it connects', async () => {
  await using daemon = await startJudge();
  await using app = await startDaemon((_req, res) => void res.end('reached'));
  await using gateway = await startGateway(daemon.port);
  const onSocket = (message: unknown): void => {
    (message as { socket: Socket }).socket.on('connectionAttempt', (_address, port) => {
      if (port === app.port) process.nextTick(standStill);
    });
  };
  subscribe('net.client.socket', onSocket);
  const answer = await exchange(gateway.port, `GET /proxy/${app.port}/ HTTP/1.1\nHost: h\nX-API-Key: k`);
  unsubscribe('net.client.socket', onSocket);
  expect(answer).toContain('reached');
});
