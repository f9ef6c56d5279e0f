import { get } from 'node:http';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../app.fixture.ts';
import { noRevocations, noTickets } from '../core/access/tickets.fixture.ts';
import { AgeClock } from '../core/clock/age-clock.ts';
import { Gate } from './access/gate.ts';

const KEY = 'correct-horse-battery';
const PRIVATE = '/v2/commands';

describe('credentials', () => {
  test('[auth.no-key-set] without an API key no request needs a credential', async () => {
    await using daemon = await TestApp.start();
    expect((await daemon.inject(PRIVATE)).statusCode).toBe(200);
    expect((await daemon.inject('/metrics')).statusCode).toBe(200);
  });

  test.each([
    ['[auth.bearer] Authorization: Bearer', { authorization: `Bearer ${KEY}` }, ''],
    ['[auth.x-api-key] x-api-key', { 'x-api-key': KEY }, ''],
    ['[auth.svc-header] X-SVC-API-Key', { 'x-svc-api-key': KEY }, ''],
    ['[auth.aio-header] X-AIO-API-Key', { 'x-aio-api-key': KEY }, ''],
    ['[auth.query] the query parameter api_key', {}, `?api_key=${KEY}`],
  ])('%s carries the key', async (_name, headers, query) => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    expect((await daemon.inject({ url: PRIVATE + query, headers })).statusCode).toBe(200);
  });

  test.each([
    ['nothing', {}, ''],
    ['another key', { 'x-api-key': 'wrong' }, ''],
    ['an empty key', { 'x-api-key': '' }, ''],
    ['a prefix of the key', { 'x-api-key': KEY.slice(0, -1) }, ''],
    ['the key and more', { 'x-api-key': `${KEY}x` }, ''],
    ['another case', { 'x-api-key': KEY.toUpperCase() }, ''],
    ['basic instead of bearer', { authorization: `Basic ${KEY}` }, ''],
    ['a wrong query', {}, '?api_key=wrong'],
    ['the key under another name', {}, `?key=${KEY}`],
  ])('[auth.missing-or-wrong-401] %s is 401', async (_name, headers, query) => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const answer = await daemon.inject({ url: PRIVATE + query, headers });
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.json()).toEqual({
      success: false,
      message: expect.any(String),
      data: null,
      hint: expect.any(String),
    });
  });

  test('one valid credential among invalid ones is sufficient', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const headers = { authorization: 'Bearer wrong', 'x-api-key': KEY };
    expect((await daemon.inject({ url: PRIVATE, headers })).statusCode).toBe(200);
  });

  test.each([
    ['/', 200],
    ['/health', 200],
    ['/v2/openapi.json', 200],
    ['/health?x=1', 200],
    ['/metrics', 401],
    ['/ready', 401],
    ['/openapi.json', 401],
  ])('[auth.public-routes] %s without the key is %i', async (url, status) => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    expect((await daemon.inject(url)).statusCode).toBe(status);
  });

  test.each(['/health/', '//health', '/health/x', '/%68ealth', '/HEALTH', '/v2/commands?x=/health', '/health;x'])(
    '[auth.public-exact] %s is not public',
    async (url) => {
      await using daemon = await TestApp.start({ apiKey: KEY });
      expect((await daemon.inject(url)).statusCode).toBe(401);
    },
  );

  test.each(['/./health', '/v2/../health', '/v2/%2e%2e/health'])(
    '[auth.public-exact] %s is not resolved to a public path',
    async (path) => {
      await using daemon = await TestApp.start({ apiKey: KEY });
      const { port } = new URL(await daemon.listen());
      const status = await new Promise((resolve, reject) => {
        get({ host: '127.0.0.1', port, path }, (answer) => resolve(answer.resume().statusCode)).once('error', reject);
      });
      expect(status).toBe(401);
    },
  );

  test('[auth.constant-time] keys are compared as digests of their bytes, not as strings', () => {
    // UTF-8 encodes a lone surrogate as U+FFFD, so the two keys are equal as bytes and different as strings.
    const gate = new Gate({
      apiKey: `${KEY}\ud83d`,
      allowedHosts: [],
      allowedOrigins: [],
      tickets: noTickets(),
      revocations: noRevocations(),
      clock: AgeClock.ofProcess(),
      publicPaths: [],
      publicPorts: [],
      pages: [],
    });
    const admits = (target: string, headers: Record<string, string> = {}) =>
      gate.judge({ method: 'GET', target, upgrade: false, headers, fromTrustedProxy: false }).admitted;
    expect(admits(PRIVATE, { 'x-api-key': `${KEY}\ufffd` })).toBe(true);
    expect(admits(`${PRIVATE}?api_key=${KEY}%EF%BF%BD`)).toBe(true);
    expect(admits(PRIVATE, { 'x-api-key': KEY })).toBe(false);
  });

  test.each([1, 10, KEY.length, 5000])(
    '[auth.constant-time] a wrong key of %i characters is refused',
    async (length) => {
      await using daemon = await TestApp.start({ apiKey: KEY });
      const answer = await daemon.inject({ url: PRIVATE, headers: { 'x-api-key': 'c'.repeat(length) } });
      expect(answer.statusCode).toBe(401);
    },
  );

  test('an unknown route and a wrong method are 401 without the key', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    expect((await daemon.inject('/v2/nothing')).statusCode).toBe(401);
    expect((await daemon.inject({ method: 'DELETE', url: PRIVATE })).statusCode).toBe(401);
  });
});

