import { expect, test } from 'vitest';
import { exchange, startDaemon, startGateway, Wire } from './gateway.fixture.ts';

const url = (req: { url?: string | undefined }, res: { end(text: string): unknown }): void =>
  void res.end(`<${req.url}>`);

test.each([
  '/cdpx',
  '//cdp',
  '/%63dp',
  '/./cdp',
  '/x/../cdp',
  '/CDP',
  '/cdp;x',
  '/cdp%2Fx',
  '/proxyx/1',
  '/vnc-x',
  '/health?to=/cdp',
])('%s is not literally one of the gateway’s paths and is forwarded unchanged', async (path) => {
  await using daemon = await startDaemon(url);
  await using gateway = await startGateway(daemon.port);
  expect(await exchange(gateway.port, `GET ${path} HTTP/1.1\nHost: h`)).toContain(`<${path}>`);
});

test.each([
  ['/cdp', 404],
  ['/cdp/', 404],
  ['/cdp/json', 503],
  ['/cdp/json/../../v2', 503],
  ['/cdp?x', 404],
  ['/vnc', 308],
  ['/vnc/', 302],
  ['/vnc/index.html', 503],
  ['/vnc/../v2/commands', 404],
  ['/vnc/websockify', 426],
  ['/websockify', 426],
  ['/websockify/x', 404],
  ['/code-server/', 404],
  ['/jupyter', 404],
  ['/proxy', 404],
  ['/proxy/2/', 503],
  ['/absproxy/2', 503],
  ['/open/1', 302],
  ['/terminal', 308],
])('%s is not forwarded to the daemon', async (path, status) => {
  await using daemon = await startDaemon((_req, res) => void res.writeHead(204).end());
  await using gateway = await startGateway(daemon.port);
  const answer = await exchange(gateway.port, `GET ${path} HTTP/1.1\nHost: h`);
  expect(answer.slice(9, 12)).toBe(String(status));
  expect(daemon.requests.map((req) => req.url)).toEqual(['/internal/auth']);
});

test('an absolute-form is routed by its path, and its authority must match the Host', async () => {
  await using daemon = await startDaemon((req, res) => {
    if (req.url === '/internal/auth') res.writeHead(401).end();
    else res.end(`<${req.url} ${req.headers.host}>`);
  });
  await using gateway = await startGateway(daemon.port);
  expect(await exchange(gateway.port, 'GET http://h:1/x?y HTTP/1.1\nHost: h:1')).toContain('</x?y h:1>');
  expect(await exchange(gateway.port, 'GET http://h/cdp HTTP/1.1\nHost: h')).toMatch(/^HTTP\/1\.1 401/);
  expect(await exchange(gateway.port, 'GET http://127.0.0.1:9222/json HTTP/1.1\nHost: h')).toMatch(/^HTTP\/1\.1 400/);
});

test.each([
  ['no Host', 'GET / HTTP/1.1'],
  ['two Hosts', 'GET / HTTP/1.1\nHost: a\nHost: b'],
  ['an asterisk', 'OPTIONS * HTTP/1.1\nHost: h'],
  ['a length and chunks', 'POST / HTTP/1.1\nHost: h\nContent-Length: 3\nTransfer-Encoding: chunked'],
  ['chunks and a length', 'POST / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\nContent-Length: 3'],
  ['two lengths', 'POST / HTTP/1.1\nHost: h\nContent-Length: 3\nContent-Length: 4'],
  ['a signed length', 'POST / HTTP/1.1\nHost: h\nContent-Length: +3'],
  ['a final coding other than chunked', 'POST / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked, identity'],
  ['a space before the colon', 'GET / HTTP/1.1\nHost: h\nX-Original-URI : /health'],
  ['a folded field', 'GET / HTTP/1.1\nHost: h\n X-Folded: 1'],
  ['a bare carriage return', 'GET / HTTP/1.1\nHost: h\nX: a\rX-Original-URI: /health'],
  ['a NUL in a field', 'GET / HTTP/1.1\nHost: h\nX: a\0b'],
])('%s is refused with 400 and a request id, and does not reach the daemon', async (_what, head) => {
  await using daemon = await startDaemon(url);
  await using gateway = await startGateway(daemon.port);
  const answer = await exchange(gateway.port, head, '3\r\nabc\r\n0\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toMatch(/^x-request-id: \S+\r$/im);
  expect(answer).toContain('{"success":false,');
  expect(daemon.requests).toEqual([]);
});

test('an invalid chunk size within a body is not forwarded as the end of the body', async () => {
  await using daemon = await startDaemon((req, res) => {
    req.on('data', () => {});
    req.on('end', () => res.end('whole'));
  });
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  wire.send('POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n');
  wire.send('zz\r\n');
  expect(await wire.all()).not.toContain('whole');
});

test('a request head that is too long is 431', async () => {
  await using daemon = await startDaemon(url);
  await using gateway = await startGateway(daemon.port);
  const answer = await exchange(gateway.port, `GET / HTTP/1.1\nHost: h\nX: ${'x'.repeat(20_000)}`);
  expect(answer).toMatch(/^HTTP\/1\.1 431 [\s\S]*"success":false/);
});

test('CONNECT is 405 and closed; another expectation than 100-continue is 417', async () => {
  await using daemon = await startDaemon(url);
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  const answer = await wire.send('CONNECT 127.0.0.1:9222 HTTP/1.1\r\nHost: h\r\n\r\n').all();
  expect(answer).toMatch(/^HTTP\/1\.1 405 [\s\S]*Allow: GET/);
  expect(await exchange(gateway.port, 'GET / HTTP/1.1\nHost: h\nExpect: tea')).toMatch(/^HTTP\/1\.1 417 /);
  expect(daemon.requests).toEqual([]);
});

test('an offer of h2c is ignored: this request and the next one are relayed', async () => {
  await using daemon = await startDaemon((req, res) => {
    req.on('data', () => {});
    req.on('end', () => res.end(`<${req.url}>`));
  });
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n';
  wire.send(`POST /one HTTP/1.1\r\nHost: h\r\n${offer}Content-Length: 2\r\n\r\n{}`);
  await wire.until('</one>');
  wire.send(`GET /two HTTP/1.1\r\nHost: h\r\n${offer}\r\n`);
  await wire.until('</two>');
  wire.send('GET /three HTTP/1.1\r\nHost: h\r\n\r\n');
  await wire.until('</three>');
  expect(daemon.requests.map(({ headers }) => headers.upgrade ?? headers['http2-settings'])).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
