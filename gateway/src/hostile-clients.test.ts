import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { exchange, startAuthDaemon, startDaemon, startGateway, Wire } from './gateway.fixture.ts';

const HEALTH = 'GET /health HTTP/1.1\r\nHost: h\r\n\r\n';
const UPLOAD = 'POST /up HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n';

/** A gateway before a daemon that answers each request with its path; resolves with what a client received. */
async function answersTo(text: string, { halfClose = false } = {}): Promise<string> {
  await using daemon = await startAuthDaemon((req, res) => void req.resume().on('end', () => res.end(`<${req.url}>`)));
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  wire.send(text);
  if (halfClose) wire.socket.end();
  return await wire.all();
}

test('[connection.connect-in-order] CONNECT behind a request is answered 405 after its answer', async () => {
  const answer = await answersTo(`${HEALTH}CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*<\/health>HTTP\/1\.1 405 [\s\S]*x-request-id: /);
});

test('[connection.half-close] a client that ends its half after the request gets its answer', async () => {
  expect(await answersTo(HEALTH, { halfClose: true })).toMatch(/^HTTP\/1\.1 200 [\s\S]*<\/health>$/);
});

test('[connection.close-with-more] a request behind `Connection: close` does not cost the first answer', async () => {
  const answer = await answersTo(`GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n${HEALTH}`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*<\/a>$/);
});

test.each([
  ['an invalid size', 'zz\r\nabc\r\n'],
  ['data longer than its size', '3\r\nabcdef\r\n'],
  ['a negative size', '-1\r\n'],
])('[connection.malformed-body] %s of a chunk is 400 with an x-request-id', async (_what, chunk) => {
  expect(await answersTo(UPLOAD + chunk)).toMatch(/^HTTP\/1\.1 400 [\s\S]*x-request-id: [\s\S]*"success":false/);
});

test('[connection.malformed-body] a malformed body behind a request is answered after it', async () => {
  expect(await answersTo(`${HEALTH}${UPLOAD}zz\r\n`)).toMatch(/^HTTP\/1\.1 200 [\s\S]*<\/health>HTTP\/1\.1 400 /);
});

test.each(['gzip, chunked', 'chunked, chunked', 'gzip'])(
  '[connection.transfer-coding] Transfer-Encoding: %s is 501 or 400',
  async (coding) => {
    const text = `POST /up HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n`;
    const answer = await answersTo(text);
    expect(answer).toMatch(/^HTTP\/1\.1 (?:501|400) /);
    if (coding === 'gzip, chunked') expect(answer).toMatch(/^HTTP\/1\.1 501 /);
  },
);

test('[connection.pipelined] 16 requests of a connection are worked on at once, all are answered in order', async () => {
  const held: (() => void)[] = [];
  let most = 0;
  await using daemon = await startDaemon((req, res) => {
    held.push(() => res.end(`<${req.url}>`));
    most = Math.max(most, held.length);
  });
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  const paths = Array.from({ length: 900 }, (_, i) => `/${i}`);
  wire.send(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`).join(''));
  await expect.poll(() => held.length).toBe(16);
  // A further request would have arrived with these.
  expect(await exchange(gateway.port, 'OPTIONS * HTTP/1.1\nHost: h')).toMatch(/^HTTP/);
  expect(most).toBe(16);
  while (!wire.text.includes('</899>')) {
    for (const answer of held.splice(0)) answer();
    await turn();
  }
  expect(most).toBeLessThanOrEqual(16);
  expect([...wire.text.matchAll(/<(\/\d+)>/g)].map(([, path]) => path)).toEqual(paths);
});

test('[connection.pipelined] the end of a connection cancels each of its requests', async () => {
  let open = 0;
  const held: (() => void)[] = [];
  await using daemon = await startDaemon((_req, res) => {
    open += 1;
    held.push(() => res.end());
    res.on('close', () => {
      open -= 1;
    });
  });
  await using gateway = await startGateway(daemon.port);
  for (const count of [16, 40]) {
    const wire = new Wire(gateway.port);
    wire.send(HEALTH.repeat(count));
    await expect.poll(() => open).toBe(16);
    wire.socket.resetAndDestroy();
    // A connection with requests that wait is not read, so that only a write notices its end.
    if (count > 16) for (const answer of held.splice(0)) answer();
    held.length = 0;
    await expect.poll(() => open).toBe(0);
  }
});
