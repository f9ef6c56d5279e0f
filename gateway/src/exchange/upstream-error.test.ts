import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { Daemon, exchange, startDaemon, startGateway, Wire } from '../gateway.fixture.ts';

/** Keep-alive timeout of a daemon with reused connections, in milliseconds. */
const KEEP_ALIVE_MS = 60_000;

test('[gateway.daemon-down] a stopped daemon is 503 with a hint, and is reached as soon as it is back', async () => {
  const port = await freePort();
  await using gateway = await startGateway(port);
  const refused = await fetch(`${gateway.origin}/x`, { headers: { 'x-request-id': 'mine' } });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.headers.get('x-request-id')).toBe('mine');
  expect(await refused.json()).toEqual({
    success: false,
    message: 'the daemon is not reachable',
    data: null,
    hint: expect.stringContaining('retry'),
  });
  const upload = await fetch(gateway.origin, {
    method: 'POST',
    body: new Blob(['x'.repeat(200_000)]).stream(),
    duplex: 'half',
  } as RequestInit);
  expect(upload.status).toBe(503);
  await using back = await new Daemon((_req, res) => void res.end('back')).listen(port);
  expect(await (await fetch(gateway.origin)).text()).toBe('back');
  for (const socket of back.sockets) socket.destroy();
  expect(await (await fetch(gateway.origin)).text()).toBe('back');
});

test('[gateway.daemon-down] a daemon that dies before it responds is 502; a POST is not retried', async () => {
  await using daemon = await startDaemon((req) => void req.socket.destroy());
  await using gateway = await startGateway(daemon.port);
  const answer = await fetch(gateway.origin, { method: 'POST', body: 'run' });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([502, null]);
  expect(await answer.json()).toMatchObject({ success: false, hint: expect.stringContaining('carried out') });
  expect(daemon.requests).toHaveLength(1);
  const bodiless = await fetch(gateway.origin, { method: 'POST' });
  expect([bodiless.status, daemon.requests.length]).toEqual([502, 2]);
});

test('a GET on a pooled connection that the daemon closes is retried on a new one', async () => {
  const seen = new Map<Socket, number>();
  await using daemon = await startDaemon((req, res) => {
    const count = (seen.get(req.socket) ?? 0) + 1;
    seen.set(req.socket, count);
    if (count > 1) req.socket.resetAndDestroy();
    else res.end('ok');
  });
  daemon.server.keepAliveTimeout = KEEP_ALIVE_MS;
  await using gateway = await startGateway(daemon.port);
  for (let i = 0; i < 4; i += 1) {
    const answer = await fetch(gateway.origin);
    expect([answer.status, await answer.text()]).toEqual([200, 'ok']);
  }
  expect(daemon.requests.length).toBeGreaterThan(4);
});

test('an access decision on a pooled connection that the daemon closes is retried', async () => {
  const used = new Set<Socket>();
  await using daemon = await startDaemon((req, res) => {
    if (used.has(req.socket)) return void req.socket.resetAndDestroy();
    used.add(req.socket);
    res.writeHead(401).end();
  });
  daemon.server.keepAliveTimeout = KEEP_ALIVE_MS;
  await using gateway = await startGateway(daemon.port);
  for (let i = 0; i < 3; i += 1) expect((await fetch(`${gateway.origin}/cdp`)).status).toBe(401);
  expect(daemon.requests.length).toBeGreaterThan(3);
});

test('a GET is retried once', async () => {
  await using daemon = await startDaemon((req) => void req.socket.destroy());
  await using gateway = await startGateway(daemon.port);
  expect((await fetch(gateway.origin)).status).toBe(502);
  expect(daemon.requests).toHaveLength(2);
});

test('a response that is not HTTP is 502', async () => {
  await using daemon = await startDaemon((req) => void req.socket.end('nonsense\r\n\r\n'));
  await using gateway = await startGateway(daemon.port);
  expect((await fetch(gateway.origin, { method: 'POST' })).status).toBe(502);
});

test('closing ends open streams after the grace period and refuses new connections', async () => {
  await using daemon = await startDaemon((_req, res) => void res.write('line'));
  const gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  await wire.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n').until('line');
  await gateway.close();
  expect(await wire.all()).not.toContain('0\r\n\r\n');
  using late = new Wire(gateway.port);
  const [error] = (await once(late.socket, 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ECONNREFUSED');
});

test('closing lets a short request finish', async () => {
  const arrived = Promise.withResolvers<() => void>();
  await using daemon = await startDaemon((_req, res) => arrived.resolve(() => res.end('done')));
  const gateway = await startGateway(daemon.port);
  const answer = exchange(gateway.port, 'GET / HTTP/1.1\nHost: h');
  const finish = await arrived.promise;
  const closed = gateway.close({ graceMs: 60_000 });
  finish();
  expect(await answer).toContain('done');
  await closed;
});
