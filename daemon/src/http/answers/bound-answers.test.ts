import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { App } from '@sandbox/api/http/app-types.ts';
import fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { AnswerBudget } from '../../core/answers/answer-budget.ts';
import { errorHandler } from '../errors.ts';
import { boundAnswers, shareBytes } from './bound-answers.ts';

const MIB = 1024 ** 2;
const SHARED = Buffer.alloc(8 * MIB, 'x');

/** A service with large answers and a small budget. */
async function service(max: number, unreadMs?: number) {
  shareBytes(SHARED);
  const app = fastify() as unknown as App;
  app.setErrorHandler(errorHandler());
  const budget = new AnswerBudget(max);
  const totals = boundAnswers(app, budget, unreadMs === undefined ? {} : { unreadMs });
  app.get<{ Params: { bytes: string } }>('/:bytes', ({ params }, reply) =>
    reply.serializer((text: unknown) => String(text)).send('x'.repeat(Number(params.bytes))),
  );
  app.get('/shared', (_request, reply) => reply.type('text/plain').send(SHARED));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { budget, totals, port, [Symbol.asyncDispose]: () => app.close() };
}

/** Asks, and reads nothing. */
async function ask(port: number, path: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' }).pause();
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  return socket;
}

describe('answers in memory', () => {
  test('[answers.budget] one beyond the budget is 503 with Retry-After and a hint', async () => {
    await using running = await service(20 * MIB);
    const silent = await ask(running.port, `/${16 * MIB}`);
    await expect.poll(() => running.budget.held).toBe(16 * MIB);
    const refused = await fetch(`http://127.0.0.1:${running.port}/${8 * MIB}`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({ success: false, hint: expect.stringContaining('retry') });
    const small = await fetch(`http://127.0.0.1:${running.port}/100`);
    expect([small.status, (await small.text()).length]).toEqual([200, 100]);
    silent.destroy();
  });

  test('[answers.released] it is free after the last byte, and when the client has left', async () => {
    await using running = await service(20 * MIB);
    for (let round = 0; round < 3; round += 1) {
      const answer = await fetch(`http://127.0.0.1:${running.port}/${16 * MIB}`);
      expect((await answer.arrayBuffer()).byteLength).toBe(16 * MIB);
      await expect.poll(() => running.budget.held).toBe(0);
    }
    const silent = await ask(running.port, `/${16 * MIB}`);
    await expect.poll(() => running.budget.held).toBe(16 * MIB);
    silent.destroy();
    await expect.poll(() => running.budget.held).toBe(0);
  });

  test('[answers.unread] a client that reads nothing is cut', async () => {
    await using running = await service(64 * MIB, 100);
    const silent = await ask(running.port, `/${32 * MIB}`);
    await expect.poll(() => running.totals.cut).toBe(1);
    await expect.poll(() => running.budget.held).toBe(0);
    silent.destroy();
  });

  test('[answers.shared] bytes that exist once hold nothing', async () => {
    await using running = await service(MIB);
    const answer = await fetch(`http://127.0.0.1:${running.port}/shared`);
    expect((await answer.arrayBuffer()).byteLength).toBe(SHARED.length);
    expect(running.budget.refused).toBe(0);
  });
});

/** The value of a series without labels. */
async function figureOf(daemon: TestApp, series: string): Promise<number> {
  const line = (await daemon.inject('/metrics')).body.split('\n').find((text) => text.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1));
}

test.each([
  ['v2, text', (path: string) => `GET /v2/fs/read?path=${path}`],
  ['v2, base64', (path: string) => `GET /v2/fs/read?path=${path}&encoding=base64`],
  ['v1', (path: string) => `POST /v1/file/read ${JSON.stringify({ file: path })}`],
])('[answers.budget] unread texts of files through %s are refused beyond 256 MiB', async (_name, requestOf) => {
  await using daemon = await TestApp.start();
  const path = join(daemon.directory, 'text');
  writeFileSync(path, Buffer.alloc(16 * MIB, 'abcdefghijklmno\n'));
  const { port } = new URL(await daemon.listen());
  const [method, target, body = ''] = requestOf(path).split(' ');
  const sockets: Socket[] = [];
  for (let n = 0; n < 24; n += 1) {
    const socket = connect({ port: Number(port), host: '127.0.0.1' }).pause();
    socket.on('error', () => undefined);
    socket.write(`${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    sockets.push(socket);
  }
  await expect.poll(() => figureOf(daemon, 'http_answers_refused_total')).toBeGreaterThanOrEqual(8);
  expect(await figureOf(daemon, 'http_answers_held_bytes')).toBeLessThanOrEqual(256 * MIB);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => figureOf(daemon, 'http_answers_held_bytes')).toBe(0);
});

test('[answers.streams] a download that nobody reads holds nothing', async () => {
  await using daemon = await TestApp.start();
  const path = join(daemon.directory, 'bytes');
  writeFileSync(path, Buffer.alloc(32 * MIB));
  const { port } = new URL(await daemon.listen());
  const silent = await ask(Number(port), `/v2/fs/download?path=${path}`);
  await once(silent, 'readable');
  expect(await figureOf(daemon, 'http_answers_held_bytes')).toBe(0);
  silent.destroy();
});
