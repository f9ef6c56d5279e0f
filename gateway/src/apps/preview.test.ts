import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { type Daemon, exchange, startAuthDaemon, startDaemon, startGateway, Wire } from '../gateway.fixture.ts';

const KEY = 'X-API-Key: k';

/** Responds with the request it received. */
function echo(req: IncomingMessage, res: ServerResponse): void {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () =>
    res.end(JSON.stringify({ url: req.url, method: req.method, headers: req.headers, body: `${chunks}` })),
  );
}

interface Echo {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string | undefined>;
  readonly body: string;
}

function echoed(answer: string): Echo {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n{') + 4)) as Echo;
}

interface PreviewSetup extends AsyncDisposable {
  readonly daemon: Daemon;
  readonly app: Daemon;
  readonly gateway: { readonly port: number };
  get(path: string, fields?: string): Promise<string>;
}

/** A gateway in front of an application, with a daemon that admits the key `k`. */
async function startPreview(listener: RequestListener = echo, env: Record<string, string> = {}): Promise<PreviewSetup> {
  const daemon = await startAuthDaemon((_req, res) => void res.end('the daemon'));
  const app = await startDaemon(listener);
  const gateway = await startGateway(daemon.port, { env });
  return {
    daemon,
    app,
    gateway,
    get: (path, fields = `Host: h\n${KEY}`) => exchange(gateway.port, `GET ${path} HTTP/1.1\n${fields}`),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
    },
  };
}

test('[preview.path] /proxy/{port}/ forwards paths without the prefix, /absproxy/{port}/ with it', async () => {
  await using set = await startPreview();
  const { port } = set.app;
  expect(echoed(await set.get(`/proxy/${port}/a%2Fb/../c?x=%20`)).url).toBe('/a%2Fb/../c?x=%20');
  expect(echoed(await set.get(`/absproxy/${port}/a?x`)).url).toBe(`/absproxy/${port}/a?x`);
  expect(echoed(await set.get(`/absproxy/${port}`)).url).toBe(`/absproxy/${port}`);
  expect(await set.get(`/proxy/${port}?x=1`)).toMatch(
    new RegExp(`^HTTP/1\\.1 308 [\\s\\S]*Location: ${port}/\\?x=1\\r`),
  );
  const { headers } = echoed(await set.get(`/proxy/${port}/`));
  expect(headers).toMatchObject({
    host: `localhost:${port}`,
    'x-forwarded-host': 'h',
    'x-forwarded-prefix': `/proxy/${port}`,
    'x-forwarded-proto': 'http',
  });
});

test.each([
  ['a host below localhost', (port: number) => ({ host: `${port}.localhost:8080` })],
  ['the same with a trailing dot', (port: number) => ({ host: `${port}.LOCALHOST.` })],
  ['a name that begins with the port', (port: number) => ({ host: `${port}-box.example` })],
  ['x-aio-proxy-port', (port: number) => ({ host: 'h', field: `x-aio-proxy-port: ${port}` })],
  ['x-svc-proxy-port', (port: number) => ({ host: 'h', field: `x-svc-proxy-port: ${port}` })],
])('[preview.host] [preview.field] %s selects the port for every path', async (_what, choose) => {
  await using set = await startPreview();
  const { host, field } = choose(set.app.port) as { host: string; field?: string };
  const fields = `Host: ${host}${field ? `\n${field}` : ''}`;
  for (const path of ['/', '/cdp/json', '/v2/commands?x', '/internal/auth', '/vnc/', '/health']) {
    const { url, headers } = echoed(await set.get(path, `${fields}\n${KEY}`));
    expect(url).toBe(path);
    expect(Object.keys(headers).filter((name) => /^x-(api|svc|aio)-/.test(name))).toEqual([]);
    expect(headers['host']).toBe(`localhost:${set.app.port}`);
  }
  expect(await set.get('/health', fields)).toMatch(/^HTTP\/1\.1 401 /);
  expect(set.daemon.requests.at(-1)?.headers['x-original-uri']).toBe(`/proxy/${set.app.port}/health`);
});

