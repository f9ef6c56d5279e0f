import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { exchange, queryCredentials, startDaemon, startGateway } from '../gateway.fixture.ts';

/** Where a request carries the key `k`: in a header, the query or a cookie. */
function keysOf({ headers }: IncomingMessage, query: URLSearchParams): string[] {
  return [
    ...(headers['x-api-key'] === 'k' ? ['x-api-key'] : []),
    ...(query.get('api_key') === 'k' ? ['api_key'] : []),
    ...(headers.cookie === 'svc_session=k' ? ['cookie'] : []),
  ];
}

/** A daemon that names a ticket for the preview to requests with the key, and admits the ticket `t` without one. */
function startTicketDaemon(): ReturnType<typeof startDaemon> {
  return startDaemon((req, res) => {
    const target = String(req.headers['x-original-uri']);
    const { pathname, searchParams } = new URL(target, 'http://x');
    const keys = keysOf(req, searchParams);
    const credentials = [...keys, ...queryCredentials(target)];
    const ticket = keys.length > 0 ? { 'X-Preview-Ticket': `for${pathname.replaceAll('/', '-')}` } : {};
    res.writeHead(credentials.length > 0 ? 204 : 401, { 'X-Credentials': credentials.join(), ...ticket }).end();
  });
}

test.each([
  ['the key in a header', '/open/3000', '\nX-API-Key: k'],
  ['the key in the query', '/open/3000?api_key=k', ''],
  ['the key in the query of a page', '/open/3000?api_key=k', '\nAccept: text/html'],
  ['the cookie', '/open/3000', '\nCookie: svc_session=k'],
])(
  '[preview.link] with %s, /open redirects to a host of the port with a ticket for it',
  async (_what, path, fields) => {
    await using daemon = await startTicketDaemon();
    await using gateway = await startGateway(daemon.port);
    const answer = await exchange(gateway.port, `GET ${path} HTTP/1.1\nHost: localhost:${gateway.port}${fields}`);
    expect(answer).toMatch(/^HTTP\/1\.1 302 /);
    expect(answer).toContain(`Location: http://3000.localhost:${gateway.port}/?ticket=for-open-3000\r\n`);
    expect(answer).toMatch(/Cache-Control: no-store[\s\S]*Referrer-Policy: no-referrer/);
  },
);

test('[preview.link] on any other host it redirects to a path of this host, without a ticket', async () => {
  await using daemon = await startTicketDaemon();
  await using gateway = await startGateway(daemon.port);
  for (const [host, prefix, location] of [
    ['box.example', '', '/proxy/3000/'],
    ['127.0.0.1:8080', '', '/proxy/3000/'],
    ['localhost.example', '/a/b/', '/a/b/proxy/3000/'],
  ]) {
    const fields = `Host: ${host}\nX-API-Key: k${prefix === '' ? '' : `\nX-Forwarded-Prefix: ${prefix}`}`;
    expect(await exchange(gateway.port, `GET /open/3000 HTTP/1.1\n${fields}`)).toContain(`Location: ${location}\r\n`);
  }
});

test('[preview.link] a spent ticket or no credential is 401', async () => {
  await using daemon = await startTicketDaemon();
  await using gateway = await startGateway(daemon.port);
  const spent = await exchange(gateway.port, 'GET /open/3000?ticket=t HTTP/1.1\nHost: localhost');
  expect(spent).toMatch(/^HTTP\/1\.1 401 [\s\S]*open this with the key/);
  expect(await exchange(gateway.port, 'GET /open/3000 HTTP/1.1\nHost: localhost')).toMatch(/^HTTP\/1\.1 401 /);
});
