import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { Daemon, exchange, startAuthDaemon, startDaemon, startGateway, Wire } from '../gateway.fixture.ts';

const KEY = 'X-API-Key: k';

/** Responds as Chromium's discovery does: accepts only local hosts, and builds addresses from `Host`. */
async function startBrowser(port?: number): Promise<Daemon & { readonly sockets2: WebSocketServer }> {
  const browser = new Daemon((req, res) => {
    const host = req.headers.host ?? '';
    if (!/^(localhost|127\.0\.0\.1)(:\d+)?$/.test(host)) return void res.writeHead(500).end('Host header is specified');
    // Chromium supports no chunked request body.
    if (req.headers['transfer-encoding'] !== undefined) return void req.socket.destroy();
    const devtools = (path: string) => ({
      webSocketDebuggerUrl: `ws://${host}/devtools/${path}`,
      devtoolsFrontendUrl: `https://frontend.example/inspector.html?ws=${host}/devtools/${path}&x=1`,
      title: `ws://${host}/devtools/page/T`,
    });
    res.setHeader('Content-Type', 'application/json; charset=UTF-8');
    const path = req.url?.split('?')[0]?.replace(/\/$/, '');
    if (path === '/json/version') res.end(JSON.stringify({ Browser: 'Chrome/1', ...devtools('browser/B') }));
    else if (path === '/json' || path === '/json/list')
      res.end(JSON.stringify([devtools('page/P'), devtools('page/Q')]));
    else if (path === '/json/new') res.end(JSON.stringify({ url: req.url, method: req.method, ...devtools('page/N') }));
    else if (path === '/json/activate/P') res.end('Target activated');
    else res.writeHead(404).end('No such target id');
  });
  const sockets2 = new WebSocketServer({ server: browser.server });
  sockets2.on('connection', (ws, req) => {
    ws.send(
      JSON.stringify({
        url: req.url,
        origin: req.headers.origin ?? null,
        host: req.headers.host,
        key: req.headers['x-api-key'] ?? null,
      }),
    );
    ws.on('message', (data, binary) => ws.send(data, { binary }));
  });
  return Object.assign(await browser.listen(port), { sockets2 });
}

function body(answer: string): unknown {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
}

test('[cdp.discovery] /cdp/json returns addresses that the client can reach', async () => {
  await using daemon = await startAuthDaemon();
  await using browser = await startBrowser();
  await using gateway = await startGateway(daemon.port, {
    env: { BROWSER_REMOTE_DEBUGGING_PORT: String(browser.port) },
  });
  const get = async (path: string, fields = `Host: box.example:8080\n${KEY}`) =>
    body(await exchange(gateway.port, `GET ${path} HTTP/1.1\n${fields}`));
  const base = 'box.example:8080/cdp/devtools/';
  for (const path of ['/cdp/json/version', '/cdp/json/version/'])
    expect(await get(path)).toEqual({
      Browser: 'Chrome/1',
      webSocketDebuggerUrl: `ws://${base}browser/B`,
      devtoolsFrontendUrl: `https://frontend.example/inspector.html?ws=${encodeURIComponent(`${base}browser/B`)}&x=1`,
      title: 'ws://localhost/devtools/page/T',
    });
  for (const path of ['/cdp/json', '/cdp/json/', '/cdp/json/list'])
    expect(await get(path)).toMatchObject([
      { webSocketDebuggerUrl: `ws://${base}page/P` },
      { webSocketDebuggerUrl: `ws://${base}page/Q` },
    ]);
  for (const path of ['/cdp/json/version', '/cdp/json/list', '/cdp/json', '/json/version']) {
    const answer = await exchange(gateway.port, `HEAD ${path} HTTP/1.1\nHost: h\n${KEY}\nConnection: close`);
    expect([path, answer]).toEqual([
      path,
      expect.stringMatching(/^HTTP\/1\.1 200 [\s\S]*content-length: \d+[\s\S]*\r\n\r\n$/i),
    ]);
  }
  const made = body(
    await exchange(gateway.port, `PUT /cdp/json/new?http://a.example/?b HTTP/1.1\nHost: h\n${KEY}\nContent-Length: 0`),
  );
  expect(made).toMatchObject({
    method: 'PUT',
    url: '/json/new?http://a.example/?b',
    webSocketDebuggerUrl: 'ws://h/cdp/devtools/page/N',
  });
  const activated = await exchange(gateway.port, `GET /cdp/json/activate/P HTTP/1.1\nHost: h\n${KEY}`);
  expect(activated).toMatch(/^HTTP\/1\.1 200 [\s\S]*Target activated$/);
  expect(await exchange(gateway.port, `GET /cdp/json/activate/X HTTP/1.1\nHost: h\n${KEY}`)).toMatch(
    /^HTTP\/1\.1 404 /,
  );
});

