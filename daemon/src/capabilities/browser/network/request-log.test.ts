import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { heldMemory } from '../../../../../scripts/testing/held-memory.ts';
import { CdpConnection } from '../cdp/cdp-connection.ts';
import { CdpSession } from '../cdp/cdp-session.ts';
import { RequestLog } from './request-log.ts';

/** A browser that sends what the test gives it. */
async function browser() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const connected = once(server, 'connection');
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = await CdpConnection.open(url, { ms: 5000, fail: () => {} });
  const [socket] = (await connected) as [WebSocket];
  const send = (method: string, params: object): void => socket.send(JSON.stringify({ method, params }));
  return {
    send,
    answer: (text: string) => socket.once('message', () => socket.send(text)),
    connection,
    [Symbol.asyncDispose]: async () => {
      connection[Symbol.dispose]();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('[limits.browser-texts] of what a page or its server names, the beginning is kept', async () => {
  await using page = await browser();
  const log = new RequestLog();
  log.follow(new CdpSession(page.connection), 'tab');
  const long = 'x'.repeat(100_000);
  const request = { url: `http://a/${long}`, method: long };
  const requestId = 'r';
  page.send('Network.requestWillBeSent', { requestId, request, type: long, timestamp: 1, wallTime: 1 });
  page.send('Network.responseReceived', { requestId, response: { status: 200, mimeType: long } });
  page.send('Network.loadingFailed', { requestId, timestamp: 2, errorText: long });
  await expect.poll(() => log.list({ limit: 1 })[0]?.failed).toBe(true);
  const [logged] = log.list({ limit: 1 });
  const lengths = [logged?.method, logged?.type, logged?.mimeType, logged?.error].map((text) => text?.length);
  expect([lengths, logged?.url.length]).toEqual([[201, 201, 201, 201], 2049]);
});

test('[limits.text-beginnings] what is kept of a request does not hold its long texts in memory', async () => {
  await using page = await browser();
  const log = new RequestLog();
  log.follow(new CdpSession(page.connection), 'tab');
  const before = heldMemory();
  const long = 'x'.repeat(1024 ** 2);
  for (let n = 0; n < 40; n += 1) {
    const request = { url: 'http://a/', method: long };
    page.send('Network.requestWillBeSent', { requestId: `${n}`, request, type: 'Other', timestamp: 1, wallTime: 1 });
  }
  await expect.poll(() => log.list({ limit: 40 })).toHaveLength(40);
  // With their methods they would take 40 MiB.
  await expect.poll(() => heldMemory() - before).toBeLessThan(16 * 1024 ** 2);
});

test('[limits.json] an answer of too many values is refused, and later ones are read', async () => {
  await using page = await browser();
  page.answer(`{"id":1,"result":{"a":[${'[],'.repeat(1_100_000)}1]}}`);
  await expect(page.connection.send(undefined, 'Page.a', {}, 10_000)).rejects.toThrow('more than 1000000 values');
  page.answer('{"id":2,"result":null,"error":null}');
  expect(await page.connection.send(undefined, 'Page.b', {}, 10_000)).toEqual({});
});