test('X-Forwarded-Host selects the port if the proxy is trusted', async () => {
  await using set = await startPreview();
  const forwarded = `X-Forwarded-Host: ${set.app.port}-box.example`;
  expect(echoed(await set.get('/x', `Host: inner\n${forwarded}\n${KEY}`)).url).toBe('/x');
  await using strict = await startGateway(set.daemon.port, { trustedProxies: '192.0.2.1' });
  expect(await exchange(strict.port, `GET /x HTTP/1.1\nHost: inner\n${forwarded}\n${KEY}`)).toContain('the daemon');
});

test.each(['0', '99999', '65536', '080', '-1', 'abc', '1e3', '80x', '%38%30', ''])(
  '[preview.bad-port] port %j is 400 with the key, 401 without it',
  async (port) => {
    await using set = await startPreview();
    expect(await set.get(`/proxy/${port}/`)).toMatch(/^HTTP\/1\.1 400 [\s\S]*1 to 65535/);
    expect(await set.get(`/absproxy/${port}/`)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await set.get(`/proxy/${port}/`, 'Host: h')).toMatch(/^HTTP\/1\.1 401 /);
    if (port !== '') {
      expect(await set.get('/', `Host: h\nx-aio-proxy-port: ${port}\n${KEY}`)).toMatch(/^HTTP\/1\.1 400 /);
      expect(await set.get('/', `Host: h\nx-aio-proxy-port: ${port}`)).toMatch(/^HTTP\/1\.1 401 /);
    }
  },
);

test.each(['0.localhost', '99999.localhost', '99999-box.example'])(
  '[preview.bad-port] the host %s is 400',
  async (host) => {
    await using set = await startPreview();
    expect(await set.get('/', `Host: ${host}\n${KEY}`)).toMatch(/^HTTP\/1\.1 400 /);
  },
);

