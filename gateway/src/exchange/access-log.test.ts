import { expect, test } from 'vitest';
import { exchange, startDaemon, startGateway, Wire } from '../gateway.fixture.ts';

test('one line per request, without query strings and credentials', async () => {
  await using daemon = await startDaemon((req, res) => {
    if (req.url?.startsWith('/internal')) res.writeHead(401).end();
    else res.writeHead(201).end('hello');
  });
  daemon.server.on('upgrade', (_req, socket) => {
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nbytes');
  });
  const log: string[] = [];
  const gateway = await startGateway(daemon.port, { logLevel: 'debug', log });
  const secrets = 'Authorization: Bearer s3cret\nCookie: svc=s3cret\nX-API-Key: s3cret\nX-Request-Id: id';
  await exchange(gateway.port, `POST /v2/x?api_key=s3cret HTTP/1.1\nHost: h\n${secrets}\nContent-Length: 1`, 'x');
  await exchange(gateway.port, `GET /cdp?ticket=s3cret HTTP/1.1\nHost: h\n${secrets}\nAccept: text/html`);
  await exchange(gateway.port, `GET http://other/?api_key=s3cret HTTP/1.1\nHost: h\n${secrets}`);
  using wire = new Wire(gateway.port);
  wire.send('GET /ws?api_key=s3cret HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  await wire.all();
  wire.socket.end();
  await gateway.close();
  expect(log.join('')).not.toContain('s3cret');
  const lines = log.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toMatchObject([
    { level: 'debug', method: 'POST', path: '/v2/x', status: 201, request_id: 'id', upgrade: false, complete: true },
    { level: 'info', method: 'GET', path: '/cdp', status: 303 },
    { level: 'info', method: 'GET', path: '-', status: 400 },
    { level: 'info', method: 'GET', path: '/ws', status: 101, upgrade: true },
  ]);
  for (const { ms, bytes_out } of lines) {
    expect(ms).toBeGreaterThanOrEqual(0);
    expect(bytes_out).toBeGreaterThan(20);
  }
});

test('[log.one-line] what the daemon answered, and a successful health check, has a line at debug only', async () => {
  await using daemon = await startDaemon((req, res) => {
    if (req.url === '/v2/broken') req.socket.destroy();
    else res.writeHead(req.url === '/v2/missing' ? 404 : 200).end();
  });
  const log: string[] = [];
  const gateway = await startGateway(daemon.port, { logLevel: 'info', log });
  for (const path of ['/health', '/v2/x', '/v2/missing', '/v2/broken']) {
    await exchange(gateway.port, `POST ${path} HTTP/1.1\nHost: h\nContent-Length: 0`);
  }
  await gateway.close();
  expect(log.map((line) => JSON.parse(line))).toMatchObject([{ path: '/v2/broken', status: 502 }]);
});

test('[log.unanswered] a request whose client left before the answer has no status', async () => {
  const asked = Promise.withResolvers<void>();
  await using daemon = await startDaemon(() => asked.resolve());
  const log: string[] = [];
  const gateway = await startGateway(daemon.port, { logLevel: 'debug', log });
  const wire = new Wire(gateway.port);
  wire.send('GET /v2/slow HTTP/1.1\r\nHost: h\r\n\r\n');
  await asked.promise;
  wire.socket.destroy();
  await expect.poll(() => log.map((line) => JSON.parse(line))).toMatchObject([{ status: null, complete: false }]);
  await gateway.close();
});

test('at a level above info no line is written for a request', async () => {
  await using daemon = await startDaemon((_req, res) => void res.end());
  const log: string[] = [];
  const gateway = await startGateway(daemon.port, { logLevel: 'warn', log });
  await exchange(gateway.port, 'GET / HTTP/1.1\nHost: h');
  // A line would be written at the end of the exchange, which may be after the response has arrived.
  await gateway.close();
  expect(log).toEqual([]);
});
