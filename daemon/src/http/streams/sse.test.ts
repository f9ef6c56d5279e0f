import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { type ServerSentEvent, sendEvents } from './sse.ts';

/** A server that responds to every request with the events of a source. */
class EventServer implements AsyncDisposable {
  readonly #app = fastify();

  constructor(source: (gone: AbortSignal) => AsyncIterable<readonly ServerSentEvent[]>) {
    this.#app.get('/', (_request, reply) => sendEvents(reply, source));
  }

  async open(): Promise<IncomingMessage> {
    await this.#app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = this.#app.server.address() as AddressInfo;
    const [answer] = await once(get({ host: '127.0.0.1', port }), 'response');
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#app.server.closeAllConnections();
    await this.#app.close();
  }
}

test('[stream.sse] events have name, id and one line of data; the response head precedes the first event', async () => {
  const wait = Promise.withResolvers<void>();
  await using server = new EventServer(async function* () {
    await wait.promise;
    yield [
      { event: 'a', id: 'x:1', data: { text: 'two\nlines' } },
      { event: 'b', data: null },
    ];
    yield [];
  });
  const answer = await server.open();
  expect(answer.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  wait.resolve();
  expect(await text(answer)).toBe('event: a\nid: x:1\ndata: {"text":"two\\nlines"}\n\nevent: b\ndata: null\n\n');
});

test('[stream.sse] a reader that does not read pauses its source', async () => {
  let made = 0;
  const total = 2000;
  await using server = new EventServer(async function* () {
    for (; made < total; made += 1) {
      yield [{ event: 'big', data: 'x'.repeat(64 * 1024) }];
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const answer = await server.open();
  // The source is paused once 200 turns of the event loop produce no further event.
  for (let before = -1; before !== made; ) {
    before = made;
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  expect(made).toBeLessThan(total);
  let bytes = 0;
  for await (const chunk of answer) bytes += chunk.length;
  expect(bytes).toBeGreaterThan(total * 64 * 1024);
});

test('[stream.sse] a reader that disconnects ends its source', async () => {
  const ended = Promise.withResolvers<string>();
  await using server = new EventServer(async function* (gone) {
    try {
      yield [{ event: 'first', data: 1 }];
      await once(gone, 'abort');
    } finally {
      ended.resolve('ended');
    }
  });
  const answer = await server.open();
  await once(answer, 'data');
  answer.destroy();
  expect(await ended.promise).toBe('ended');
});
