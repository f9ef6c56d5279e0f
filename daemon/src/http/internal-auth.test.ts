import { describe, expect, test } from 'vitest';
import { TestApp } from '../app.fixture.ts';
import { AgeClock } from '../core/clock/age-clock.ts';
import { ApiKey } from './access/api-key.ts';
import { SessionCookies } from './access/session-cookie.ts';

const KEY = 'correct-horse-battery';
const PAGE = { accept: 'text/html,application/xhtml+xml' };

interface AuthRequest {
  readonly uri?: string;
  readonly method?: string;
  readonly upgrade?: string;
  readonly headers?: Record<string, string>;
}

/** Requests an access decision as the gateway does. */
function ask(daemon: TestApp, { uri, method = 'GET', upgrade, headers = {} }: AuthRequest) {
  return daemon.inject({
    url: '/internal/auth',
    headers: {
      ...headers,
      ...(uri !== undefined && { 'x-original-uri': uri }),
      'x-original-method': method,
      ...(upgrade !== undefined && { 'x-original-upgrade': upgrade }),
    },
  });
}

/** The session cookie of a page that is opened with a credential in its query. */
async function cookieFrom(daemon: TestApp, uri: string): Promise<string> {
  const answer = await ask(daemon, { uri, headers: PAGE });
  const cookie = answer.headers['set-cookie'];
  if (typeof cookie !== 'string') throw new Error(`no cookie for ${uri}: ${answer.statusCode}`);
  return cookie.split(';')[0] ?? '';
}

describe('/internal/auth', () => {
  test('[auth.internal-open] without an API key every path is allowed, with one the public paths', async () => {
    await using open = await TestApp.start();
    expect((await ask(open, { uri: '/vnc/index.html' })).statusCode).toBe(204);
    await using closed = await TestApp.start({ apiKey: KEY });
    expect((await ask(closed, { uri: '/health?x=1' })).statusCode).toBe(204);
    expect((await ask(closed, { uri: '/' })).statusCode).toBe(204);
  });

  test.each([
    ['a header', { uri: '/vnc/', headers: { 'x-api-key': KEY } }],
    ['the Authorization header', { uri: '/cdp/json', headers: { authorization: `Bearer ${KEY}` } }],
    ['the query of the target', { uri: `/websockify?api_key=${KEY}`, upgrade: 'websocket' }],
  ])('[auth.internal-credential] the key in %s is accepted', async (_name, request) => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    expect((await ask(daemon, request)).statusCode).toBe(204);
  });

  test.each([
    ['no credential', { uri: '/vnc/' }],
    ['no target', {}],
    ['a wrong key', { uri: '/vnc/?api_key=wrong' }],
    ['a public path in the query', { uri: '/vnc/?x=/health' }],
    ['a path that only resolves to a public one', { uri: '/vnc/../health' }],
  ])('[auth.internal-refused] [auth.internal-no-body] %s is 401 without a body', async (_name, request) => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const answer = await ask(daemon, request);
    expect(answer.statusCode).toBe(401);
    expect(answer.body).toBe('');
  });

  test('[status.internal-auth-204] an admitted request is 204 without a body', async () => {
    await using daemon = await TestApp.start();
    const answer = await ask(daemon, { uri: '/vnc/' });
    expect(answer.statusCode).toBe(204);
    expect(answer.body).toBe('');
  });

  test('[auth.internal-host-origin] [origin.cdp] Host and Origin of the original request are checked', async () => {
    await using daemon = await TestApp.start();
    expect((await ask(daemon, { uri: '/cdp/json', headers: { host: 'evil.example' } })).statusCode).toBe(403);
    const foreign = { host: 'localhost:8080', origin: 'http://evil.example' };
    expect((await ask(daemon, { uri: '/websockify', upgrade: 'websocket', headers: foreign })).statusCode).toBe(403);
    expect((await ask(daemon, { uri: '/cdp/json/version', headers: foreign })).statusCode).toBe(403);
    expect((await ask(daemon, { uri: '/vnc/app.js', headers: foreign })).statusCode).toBe(204);
    expect((await ask(daemon, { uri: '/code-server/x', method: 'POST', headers: foreign })).statusCode).toBe(403);
    const own = { host: 'localhost:8080', origin: 'http://localhost:8080' };
    expect((await ask(daemon, { uri: '/websockify', upgrade: 'websocket', headers: own })).statusCode).toBe(204);
  });
});

test('[page.frames] a decision names the origins that may embed pages', async () => {
  await using daemon = await TestApp.start({ allowedOrigins: ['https://listed.example', 'x; script-src *'] });
  const { headers } = await ask(daemon, { uri: '/vnc/' });
  expect(headers['content-security-policy']).toBe("frame-ancestors 'self' https://listed.example");
});

