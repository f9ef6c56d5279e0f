import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import process from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { exchange, startAuthDaemon, startDaemon, startGateway } from '../gateway.fixture.ts';
import { connectTo, isListening } from './address.ts';

/** Blocks the process, as on a busy machine, for longer than Node's default timeout of one connection attempt. */
function block(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
}

/** Resolves in the check phase, after which Node runs expired timers before it polls for events. */
const beforeTimers = setImmediate;

test('a listening address is detected by a process that is blocked meanwhile', async () => {
  await using app = await startDaemon((_req, res) => void res.end());
  await beforeTimers();
  const found = isListening({ host: '127.0.0.1', port: app.port });
  block();
  expect(await found).toBe(true);
});

test('a process that is blocked meanwhile connects to localhost', async () => {
  await using app = await startDaemon((_req, res) => void res.end());
  await beforeTimers();
  const socket = connectTo({ host: 'localhost', port: app.port });
  block();
  await once(socket, 'connect');
  socket.destroy();
});

test('[preview.path] a gateway that is blocked while it connects reaches the application', async () => {
  await using daemon = await startAuthDaemon();
  await using app = await startDaemon((_req, res) => void res.end('reached'));
  await using gateway = await startGateway(daemon.port);
  const onSocket = (message: unknown): void => {
    (message as { socket: Socket }).socket.on('connectionAttempt', (_address, port) => {
      if (port === app.port) process.nextTick(block);
    });
  };
  subscribe('net.client.socket', onSocket);
  const answer = await exchange(gateway.port, `GET /proxy/${app.port}/ HTTP/1.1\nHost: h\nX-API-Key: k`);
  unsubscribe('net.client.socket', onSocket);
  expect(answer).toContain('reached');
});
