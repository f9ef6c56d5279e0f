import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { clientGone } from '@sandbox/api/http/client-gone.ts';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { sendStream } from './send-stream.ts';

test('a source that throws before its first chunk is answered as an error', async () => {
  await using app = fastify();
  app.get('/', (_request, reply) =>
    sendStream(reply, 'text/plain', () => {
      throw Object.assign(new Error('no such source'), { statusCode: 404 });
    }),
  );
  const answer = await app.inject('/');
  expect([answer.statusCode, answer.json().message]).toEqual([404, 'no such source']);
});

test('a client that is gone before the stream begins ends its source', async () => {
  await using app = fastify();
  const arrived = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<boolean[]>();
  app.get('/', async (_request, reply) => {
    arrived.resolve();
    await once(reply.raw, 'close');
    return sendStream(reply, 'text/plain', async function* (gone) {
      seen.resolve([gone.aborted, clientGone(reply).aborted]);
      yield 'never sent';
    });
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const request = get({ host: '127.0.0.1', port }).on('error', () => {});
  await arrived.promise;
  request.destroy();
  expect(await seen.promise).toEqual([true, true]);
});

test('a source that is always ready and a reader that keeps up leave turns to the event loop', async () => {
  await using app = fastify();
  let turns = 0;
  app.get('/', (_request, reply) =>
    sendStream(reply, 'text/plain', async function* () {
      const count = (): void => {
        turns += 1;
        if (!reply.raw.writableEnded) setImmediate(count);
      };
      setImmediate(count);
      for (let chunk = 0; chunk < 100; chunk += 1) {
        // Work of 5 ms; the socket takes its chunk at once.
        for (const until = performance.now() + 5; performance.now() < until; );
        yield 'chunk';
      }
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  expect((await answer.text()).length).toBe(500);
  expect(turns).toBeGreaterThan(20);
});
