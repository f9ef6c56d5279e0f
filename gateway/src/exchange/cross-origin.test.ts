import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { type Daemon, startDaemon, startGateway } from '../gateway.fixture.ts';

const LISTED = 'https://listed.example';
/** The paths below that the gateway relays to an application. */
const RELAYED = new Set([
  '/cdp/json/version',
  '/cdp/json/protocol',
  '/code-server/',
  '/proxy/PORT/',
  '/absproxy/PORT/',
]);
const PREFLIGHT = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' };

interface CorsSetup extends AsyncDisposable {
  readonly app: Daemon;
  /** Replaces the browser and code-server. */
  readonly service: Daemon;
  ask(path: string, more: { method?: string; headers?: Record<string, string> }): Promise<Response>;
}

/** A gateway with a daemon that allows one origin, in front of an application that allows every origin. */
async function startCors(): Promise<CorsSetup> {
  const allowAll: RequestListener = (_req, res) => {
    res.setHeader('Access-Control-Allow-Origin', '*').setHeader('Access-Control-Expose-Headers', 'x-of-the-app');
    res.setHeader('Vary', 'Accept').end('{}');
  };
  const [app, service] = [await startDaemon(allowAll), await startDaemon(allowAll)];
  const daemon = await startDaemon((req, res) => {
    const { origin } = req.headers;
    const preflight = req.headers['x-original-method'] === 'OPTIONS' && req.headers['access-control-request-method'];
    if (origin === LISTED) {
      res.setHeader('access-control-allow-origin', origin).setHeader('access-control-allow-credentials', 'true');
      res.setHeader('access-control-expose-headers', 'etag').setHeader('vary', 'Origin');
      if (preflight) {
        res
          .setHeader('access-control-allow-methods', 'GET, POST')
          .setHeader('access-control-allow-headers', 'x-api-key');
        return void res.writeHead(204).end();
      }
    }
    res.writeHead(req.headers['x-api-key'] === 'k' ? 204 : 401, { 'X-Credentials': 'x-api-key' }).end();
  });
  const gateway = await startGateway(daemon.port, {
    env: {
      BROWSER_REMOTE_DEBUGGING_PORT: String(service.port),
      GATEWAY_CODE_SERVER: `127.0.0.1:${service.port}`,
      DISABLE_CODE_SERVER: 'false',
    },
  });
  return {
    app,
    service,
    ask: (path, more) =>
      fetch(gateway.origin + path.replace('PORT', String(app.port)), { redirect: 'manual', ...more }),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

function corsHeadersOf({ headers }: Response): (string | null)[] {
  return ['origin', 'credentials'].map((name) => headers.get(`access-control-allow-${name}`));
}

test.each([
  ['/cdp/json/version', 200],
  ['/cdp/json/protocol', 200],
  ['/cdp/nothing', 404],
  ['/vnc', 308],
  ['/vnc/index.html', 503],
  ['/websockify', 426],
  ['/terminal/nothing', 404],
  ['/code-server/', 200],
  ['/jupyter/', 404],
  ['/open/80', 302],
  ['/proxy/PORT/', 200],
  ['/absproxy/PORT/', 200],
  ['/proxy/1/', 503],
  ['/proxy/0/', 400],
])('[cors.own-paths] %s responds %i with CORS headers for the listed origin', async (path, status) => {
  await using set = await startCors();
  const admitted = await set.ask(path, { headers: { origin: LISTED, 'x-api-key': 'k' } });
  expect([admitted.status, corsHeadersOf(admitted)]).toEqual([status, [LISTED, 'true']]);
  expect(admitted.headers.get('vary')).toContain('Origin');
  const refused = await set.ask(path, { headers: { origin: LISTED } });
  expect([refused.status, corsHeadersOf(refused)]).toEqual([401, [LISTED, 'true']]);
  const reached = [...set.app.requests, ...set.service.requests].map(({ headers }) => headers['x-api-key']);
  expect(reached).toEqual(RELAYED.has(path) ? [undefined] : []);
});

test('[cors.own-paths] a preflight needs no key and reaches no upstream; that of another origin is refused', async () => {
  await using set = await startCors();
  for (const [path, more] of [
    ['/cdp/json/new', {}],
    ['/vnc/index.html', {}],
    ['/websockify', {}],
    ['/code-server/', {}],
    ['/jupyter/api', {}],
    ['/proxy/PORT/', {}],
    ['/absproxy/PORT/', {}],
    ['/anything', { 'x-aio-proxy-port': String(set.app.port) }],
  ] as const) {
    const headers = { origin: LISTED, ...PREFLIGHT, ...more };
    const answer = await set.ask(path, { method: 'OPTIONS', headers });
    expect([path, answer.status, corsHeadersOf(answer)]).toEqual([path, 204, [LISTED, 'true']]);
    expect(answer.headers.get('access-control-allow-headers')).toBe('x-api-key');
    expect(answer.headers.get('access-control-allow-methods')).toBe('GET, POST');
    expect([answer.headers.has('content-length'), answer.headers.has('x-request-id')]).toEqual([false, true]);
    const other = await set.ask(path, { method: 'OPTIONS', headers: { ...headers, origin: 'https://evil.example' } });
    expect([path, other.status, corsHeadersOf(other)]).toEqual([path, 401, [null, null]]);
  }
  expect([set.app.requests, set.service.requests]).toEqual([[], []]);
});

test('[cors.own-paths] the daemon’s CORS headers replace the application’s, which are kept for other origins', async () => {
  await using set = await startCors();
  const listed = await set.ask('/proxy/PORT/', { headers: { origin: LISTED, 'x-api-key': 'k' } });
  expect(listed.headers.get('access-control-allow-origin')).toBe(LISTED);
  expect(listed.headers.get('access-control-expose-headers')).toBe('x-of-the-app, etag');
  expect(listed.headers.get('vary')).toBe('Accept, Origin');
  const other = await set.ask('/proxy/PORT/', { headers: { origin: 'https://other.example', 'x-api-key': 'k' } });
  expect(corsHeadersOf(other)).toEqual(['*', null]);
  const asks = await set.ask('/proxy/PORT/', { method: 'OPTIONS', headers: { ...PREFLIGHT, 'x-api-key': 'k' } });
  expect([asks.status, set.app.requests.at(-1)?.method]).toEqual([200, 'OPTIONS']);
});
