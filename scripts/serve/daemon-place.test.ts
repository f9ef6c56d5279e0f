import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../testing/free-port.ts';
import { type TempDir, tempDir } from '../testing/temp-dir.ts';
import { placeDaemon } from './daemon-place.ts';
import { inUse } from './ports.ts';
import { readServeOptions, type ServeOptions } from './serve-options.ts';

let directory: TempDir;
let said: string[];
const servers: Server[] = [];

beforeEach(async () => {
  directory = await tempDir();
  said = [];
});

afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await directory[Symbol.asyncDispose]();
});

async function occupy(where: number | string): Promise<void> {
  const server = typeof where === 'number' ? createServer().listen(where, '127.0.0.1') : createServer().listen(where);
  servers.push(server);
  await once(server, 'listening');
}

/** The options of `npm start` as if the default port of the daemon were `port`. */
async function options(port: number, argv: readonly string[] = []): Promise<ServeOptions> {
  const read = readServeOptions(argv, { GATEWAY_PORT: '8081' });
  return { ...read, daemon: { ...read.daemon, port } };
}

function place(given: ServeOptions, env: Record<string, string> = {}): Promise<ServeOptions> {
  return placeDaemon(given, { env, runtimeDir: join(directory.path, 'state'), say: (line) => void said.push(line) });
}

test('[start.defaults] what is free stays as it is, silently', async () => {
  const given = await options(await freePort());
  expect(await place(given)).toEqual(given);
  expect(said).toEqual([]);
});

test('[start.port] where the default port is taken, both services get a free one', async () => {
  const port = await freePort();
  await occupy(port);
  const placed = await place(await options(port));
  expect(placed.daemon.port).not.toBe(port);
  expect(await inUse(placed.daemon)).toBe(false);
  expect(placed.daemonArgs.slice(-2)).toEqual(['--port', String(placed.daemon.port)]);
  expect(placed.gatewayArgs.slice(-2)).toEqual(['--daemon-port', String(placed.daemon.port)]);
  expect(said).toEqual([`port ${port} is in use: the daemon listens on ${placed.daemon.port}`]);
});

test('[start.port] a port that the user has set stays, taken or not', async () => {
  const port = await freePort();
  await occupy(port);
  const given = await options(port);
  expect(await place(given, { SVC_PORT: String(port) })).toEqual(given);
});

test('[start.directory] where another daemon holds the default directory, one beside it is used', async () => {
  const state = join(directory.path, 'state');

  await mkdir(state);
  await occupy(join(state, 'daemon.sock'));
  const given = await options(await freePort());
  expect((await place(given)).daemonArgs).toEqual(['--runtime-dir', `${state}-8081`]);
  expect(said).toEqual([`another daemon uses ${state}: this one uses ${state}-8081`]);
  expect(await place(given, { SVC_RUNTIME_DIR: state })).toEqual(given);
  for (const flag of [['--runtime-dir', state], [`--runtime-dir=${state}`]]) {
    expect((await place(await options(given.daemon.port, flag))).daemonArgs).toEqual(flag);
  }
});