test.each([
  ['the daemon', ({ daemon }: PreviewSetup) => daemon.port],
  ['the gateway', ({ gateway }: PreviewSetup) => gateway.port],
  ['the browser', () => 9333],
  ['the desktop worker', () => 18_155],
  ['VNC', () => 5999],
  ['code-server', () => 5998],
  ['JupyterLab', () => 5997],
  ['the browser MCP server', () => 8155],
])('[preview.own-ports] the port of %s is refused with the key in every form', async (_what, choose) => {
  await using set = await startPreview(echo, {
    BROWSER_REMOTE_DEBUGGING_PORT: '9333',
    SVC_COMPUTER_USE_URL: 'http://127.0.0.1:18155',
    GATEWAY_VNC: '127.0.0.1:5999',
    GATEWAY_CODE_SERVER: '127.0.0.1:5998',
    GATEWAY_JUPYTER: 'localhost:5997',
    MCP_SERVER_BROWSER_PORT: '8155',
    PROXY_FORWARD_PORT: '8156',
  });
  const port = choose(set);
  const isGateway = port === set.gateway.port;
  for (const [path, host, field] of [
    [`/proxy/${port}/json`, 'h', ''],
    [`/absproxy/${port}/json`, 'h', ''],
    ['/page', 'h', `\nx-aio-proxy-port: ${port}`],
    ['/page', 'h', `\nx-svc-proxy-port:  ${port} `],
    ['/page', `${port}.localhost`, ''],
    ['/page', `${port}-box.example:80`, ''],
  ]) {
    const answer = await set.get(path ?? '', `Host: ${host}${field}\n${KEY}`);
    if (isGateway && host !== 'h') expect(answer).toContain('the daemon');
    else expect([path, answer]).toEqual([path, expect.stringMatching(/^HTTP\/1\.1 403 [\s\S]*not previewed/)]);
  }
  using wire = new Wire(set.gateway.port);
  wire.send(`GET /proxy/${port}/ HTTP/1.1\r\nHost: h\r\n${KEY}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
  expect(await wire.all()).toMatch(/^HTTP\/1\.1 403 /);
});

test('an application that listens on ::1 only is reached', async ({ skip }) => {
  const app = createServer(echo).listen(await freePort(), '::1');
  const found = await once(app, 'listening').catch((error: NodeJS.ErrnoException) => error.code ?? 'error');
  if (typeof found === 'string') {
    process.stdout.write(`preview on ::1: not tested, this machine has no IPv6 loopback (${found})\n`);
    skip();
  }
  await using set = await startPreview();
  const { port } = app.address() as AddressInfo;
  expect(echoed(await set.get(`/proxy/${port}/six`)).url).toBe('/six');
  app.close();
});

test('[preview.no-credential] the application receives no credential of the service, and all of its own', async () => {
  await using set = await startPreview();
  const path = `/proxy/${set.app.port}/?api_key=k&a=1;b&ticket=its-own&api_key=its-own&`;
  const fields = `Host: h\n${KEY}\nAuthorization: Bearer its-own\nCookie: a=1; svc_session=k; svc_session_vnc=x; b=2`;
  const { url, headers } = echoed(await set.get(path, fields));
  expect(url).toBe('/?a=1;b&ticket=its-own&api_key=its-own&');
  expect(headers).toMatchObject({ authorization: 'Bearer its-own', cookie: 'a=1; b=2' });
  expect(headers['x-api-key']).toBeUndefined();
  const own = echoed(
    await set.get(`/proxy/${set.app.port}/?api_key=its-own`, 'Host: h\nCookie: svc_session=k\nX-API-Key: its-own'),
  );
  expect([own.url, own.headers['x-api-key'], own.headers['cookie']]).toEqual([
    '/?api_key=its-own',
    'its-own',
    undefined,
  ]);
});

test('[preview.cookies] cookies and redirects of the application are restricted to its prefix', async () => {
  await using set = await startPreview((req, res) => {
    const cookies = ['a=1; Path=/; HttpOnly', 'b=2; Domain=localhost; path=/x', 'c=3', 'svc_session=mine; Path=/'];
    res.writeHead(302, {
      'Set-Cookie': cookies,
      Location: `http://localhost:${req.socket.localPort}/next?y`,
      'Service-Worker-Allowed': '/',
      'Clear-Site-Data': '"*"',
    });
    res.end();
  });
  const { port } = set.app;
  const below = await set.get(`/proxy/${port}/`);
  expect(below.match(/^Set-Cookie: .*$/gm)?.map((line) => line.trim())).toEqual([
    `Set-Cookie: a=1; Path=/proxy/${port}/; HttpOnly`,
    `Set-Cookie: b=2; Path=/proxy/${port}/x`,
    'Set-Cookie: c=3',
  ]);
  expect(below).toContain(`Location: /proxy/${port}/next?y\r\n`);
  expect(below).toContain(`Service-Worker-Allowed: /proxy/${port}/\r\n`);
  expect(below).not.toContain('Clear-Site-Data');
  const outer = await set.get(`/proxy/${port}/`, `Host: h\nX-Forwarded-Prefix: /box/\n${KEY}`);
  expect(outer).toContain(`Location: /box/proxy/${port}/next?y\r\n`);
  const absolute = await set.get(`/absproxy/${port}/`);
  expect(absolute).toContain('Location: /next?y\r\n');
  expect(absolute).not.toContain('Service-Worker-Allowed');
  expect(absolute).toContain(`a=1; Path=/absproxy/${port}/;`);
  const own = await set.get('/', `Host: ${port}.localhost:1\n${KEY}`);
  expect(own).toContain('Location: /next?y\r\n');
  expect(own).toContain('Set-Cookie: a=1; Path=/; HttpOnly\r\nSet-Cookie: b=2; path=/x\r\n');
  expect(own).toContain('Service-Worker-Allowed: /');
  expect(own).not.toContain('svc_session');
});

