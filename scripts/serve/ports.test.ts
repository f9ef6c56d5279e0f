import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { freePort } from '../testing/free-port.ts';
import { inUse, untilAnswers, urlOf } from './ports.ts';

test.each([
  [{ host: '127.0.0.1', port: 1 }, 'http://127.0.0.1:1'],
  [{ host: '0.0.0.0', port: 1 }, 'http://127.0.0.1:1'],
  [{ host: '::', port: 1 }, 'http://[::1]:1'],
])('%o is reached at %s', (address, url) => {
  expect(urlOf(address)).toBe(url);
});

test('a port is in use while something listens on it', async () => {
  const address = { host: '127.0.0.1', port: await freePort() };
  expect(await inUse(address)).toBe(false);
  const server = createServer().listen(address);
  await once(server, 'listening');
  expect(await inUse(address)).toBe(true);
  server.close();
});

test('waiting ends with the first answer that is accepted, and with the signal', async () => {
  const statuses = [503, 503];
  const address = { host: '127.0.0.1', port: await freePort() };
  const never = new AbortController();
  const answered = untilAnswers(urlOf(address), (status) => status === 200, never.signal);
  const server = createServer((_, response) => response.writeHead(statuses.shift() ?? 200).end()).listen(address);
  await answered;
  expect(statuses).toEqual([]);
  const waiting = untilAnswers(urlOf(address), (status) => status === 200, never.signal);
  never.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow();
  server.close();
});