test('[cdp.discovery-root] the discovery is at /json too, for clients of a host and a port, with the key like any path', async () => {
  await using daemon = await startAuthDaemon();
  await using browser = await startBrowser();
  await using gateway = await startGateway(daemon.port, {
    env: { BROWSER_REMOTE_DEBUGGING_PORT: String(browser.port) },
  });
  const get = (path: string, fields = KEY) => exchange(gateway.port, `GET ${path} HTTP/1.1\nHost: h\n${fields}`);
  expect(body(await get('/json/version'))).toMatchObject({ webSocketDebuggerUrl: 'ws://h/cdp/devtools/browser/B' });
  expect(body(await get('/json/version?api_key=k', 'X: y'))).toMatchObject({
    webSocketDebuggerUrl: 'ws://h/cdp/devtools/browser/B?api_key=k',
  });
  expect(body(await get('/json'))).toMatchObject([{ webSocketDebuggerUrl: 'ws://h/cdp/devtools/page/P' }, {}]);
  expect(await get('/json/activate/P')).toMatch(/^HTTP\/1\.1 200 [\s\S]*Target activated$/);
  expect(await get('/json/version', 'X: y')).toMatch(/^HTTP\/1\.1 401 /);
  const reached = browser.requests.length;
  expect(await get('/jsonp')).not.toContain('Target');
  expect(browser.requests.length).toBe(reached);
});

test('[cdp.forwarded] scheme, host and prefix are taken from a trusted proxy', async () => {
  await using daemon = await startAuthDaemon();
  await using browser = await startBrowser();
  const env = { BROWSER_REMOTE_DEBUGGING_PORT: String(browser.port) };
  await using gateway = await startGateway(daemon.port, { env });
  await using strict = await startGateway(daemon.port, { env, trustedProxies: '192.0.2.1' });
  const forwarded = 'X-Forwarded-Proto: https\nX-Forwarded-Host: public.example\nX-Forwarded-Prefix: /box/1/';
  const version = async (port: number) =>
    body(await exchange(port, `GET /cdp/json/version HTTP/1.1\nHost: inner\n${forwarded}\n${KEY}`));
  expect(await version(gateway.port)).toMatchObject({
    webSocketDebuggerUrl: 'wss://public.example/box/1/cdp/devtools/browser/B',
  });
  expect(await version(strict.port)).toMatchObject({ webSocketDebuggerUrl: 'ws://inner/cdp/devtools/browser/B' });
});

test('[cdp.query-key] a client with the key in the query gets addresses with the key', async () => {
  await using daemon = await startAuthDaemon();
  await using browser = await startBrowser();
  await using gateway = await startGateway(daemon.port, {
    env: { BROWSER_REMOTE_DEBUGGING_PORT: String(browser.port) },
  });
  const found = body(await exchange(gateway.port, 'GET /cdp/json/version/?a=1&api_key=k HTTP/1.1\nHost: h')) as Record<
    string,
    string
  >;
  expect(found['webSocketDebuggerUrl']).toBe('ws://h/cdp/devtools/browser/B?api_key=k');
  expect(found['devtoolsFrontendUrl']).toContain(encodeURIComponent('browser/B?api_key=k'));
  expect(browser.requests.map(({ url }) => url)).toEqual(['/json/version/']);
  expect(await exchange(gateway.port, 'GET /cdp/json/version?api_key=x HTTP/1.1\nHost: h')).toMatch(/^HTTP\/1\.1 401 /);
});