describe('credential fields', () => {
  test('[auth.carriers] only the fields that carry a credential of the service are named', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const fieldsOf = async (request: AuthRequest) => {
      const { statusCode, headers } = await ask(daemon, request);
      expect(statusCode).toBe(204);
      return headers['x-credentials'];
    };
    const cookie = await cookieFrom(daemon, `/proxy/3000/?api_key=${KEY}`);
    const uri = '/proxy/3000/';
    expect(await fieldsOf({ uri, headers: { authorization: `Bearer ${KEY}` } })).toBe('authorization');
    expect(
      await fieldsOf({ uri, headers: { cookie, authorization: 'Bearer its-own', 'x-api-key': 'x' } }),
    ).toBeUndefined();
    expect(
      await fieldsOf({ uri: `${uri}?api_key=${KEY}`, headers: { 'x-svc-api-key': KEY, 'x-aio-api-key': KEY } }),
    ).toBe('x-svc-api-key, x-aio-api-key, ?0');
    expect(await fieldsOf({ uri: `${uri}?api_key=its-own`, headers: { cookie } })).toBeUndefined();
    // docs/contract.md §1.4: a `ticket` that is none of the service's passes on.
    expect(await fieldsOf({ uri: `${uri}?ticket=its-own`, headers: { cookie } })).toBeUndefined();
    for (const uses of [1, 2]) {
      const { ticket } = (await daemon.post('/v2/tickets', { path_prefix: '/', uses }, { 'x-api-key': KEY })).json()
        .data;
      expect(await fieldsOf({ uri: `${uri}?ticket=its-own&ticket=${ticket}` })).toBe('?1');
    }
    await using open = await TestApp.start();
    expect((await ask(open, { uri, headers: { 'x-api-key': 'its-own' } })).headers['x-credentials']).toBeUndefined();
  });
});

