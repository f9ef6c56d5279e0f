import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { TestApp } from '../app.fixture.ts';

const HEALTH = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
const UPGRADE = [
  'GET /v2/pty/ws HTTP/1.1',
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
].join('\r\n');

/** Sends bytes to a daemon; resolves with all that it answers when `done` matches or the connection ends. */
async function answersTo(text: string, done?: RegExp, { halfClose = false } = {}): Promise<string> {
  await using daemon = await TestApp.start();
  const { port } = new URL(await daemon.listen());
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true }).setEncoding('latin1');
  socket.on('error', () => {});
  if (halfClose) socket.end(text, 'latin1');
  else socket.write(text, 'latin1');
  let answer = '';
  for await (const piece of socket.iterator({ destroyOnReturn: false })) {
    answer += String(piece);
    if (done?.test(answer)) break;
  }
  socket.destroy();
  return answer;
}

test('[connection.half-close] a client that ends its half after the request gets its answer', async () => {
  const answer = await answersTo(HEALTH, undefined, { halfClose: true });
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*"healthy"/);
});

test('[connection.connect-in-order] CONNECT behind a request is answered 405 after its answer', async () => {
  const answer = await answersTo(`${HEALTH}CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*"healthy"[\s\S]*HTTP\/1\.1 405 [\s\S]*x-request-id: /);
});

test('[connection.upgrade-in-order] an upgrade behind a request is answered as a request, after it', async () => {
  const answer = await answersTo(
    `${HEALTH}${UPGRADE}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    /426[\s\S]*}$/,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*"healthy"[\s\S]*HTTP\/1\.1 426 /);
});

test('[connection.close-with-more] a request behind `Connection: close` does not cost the first answer', async () => {
  expect(await answersTo(`GET /health HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n${HEALTH}`)).toMatch(
    /^HTTP\/1\.1 200 [\s\S]*"healthy"/,
  );
});

test.each([
  ['POST /v2/commands', '501', 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'],
  ['POST /v2/commands', '400', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ['GET /health', '400', 'A B: c\r\n\r\n'],
  ['GET /health', '431', `A: ${'x'.repeat(100_000)}\r\n\r\n`],
])('[request-id.refused] %s that the server answers with %s has an x-request-id', async (line, status, rest) => {
  const answer = await answersTo(`${line} HTTP/1.1\r\nHost: localhost\r\n${rest}`);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*x-request-id: [\\s\\S]*"success":false`));
});

test.each([
  ['101', `${UPGRADE}\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==`, /\r\n\r\n/],
  ['400', UPGRADE, undefined],
  ['400', `${UPGRADE}\r\nSec-WebSocket-Key: short`, undefined],
])('[request-id.websocket] a %s to an upgrade has the x-request-id of the request', async (status, head, done) => {
  const answer = await answersTo(`${head}\r\nX-Request-ID: abc\r\n\r\n`, done);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*x-request-id: abc\r\n`));
});

test('a session that cannot be opened closes its WebSocket, also with a reason longer than a close frame', async () => {
  await using daemon = await TestApp.start();
  const base = await daemon.listen();
  const cwd = encodeURIComponent(`/${'é'.repeat(120)}`);
  const client = new WebSocket(`${base.replace('http', 'ws')}/v2/pty/ws?cwd=${cwd}`);
  const { promise, resolve } = Promise.withResolvers<[number, string]>();
  client.on('close', (code, reason) => resolve([code, String(reason)]));
  expect(await promise).toEqual([4503, expect.stringContaining('éé')]);
});