test.each(['/cdp/devtools/page/P', '/cdp', '/cdp/'])(
  '[cdp.relay] [cdp.host-origin] the WebSocket at %s is relayed with a local Host and without Origin',
  async (path) => {
    await using daemon = await startAuthDaemon();
    await using browser = await startBrowser();
    await using gateway = await startGateway(daemon.port, {
      env: { BROWSER_REMOTE_DEBUGGING_PORT: String(browser.port) },
    });
    const url = `ws://127.0.0.1:${gateway.port}${path}`;
    const client = new WebSocket(`${url}?api_key=k`, { origin: `http://127.0.0.1:${gateway.port}` });
    const [hello] = (await once(client, 'message')) as [Buffer];
    const reached = path.includes('page') ? '/devtools/page/P' : '/devtools/browser/B';
    expect(JSON.parse(String(hello))).toEqual({ url: reached, origin: null, host: 'localhost', key: null });
    const big = Buffer.alloc(3_000_000, 'x');
    client.send(big, { binary: false });
    expect(((await once(client, 'message'))[0] as Buffer).equals(big)).toBe(true);
    client.close();
    await once(client, 'close');
    const unauthorized = new WebSocket(url);
    const [error] = (await once(unauthorized, 'error')) as [Error];
    expect(error.message).toContain('401');
  },
);

test('[cdp.absent] a stopped browser is 503 with a hint, and is reached again after its start', async () => {
  await using daemon = await startAuthDaemon();
  const first = await startBrowser();
  const { port } = first;
  await using gateway = await startGateway(daemon.port, { env: { BROWSER_REMOTE_DEBUGGING_PORT: String(port) } });
  const status = async (path: string) =>
    (await exchange(gateway.port, `GET ${path} HTTP/1.1\nHost: h\n${KEY}`)).slice(9, 12);
  const upgrade = async (path: string) => {
    using wire = new Wire(gateway.port);
    const fields =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    wire.send(`GET ${path} HTTP/1.1\r\nHost: h\r\n${KEY}\r\n${fields}\r\n\r\n`);
    return (await wire.until('\r\n\r\n')).slice(9, 12);
  };
  const paths = ['/cdp/devtools/page/P', '/cdp'];
  expect(await status('/cdp/json/version')).toBe('200');
  expect(await Promise.all(paths.map(upgrade))).toEqual(['101', '101']);
  await first[Symbol.asyncDispose]();
  const gone = await exchange(gateway.port, `GET /cdp/json/version HTTP/1.1\nHost: h\n${KEY}`);
  expect(gone).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 1[\s\S]*POST \/v2\/browser\/start[\s\S]*start-browser/);
  expect(await status('/cdp/json/activate/P')).toBe('503');
  expect(await Promise.all(paths.map(upgrade))).toEqual(['503', '503']);
  await using _second = await startBrowser(port);
  expect(await status('/cdp/json/version')).toBe('200');
  expect(await Promise.all(paths.map(upgrade))).toEqual(['101', '101']);
});

test.each([
  ['what is not JSON', (res: { end(text: string): void }) => res.end('starting'), '200'],
  ['an aborted response', (res: { destroy(): void }) => void res.destroy(), '502'],
])('a discovery with %s does not crash the gateway', async (_what, answer, status) => {
  await using daemon = await startAuthDaemon();
  await using browser = await startDaemon((_req, res) => void answer(res as never));
  await using gateway = await startGateway(daemon.port, {
    env: { BROWSER_REMOTE_DEBUGGING_PORT: String(browser.port) },
  });
  const got = await exchange(gateway.port, `GET /cdp/json/version HTTP/1.1\nHost: h\n${KEY}`);
  expect(got.slice(9, 12)).toBe(status);
});