describe('the session cookie', () => {
  test('[cookie.attributes] the cookie is HttpOnly, SameSite=Lax, host-only and expires', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const answer = await ask(daemon, { uri: `/vnc/index.html?api_key=${KEY}`, headers: PAGE });
    const cookie = String(answer.headers['set-cookie']);
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Lax/);
    expect(cookie).toMatch(/; Max-Age=\d+/);
    expect(cookie).not.toMatch(/Domain|Secure/);
    expect(cookie).not.toContain(KEY);
    const secure = await ask(daemon, {
      uri: `/vnc/?api_key=${KEY}`,
      headers: { ...PAGE, 'x-forwarded-proto': 'https' },
    });
    expect(String(secure.headers['set-cookie'])).toMatch(/; Secure/);
  });

  test('only a page that is opened with a credential in its query gets a cookie', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const without = async (request: AuthRequest) => {
      const { statusCode, headers } = await ask(daemon, request);
      expect([statusCode, headers['set-cookie']]).toEqual([204, undefined]);
    };
    await without({ uri: `/vnc/?api_key=${KEY}` });
    await without({ uri: `/vnc/?api_key=${KEY}`, method: 'POST', headers: PAGE });
    await without({ uri: `/websockify?api_key=${KEY}`, upgrade: 'websocket', headers: PAGE });
    await without({ uri: `/v2/commands?api_key=${KEY}`, headers: PAGE });
    await without({ uri: '/vnc/', headers: { ...PAGE, 'x-api-key': KEY } });
  });

  test('[cookie.landing-page] the cookie of the landing page is valid for every path', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const cookie = await cookieFrom(daemon, `/?api_key=${KEY}`);
    for (const uri of ['/vnc/', '/websockify', '/v2/commands', '/metrics']) {
      expect((await ask(daemon, { uri, headers: { cookie } })).statusCode).toBe(204);
    }
    expect((await daemon.inject({ url: '/v2/commands', headers: { cookie } })).statusCode).toBe(200);
  });

  test('[cookie.page-prefix] the cookie of /vnc/ is valid for /vnc/ and its WebSocket only', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const cookie = await cookieFrom(daemon, `/vnc/index.html?api_key=${KEY}`);
    const status = async (uri: string) => (await ask(daemon, { uri, headers: { cookie } })).statusCode;
    expect(await status('/vnc/app.js')).toBe(204);
    expect(await status('/websockify')).toBe(204);
    expect(await status('/vnc/websockify')).toBe(204);
    expect(await status('/code-server/')).toBe(401);
    expect(await status('/v2/commands')).toBe(401);
    expect(await status('/vnc/../v2/commands')).toBe(401);
    expect(await status('/vncx')).toBe(401);
  });

  test('[cookie.preview-prefix] the cookie of a preview is valid for that port only', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const cookie = await cookieFrom(daemon, `/proxy/3000/?api_key=${KEY}`);
    expect((await ask(daemon, { uri: '/proxy/3000/a/b', headers: { cookie } })).statusCode).toBe(204);
    for (const path of ['a%2Fb', '%2e%2e/x', '@scope/..'])
      expect((await ask(daemon, { uri: `/proxy/3000/${path}`, headers: { cookie } })).statusCode).toBe(204);
    for (const uri of [
      '/proxy/30001/',
      '/absproxy/3000/',
      '/proxy/3001/',
      '/vnc/',
      '/v2/commands',
      '/metrics?/proxy/3000/',
    ])
      expect((await ask(daemon, { uri, headers: { cookie } })).statusCode).toBe(401);
  });

  test('the prefix of a ticket restricts the cookie', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const { ticket } = (await daemon.post('/v2/tickets', { path_prefix: '/vnc' }, { 'x-api-key': KEY })).json().data;
    const cookie = await cookieFrom(daemon, `/vnc/?ticket=${ticket}`);
    expect((await ask(daemon, { uri: '/vnc/app.js', headers: { cookie } })).statusCode).toBe(204);
    expect((await ask(daemon, { uri: '/websockify', headers: { cookie } })).statusCode).toBe(401);
  });

  test('[cookie.signed] an altered or expired cookie, and one of another key, is refused', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const cookie = await cookieFrom(daemon, `/vnc/?api_key=${KEY}`);
    const [name = '', value = ''] = cookie.split('=');
    const [claims = '', signature = ''] = value.split('.');
    const forged = Buffer.from(JSON.stringify([9_999_999_999, '/'])).toString('base64url');
    const status = async (pair: string) => (await ask(daemon, { uri: '/vnc/', headers: { cookie: pair } })).statusCode;
    expect(await status(cookie)).toBe(204);
    for (const wrong of [`${forged}.${signature}`, `${claims}.`, claims, `${claims}.${signature}x`, '', '.']) {
      expect(await status(`${name}=${wrong}`)).toBe(401);
    }
    const key = new ApiKey(KEY);
    const issuedAgo = (milliseconds: number) => {
      const cookies = new SessionCookies(key.derive('session cookie with id'), AgeClock.ofProcess());
      return (
        cookies
          .issue('/vnc/', { secure: false, by: { ids: [key.id] }, now: Date.now() - milliseconds })
          ?.split(';')[0] ?? ''
      );
    };
    expect(await status(issuedAgo(12 * 3_600_000 - 60_000))).toBe(204);
    expect(await status(issuedAgo(12 * 3_600_000))).toBe(401);
    await using other = await TestApp.start({ apiKey: `${KEY}2` });
    expect((await ask(other, { uri: '/vnc/', headers: { cookie } })).statusCode).toBe(401);
  });

  test('[origin.cors] a decision has CORS headers for a listed origin, and a preflight needs no key', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY, allowedOrigins: ['https://listed.example'] });
    const decide = (origin: string, method: string, more = {}) =>
      ask(daemon, { uri: '/cdp/json', method, headers: { origin, 'access-control-request-method': 'GET', ...more } });
    const preflight = await decide('https://listed.example', 'OPTIONS');
    expect([preflight.statusCode, preflight.body]).toEqual([204, '']);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': 'https://listed.example',
      'access-control-allow-methods': expect.stringContaining('POST'),
    });
    for (const [answer, status] of [
      [await decide('https://listed.example', 'GET'), 401],
      [await decide('https://listed.example', 'GET', { 'x-api-key': KEY }), 204],
    ] as const) {
      expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([
        status,
        'https://listed.example',
      ]);
      expect(answer.headers).not.toHaveProperty('access-control-allow-methods');
    }
    const other = await decide('https://evil.example', 'OPTIONS');
    expect([other.statusCode, other.headers['access-control-allow-origin']]).toEqual([401, undefined]);
  });

  test('[origin.cookie] the cookie does not admit a state change or a WebSocket of another origin', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY, allowedOrigins: ['https://listed.example'] });
    const cookie = await cookieFrom(daemon, `/?api_key=${KEY}`);
    const post = (origin: string) =>
      daemon.inject({
        method: 'POST',
        url: '/v2/commands',
        payload: { command: 'true' },
        headers: { cookie, origin, host: 'box.example' },
      });
    expect((await post('https://evil.example')).statusCode).toBe(403);
    expect((await post('https://box.example')).statusCode).toBe(200);
    expect((await post('https://listed.example')).statusCode).toBe(200);
    const evil = { cookie, origin: 'https://evil.example' };
    expect((await ask(daemon, { uri: '/websockify', upgrade: 'websocket', headers: evil })).statusCode).toBe(403);
    const withKey = { 'x-api-key': KEY, origin: 'https://evil.example' };
    expect(
      (await daemon.inject({ method: 'POST', url: '/v2/commands', payload: { command: 'true' }, headers: withKey }))
        .statusCode,
    ).toBe(200);
  });
});
