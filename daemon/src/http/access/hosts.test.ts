import { describe, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

describe('hosts and origins', () => {
  test.each([
    '127.0.0.1',
    '127.0.0.1:8080',
    '[::1]:8080',
    '10.1.2.3',
    'localhost',
    'localhost:8080',
    'sandbox',
    'a.localhost',
    '3000.localhost:8080',
    'box.example',
    'BOX.example:80',
  ])('[host.no-key] %s is allowed', async (host) => {
    await using daemon = await TestApp.start({ allowedHosts: ['box.example'] });
    expect((await daemon.inject({ url: '/v2/commands', headers: { host } })).statusCode).toBe(200);
  });

  test.each([
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'box.example.evil',
    'a b',
    'x@localhost',
  ])('[host.refused-403] %j is refused', async (host) => {
    await using daemon = await TestApp.start({ allowedHosts: ['box.example'] });
    for (const url of ['/v2/commands', '/health', '/nothing']) {
      const answer = await daemon.inject({ url, headers: { host } });
      expect(answer.statusCode).toBe(403);
      expect(answer.json().hint).toMatch(/SVC_ALLOWED_HOSTS/);
    }
  });

  test.each([
    ['*.box.example', 'a.box.example', 'a.b.box.example'],
    ['*-box.example', '3000-box.example:8080', '3000.a-box.example'],
    ['*-box.example', '3000-Box.Example', '-box.example'],
    ['*.box.example', '3000.box.example', 'box.example'],
    ['*', 'sandbox', 'evil.example'],
    ['**.svc.cluster.local', 'box.default.svc.cluster.local:8080', 'svc.cluster.local'],
    ['**.svc.cluster.local', 'Box.svc.Cluster.local.', 'box.default.svc.cluster.local.evil.example'],
    ['**.svc.cluster.local', 'a.b.c.svc.cluster.local', 'a..svc.cluster.local'],
    ['**.box.example', 'a.box.example', 'a_b.c.box.example'],
  ])('[host.no-key] %s allows %s and refuses %s', async (listed, allowed, refused) => {
    await using daemon = await TestApp.start({ allowedHosts: [listed] });
    const status = async (host: string) => (await daemon.inject({ url: '/v2/commands', headers: { host } })).statusCode;
    expect([await status(allowed), await status(refused)]).toEqual([200, 403]);
  });

  test('with a key every host is allowed', async () => {
    await using daemon = await TestApp.start({ apiKey: 'k' });
    expect(
      (await daemon.inject({ url: '/v2/commands', headers: { host: 'box.example', 'x-api-key': 'k' } })).statusCode,
    ).toBe(200);
  });

  test('a page after DNS rebinding cannot use X-Forwarded-Host', async () => {
    await using daemon = await TestApp.start();
    const rebound = { host: 'evil.example', 'x-forwarded-host': 'localhost' };
    expect((await daemon.inject({ url: '/v2/commands', headers: rebound })).statusCode).toBe(403);
    const behind = { host: 'localhost', 'x-forwarded-host': 'evil.example' };
    expect((await daemon.inject({ url: '/v2/commands', headers: behind })).statusCode).toBe(403);
  });

  test('[proxy.trusted-only] X-Forwarded-Host of an untrusted peer is ignored', async () => {
    await using daemon = await TestApp.start({ trustedProxies: ['10.0.0.0/8'], allowedOrigins: [] });
    const remoteAddress = '192.0.2.7';
    const headers = { host: 'localhost', 'x-forwarded-host': 'evil.example' };
    expect((await daemon.inject({ url: '/v2/commands', headers, remoteAddress })).statusCode).toBe(200);
    const foreign = { ...headers, origin: 'https://evil.example' };
    const post = { method: 'POST', url: '/v2/commands', payload: { command: 'true' } } as const;
    expect((await daemon.inject({ ...post, headers: foreign, remoteAddress })).statusCode).toBe(403);
  });

  test('[proxy.gateway] the gateway is trusted whatever SVC_TRUSTED_PROXIES lists', async () => {
    await using daemon = await TestApp.start({ trustedProxies: ['172.16.0.0/12'] });
    const status = async (more: object): Promise<number> => {
      const headers = { host: 'localhost', 'x-forwarded-host': 'evil.example', 'x-forwarded-for': '192.0.2.7' };
      return (await daemon.inject({ url: '/v2/commands', headers, ...more })).statusCode;
    };
    expect([await status({}), await status({ remoteAddress: '::1' })]).toEqual([403, 403]);
    expect([await status({ remoteAddress: '172.17.0.1' }), await status({ remoteAddress: '10.0.0.1' })]).toEqual([
      403, 200,
    ]);
  });

  test.each([
    ['http://localhost:8080', 200],
    ['https://listed.example', 200],
    ['http://localhost:9090', 403],
    ['http://127.0.0.1:8080', 403],
    ['https://evil.example', 403],
    ['https://listed.example.evil', 403],
    ['null', 403],
    ['file://', 403],
  ])('[origin.state-changing] [origin.listed] a POST with the origin %s is %i', async (origin, status) => {
    await using daemon = await TestApp.start({ allowedOrigins: ['https://listed.example'] });
    const headers = { host: 'localhost:8080', origin };
    const answer = await daemon.inject({ method: 'POST', url: '/v2/commands', payload: { command: 'true' }, headers });
    expect(answer.statusCode).toBe(status);
    expect((await daemon.inject({ url: '/v2/commands', headers })).statusCode).toBe(200);
  });

  test('[origin.cors] listed origins get CORS headers, preflight included', async () => {
    await using daemon = await TestApp.start({ apiKey: 'k', allowedOrigins: ['https://listed.example'] });
    const preflight = (origin: string) =>
      daemon.inject({
        method: 'OPTIONS',
        url: '/v2/commands',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' },
      });
    const listed = await preflight('https://listed.example');
    expect(listed.statusCode).toBe(204);
    expect(listed.headers).toMatchObject({
      'access-control-allow-origin': 'https://listed.example',
      'access-control-allow-headers': 'x-api-key',
      'access-control-allow-methods': expect.stringContaining('POST'),
      vary: 'Origin',
    });
    const other = await preflight('https://evil.example');
    expect(other.statusCode).toBe(401);
    expect(other.headers).not.toHaveProperty('access-control-allow-origin');
    const answer = await daemon.post(
      '/v2/commands',
      { command: 'echo hi' },
      { origin: 'https://listed.example', 'x-api-key': 'k' },
    );
    expect(answer.headers['access-control-allow-origin']).toBe('https://listed.example');
    const { command_id } = answer.json().data;
    const stream = await daemon.inject({
      url: `/v2/commands/${command_id}?stream=true`,
      headers: { origin: 'https://listed.example', 'x-api-key': 'k' },
    });
    expect(stream.headers['access-control-allow-origin']).toBe('https://listed.example');
  });

  const image = { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
  const link = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  const frame = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };
  const listed = { ...image, origin: 'https://listed.example' };

  test.each([
    ['GET', '/v2/commands', image, 403],
    ['HEAD', '/v2/commands', image, 403],
    ['POST', '/v2/commands', link, 403],
    ['GET', '/v2/commands', link, 403],
    ['GET', '/metrics?/vnc/', link, 403],
    ['GET', '/vnc/index.html', link, 204],
    ['GET', '/proxy/3000/x', link, 204],
    ['GET', '/terminal/', link, 204],
    ['GET', '/vnc/', frame, 403],
    ['GET', '/vnc/', image, 403],
    ['HEAD', '/vnc/', link, 403],
    ['POST', '/proxy/3000/x', link, 403],
    ['GET', '/v2/commands', listed, 204],
    ['GET', '/health', image, 204],
    ['GET', '/', frame, 204],
  ])('[origin.cross-site] without a key %s %s of another site, %j, is %i', async (method, target, fields, status) => {
    await using daemon = await TestApp.start({ allowedOrigins: ['https://listed.example'] });
    const decide = async (site: string) => {
      const original = { 'x-original-uri': target, 'x-original-method': method };
      const headers = { host: 'localhost:8080', 'sec-fetch-site': site, ...original, ...fields };
      return (await daemon.inject({ url: '/internal/auth', headers })).statusCode;
    };
    expect(await Promise.all(['cross-site', 'same-site'].map(decide))).toEqual([status, status]);
    const own = await Promise.all(['same-origin', 'none'].map(decide));
    expect(own).toEqual([204, 204]);
  });

  test('[origin.cross-site] the daemon refuses such a request itself, and admits it with the key', async () => {
    const headers = { host: 'localhost', 'sec-fetch-site': 'cross-site', ...image, 'x-api-key': 'k' };
    await using open = await TestApp.start();
    const refused = await open.inject({ url: '/v2/fs/list?path=/', headers });
    expect([refused.statusCode, refused.json().hint]).toEqual([403, expect.stringContaining('SVC_API_KEY')]);
    await using closed = await TestApp.start({ apiKey: 'k' });
    expect((await closed.inject({ url: '/v2/fs/list?path=/', headers })).statusCode).toBe(200);
  });
});
