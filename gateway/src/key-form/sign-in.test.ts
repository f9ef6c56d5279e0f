import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { type Daemon, exchange, startDaemon, startGateway } from '../gateway.fixture.ts';

const PAGE = 'Accept: text/html,*/*';
const FORM = `${PAGE}\nContent-Type: application/x-www-form-urlencoded`;
const KEY = 'k&=+ü';

/** As the daemon: `/` is public, pages get a cookie of their own for a key in the query, other paths none. */
function decide(req: IncomingMessage, res: ServerResponse): void {
  const { pathname, searchParams } = new URL(String(req.headers['x-original-uri']), 'http://h');
  const page = /^\/(?:$|vnc\/|proxy\/\d+\/)/.exec(pathname)?.[0];
  const hasKey = searchParams.get('api_key') === KEY && req.headers['x-original-method'] === 'GET';
  if (req.headers.origin === 'http://evil') res.writeHead(403);
  else if (!hasKey) res.writeHead(pathname === '/' ? 204 : 401);
  else {
    const ticket = pathname.startsWith('/open/') ? { 'X-Preview-Ticket': 't1' } : {};
    const cookie = page === undefined ? {} : { 'Set-Cookie': `svc=${page}` };
    res.writeHead(204, { ...ticket, ...cookie, 'X-Credentials': '?0' });
  }
  res.end();
}

interface Post {
  readonly host?: string;
  readonly key?: string;
  readonly more?: string;
}

async function post(port: number, target: string, { host = 'h', key = KEY, more = '' }: Post = {}): Promise<string> {
  const body = new URLSearchParams({ api_key: key }).toString();
  return exchange(
    port,
    `POST ${target} HTTP/1.1\nHost: ${host}\n${FORM}\nContent-Length: ${Buffer.byteLength(body)}${more}`,
    body,
  );
}

function askedOf(daemon: Daemon): string[] {
  return daemon.requests.map(({ headers }) => String(headers['x-original-uri']));
}

test.each([
  ['/vnc/?svc_sign_in', {}, './', 'svc=/vnc/'],
  ['/vnc/index.html?a=1;b&svc_sign_in=key&c', {}, './index.html?a=1;b&c', 'svc=/vnc/'],
  ['/?svc_sign_in', {}, './', 'svc=/'],
  ['/vnc/?svc_sign_in', { key: ` ${KEY}\r\n` }, './', 'svc=/vnc/'],
  ['/app/x?svc_sign_in', { host: '3000.localhost' }, './x', 'svc=/proxy/3000/'],
  ['/open/3000?svc_sign_in', { host: '127.0.0.1' }, '/proxy/3000/', 'svc=/proxy/3000/'],
  ['/open/3000?svc_sign_in', { host: 'h', more: '\nX-Forwarded-Prefix: /a' }, '/a/proxy/3000/', 'svc=/proxy/3000/'],
  // No page of its own: the cookie of the landing page.
  ['/cdp/json/version?svc_sign_in', {}, './version', 'svc=/'],
])(
  '[auth.form-post] the right key at %s %j leads to %s with the cookie of the page',
  async (target, how, to, cookie) => {
    await using daemon = await startDaemon(decide);
    await using gateway = await startGateway(daemon.port);
    const answer = await post(gateway.port, target, how);
    expect(answer).toMatch(/^HTTP\/1\.1 303 /);
    expect(answer).toContain(`Location: ${to}\r\n`);
    expect(answer).toContain(`Set-Cookie: ${cookie}\r\n`);
    expect(answer).toMatch(/Cache-Control: no-store/);
  },
);

test('[auth.form-post] /open/{port} on localhost leads to the host of the preview, which the form may reach', async () => {
  await using daemon = await startDaemon(decide);
  await using gateway = await startGateway(daemon.port);
  const host = `localhost:${gateway.port}`;
  const form = await exchange(gateway.port, `GET /open/3000 HTTP/1.1\nHost: ${host}\n${PAGE}`);
  expect(form).toMatch(/^HTTP\/1\.1 401 /);
  expect(form).toContain(`form-action 'self' http://3000.localhost:${gateway.port};`);
  expect(form).toContain('action="?svc_sign_in"');
  const answer = await post(gateway.port, '/open/3000?svc_sign_in', { host });
  expect(answer).toContain(`Location: http://3000.localhost:${gateway.port}/?ticket=t1\r\n`);
});

test.each(['/', '/vnc/', '/open/3000', '/proxy/3000/', '/cdp/json/version'])(
  '[auth.form-wrong] a wrong key at %s leads to the form again, and is in no address',
  async (path) => {
    await using daemon = await startDaemon(decide);
    await using gateway = await startGateway(daemon.port);
    const answer = await post(gateway.port, `${path}?a=1&svc_sign_in`, { key: 'nope' });
    expect(answer).toMatch(/^HTTP\/1\.1 303 /);
    expect(answer).toContain('Location: ?a=1&svc_sign_in=key\r\n');
    expect(answer).not.toMatch(/nope|Set-Cookie/);
  },
);

test('[auth.form-post] a form of another origin is refused as the daemon says', async () => {
  await using daemon = await startDaemon(decide);
  await using gateway = await startGateway(daemon.port);
  const answer = await post(gateway.port, '/vnc/?svc_sign_in', { more: '\nOrigin: http://evil' });
  expect(answer).toMatch(/^HTTP\/1\.1 403 /);
});

test('[auth.form-post] no application receives the form, and the daemon the key only in its question', async () => {
  await using daemon = await startDaemon(decide);
  await using application = await startDaemon((_req, res) => void res.end('app'));
  await using gateway = await startGateway(daemon.port);
  await post(gateway.port, `/proxy/${application.port}/?svc_sign_in`);
  await post(gateway.port, '/x?svc_sign_in', { host: `${application.port}.localhost` });
  expect(application.requests).toEqual([]);
  expect(askedOf(daemon)).toEqual([
    `/proxy/${application.port}/?api_key=${encodeURIComponent(KEY)}`,
    `/proxy/${application.port}/x?api_key=${encodeURIComponent(KEY)}`,
  ]);
  expect(daemon.requests.map(({ url }) => url)).toEqual(['/internal/auth', '/internal/auth']);
});

test('[auth.form-post] a POST without the mark, of another type or as an upgrade is the application’s', async () => {
  await using daemon = await startDaemon((_req, res) => void res.writeHead(204).end());
  await using application = await startDaemon((req, res) => void res.end(`app ${req.url}`));
  await using gateway = await startGateway(daemon.port);
  const path = `/proxy/${application.port}/`;
  expect(await post(gateway.port, `${path}?svc_sign`)).toContain(`app /?svc_sign`);
  const head = `POST ${path}?svc_sign_in HTTP/1.1\nHost: h\nContent-Type: application/json\nContent-Length: 2`;
  expect(await exchange(gateway.port, head, '{}')).toContain('app /?svc_sign_in');
});

test('[auth.form-post] a form over 16 KiB is refused', async () => {
  await using daemon = await startDaemon(decide);
  await using gateway = await startGateway(daemon.port);
  const answer = await post(gateway.port, '/vnc/?svc_sign_in', { key: 'k'.repeat(20_000) });
  expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*too large/);
  expect(daemon.requests).toEqual([]);
});

test('[auth.form-post] a daemon that does not answer is 503', async () => {
  const daemon = await startDaemon(decide);
  const { port } = daemon;
  await daemon[Symbol.asyncDispose]();
  await using gateway = await startGateway(port);
  expect(await post(gateway.port, '/vnc/?svc_sign_in')).toMatch(/^HTTP\/1\.1 503 /);
});