describe('tickets', () => {
  const withKey = { 'x-api-key': KEY };
  /** docs/contract.md §1.4: path_prefix or target is required. */
  const ANYWHERE = { path_prefix: '/' };

  async function ticketOf(daemon: TestApp, terms: object = {}): Promise<string> {
    return (await daemon.post('/v2/tickets', { ...('target' in terms ? {} : ANYWHERE), ...terms }, withKey)).json().data
      .ticket;
  }

  test('[ticket.create] a request with the key creates a ticket that admits a request', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    expect((await daemon.post('/v2/tickets', ANYWHERE)).statusCode).toBe(401);
    const before = Date.now();
    const { ticket, expires_at } = (await daemon.post('/v2/tickets', ANYWHERE, withKey)).json().data;
    expect(Date.parse(expires_at) - before).toBeGreaterThanOrEqual(29_000);
    expect(Date.parse(expires_at)).toBeLessThanOrEqual(Date.now() + 30_000);
    expect((await daemon.inject(`${PRIVATE}?ticket=${ticket}`)).statusCode).toBe(200);
  });

  test('[ticket.create] neither path_prefix nor target is 422', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const answer = await daemon.post('/v2/tickets', {}, withKey);
    expect([answer.statusCode, answer.json().errors[0].location]).toEqual([422, ['body', 'path_prefix']]);
  });

  test('[limits.ticket-memory] a path of more than 8,192 characters is 422', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const statusOf = async (length: number): Promise<number> =>
      (await daemon.post('/v2/tickets', { path_prefix: `/${'a'.repeat(length - 1)}` }, withKey)).statusCode;
    expect([await statusOf(8192), await statusOf(8193)]).toEqual([200, 422]);
  });

  test.each(['/v2/tickets', '/v2/%74ickets'])(
    '[ticket.needs-key] neither a ticket nor a cookie creates one at %s',
    async (path) => {
      await using daemon = await TestApp.start({ apiKey: KEY });
      for (const terms of [{ path_prefix: '/v2/tickets' }, ANYWHERE, { target: path }]) {
        const ticket = await ticketOf(daemon, terms);
        expect((await daemon.post(`${path}?ticket=${ticket}`, ANYWHERE)).statusCode).toBe(401);
      }
      const opened = await daemon.inject({
        url: '/internal/auth',
        headers: { 'x-original-uri': `/?api_key=${KEY}`, accept: 'text/html' },
      });
      const [cookie = ''] = String(opened.headers['set-cookie']).split(';');
      expect((await daemon.inject({ url: PRIVATE, headers: { cookie } })).statusCode).toBe(200);
      expect((await daemon.post(path, ANYWHERE, { cookie })).statusCode).toBe(401);
      expect((await daemon.post(`${path}?api_key=${KEY}`, ANYWHERE)).statusCode).toBe(200);
    },
  );

  test('[ticket.target] a ticket for one download reads no other file, and spends no use on the attempt', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const ticket = await ticketOf(daemon, { target: '/v2/fs/download?path=/etc/hostname' });
    const download = async (path: string) =>
      (await daemon.inject(`/v2/fs/download?path=${path}&ticket=${ticket}`)).statusCode;
    expect(await download('/proc/self/environ')).toBe(401);
    expect(await download('/etc/hostname&path=/proc/self/environ')).toBe(401);
    expect(await download('/etc/hostname')).toBe(200);
    expect(await download('/etc/hostname')).toBe(401);
  });

  test('[ticket.target] a page that is opened with a ticket for it alone sets no cookie', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const ticket = await ticketOf(daemon, { target: '/vnc/index.html?path=websockify' });
    const uri = `/vnc/index.html?path=websockify&ticket=${ticket}`;
    const answer = await daemon.inject({
      url: '/internal/auth',
      headers: { 'x-original-uri': uri, accept: 'text/html' },
    });
    expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([204, undefined]);
  });

  test('[preview.link] /open gives a ticket for its preview to the key and the cookie, not to a ticket', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const ask = async (uri: string, headers: Record<string, string> = {}) =>
      (await daemon.inject({ url: '/internal/auth', headers: { 'x-original-uri': uri, ...headers } })).headers;
    const opened = await ask(`/?api_key=${KEY}`, { accept: 'text/html' });
    const [cookie = ''] = String(opened['set-cookie']).split(';');
    for (const headers of [withKey, { cookie }]) {
      const ticket = (await ask('/open/3000', headers))['x-preview-ticket'];
      expect((await ask(`/proxy/3001/?ticket=${ticket}`))['x-credentials']).toBeUndefined();
      expect((await ask(`/proxy/3000/?ticket=${ticket}`))['x-credentials']).toBe('?0');
      expect((await ask('/proxy/3000/', headers))['x-preview-ticket']).toBeUndefined();
    }
    const ticket = await ticketOf(daemon, { path_prefix: '/open' });
    const byTicket = await ask(`/open/3000?ticket=${ticket}`);
    expect([byTicket['x-credentials'], byTicket['x-preview-ticket']]).toEqual(['?0', undefined]);
  });

  test('[ticket.spent-by-daemon] a ticket is invalid after its last use', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const once = await ticketOf(daemon);
    expect((await daemon.inject(`${PRIVATE}?ticket=${once}`)).statusCode).toBe(200);
    expect((await daemon.inject(`${PRIVATE}?ticket=${once}`)).statusCode).toBe(401);
    const thrice = await ticketOf(daemon, { uses: 3 });
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await daemon.inject(`${PRIVATE}?ticket=${thrice}`)).statusCode);
    expect(statuses).toEqual([200, 200, 200, 401]);
  });

  test('a public request, or one that also carries the key, does not use the ticket', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const ticket = await ticketOf(daemon);
    await daemon.inject({ url: `${PRIVATE}?ticket=${ticket}`, headers: withKey });
    await daemon.inject(`/health?ticket=${ticket}`);
    expect((await daemon.inject(`${PRIVATE}?ticket=${ticket}`)).statusCode).toBe(200);
  });

  test('[ticket.spent-by-internal-auth] a 204 uses the ticket once', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const ticket = await ticketOf(daemon, { path_prefix: '/vnc/' });
    const ask = () =>
      daemon.inject({ url: '/internal/auth', headers: { 'x-original-uri': `/vnc/x?ticket=${ticket}` } });
    expect((await ask()).statusCode).toBe(204);
    expect((await ask()).statusCode).toBe(401);
  });

  test.each([
    ['/v2/commands', 200],
    ['/v2/commands/', 404],
    ['/v2/commandsx', 401],
    ['/v2/commands/../../metrics', 401],
    ['/v2/commands/%2e%2e/%2e%2e/metrics', 401],
    ['/v2/commands/..%2f..%2fmetrics', 401],
    ['/metrics', 401],
  ])('[ticket.prefix] a ticket for /v2/commands at %s is %i', async (path, status) => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const ticket = await ticketOf(daemon, { path_prefix: '/v2/commands' });
    expect((await daemon.inject(`${path}?ticket=${ticket}`)).statusCode).toBe(status);
  });

  test.each([
    ['ttl', { ttl: 0 }],
    ['ttl', { ttl: 3601 }],
    ['uses', { uses: 0 }],
    ['path_prefix', { path_prefix: 'vnc' }],
    ['path_prefix', { target: '/vnc' }],
    ['path_prefix', { path_prefix: '/v2/fs/../commands' }],
    ['path_prefix', { path_prefix: '/proxy/3000/..' }],
    ['path_prefix', { path_prefix: '/v2/%2E%2e/commands' }],
    ['path_prefix', { path_prefix: '/v2/fs%2fread' }],
    ['path_prefix', { path_prefix: '/v2\\fs' }],
    ['path_prefix', { path_prefix: '/v2/fs/download?path=/etc/hosts' }],
    ['path_prefix', { path_prefix: '/v2/fs#read' }],
    ['path_prefix', { path_prefix: '/v2/ fs' }],
    ['target', { target: 'vnc' }],
    ['target', { target: '//host/vnc' }],
  ])('[ticket.bounds] an invalid %s is 422: %o', async (field, terms) => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    const answer = await daemon.post('/v2/tickets', field === 'target' ? terms : { ...ANYWHERE, ...terms }, withKey);
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors[0].location).toEqual(['body', field]);
  });

  test('[ticket.v1-404] the routes of 1.x are 404', async () => {
    await using daemon = await TestApp.start({ apiKey: KEY });
    expect((await daemon.post('/tickets', {}, withKey)).statusCode).toBe(404);
    expect((await daemon.inject({ url: '/auth', headers: withKey })).statusCode).toBe(404);
  });
});