test('[preview.isolated] [preview.off] [config.preview-path] SVC_PREVIEW_PATH sandboxes previews by path, or refuses them', async () => {
  const page: RequestListener = (_req, res) =>
    void res.setHeader('Content-Security-Policy', "img-src 'self'").end('page');
  for (const [mode, path, own] of [
    ['open', 200, false],
    ['isolated', 200, true],
    ['off', 403, false],
  ] as const) {
    await using set = await startPreview(page, { SVC_PREVIEW_PATH: mode });
    const answer = await set.get(`/proxy/${set.app.port}/`);
    expect([mode, Number(answer.slice(9, 12)), answer.includes('sandbox allow-')]).toEqual([mode, path, own]);
    expect(answer.includes('allow-same-origin')).toBe(false);
    expect((await set.get(`/absproxy/${set.app.port}/`)).slice(9, 12)).toBe(String(path));
    const host = await set.get('/', `Host: ${set.app.port}.localhost\n${KEY}`);
    expect(host).toMatch(/^HTTP\/1\.1 200 /);
    expect(host).not.toContain('sandbox allow-');
  }
});

test('a same-origin Origin is rewritten to the application’s origin, another stays unchanged', async () => {
  await using set = await startPreview();
  const { port } = set.app;
  const origin = async (host: string, from: string, path = '/') =>
    echoed(await set.get(path, `Host: ${host}\nOrigin: ${from}\n${KEY}`)).headers['origin'];
  expect(await origin(`${port}.localhost:80`, `http://${port}.localhost`)).toBe(`http://localhost:${port}`);
  expect(await origin('h', 'http://h', `/proxy/${port}/`)).toBe(`http://localhost:${port}`);
  expect(await origin('h', 'https://evil.example', `/proxy/${port}/`)).toBe('https://evil.example');
  expect(await origin('h', 'null', `/proxy/${port}/`)).toBe('null');
});

test('[preview.streams] bodies, event streams and WebSockets are relayed with the key, and refused without it', async () => {
  await using set = await startPreview((req, res) => {
    if (req.url !== '/events') return echo(req, res);
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    res.write('data: 1\n\n');
  });
  const { port } = set.app;
  const sockets = new WebSocketServer({ server: set.app.server });
  sockets.on('connection', (ws, req) => {
    ws.send(`${req.url} ${req.headers['x-api-key']} ${req.headers.host}`);
    ws.on('message', (data, binary) => ws.send(data, { binary }));
  });
  const posted = await exchange(
    set.gateway.port,
    `POST /proxy/${port}/p HTTP/1.1\nHost: h\n${KEY}\nContent-Length: 3`,
    'abc',
  );
  expect(echoed(posted)).toMatchObject({ method: 'POST', url: '/p', body: 'abc' });
  using events = new Wire(set.gateway.port);
  await events.send(`GET /proxy/${port}/events HTTP/1.1\r\nHost: h\r\n${KEY}\r\n\r\n`).until('data: 1');
  const client = new WebSocket(`ws://127.0.0.1:${set.gateway.port}/proxy/${port}/ws?x&api_key=k`);
  const [hello] = (await once(client, 'message')) as [Buffer];
  expect(String(hello)).toBe(`/ws?x undefined localhost:${port}`);
  const bytes = Buffer.alloc(1_000_000, 3);
  client.send(bytes);
  expect(((await once(client, 'message'))[0] as Buffer).equals(bytes)).toBe(true);
  client.close();
  await once(client, 'close');
  const before = set.app.requests.length;
  const upgrade = 'Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Key: x\nSec-WebSocket-Version: 13';
  expect(await set.get(`/proxy/${port}/`, 'Host: h')).toMatch(/^HTTP\/1\.1 401 /);
  using unauthorized = new Wire(set.gateway.port);
  unauthorized.send(`GET /proxy/${port}/ws HTTP/1.1\nHost: h\n${upgrade}\n\n`.replaceAll('\n', '\r\n'));
  expect(await unauthorized.all()).toMatch(/^HTTP\/1\.1 401 /);
  expect([set.app.requests.length, sockets.clients.size]).toEqual([before, 0]);
});
