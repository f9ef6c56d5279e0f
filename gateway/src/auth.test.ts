import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { exchange, queryCredentials, startDaemon, startGateway } from './gateway.fixture.ts';

const PAGE = 'Accept: text/html,*/*';

/** Admits the key `k` in a header or the query, and sets cookies for a credential in the query. */
function authDaemon(req: IncomingMessage, res: ServerResponse): void {
  const uri = String(req.headers['x-original-uri'] ?? '/');
  const inQuery = queryCredentials(uri);
  const byQuery = inQuery.length > 0;
  const known = byQuery || req.headers['x-api-key'] === 'k' || req.headers.cookie === 'svc=1';
  if (req.url === '/health') res.end('{"status":"<b>healthy","version":"1.2.3","uptime_seconds":1}');
  else if (req.headers.origin === 'http://evil') res.writeHead(403).end();
  else if (uri.split('?')[0] === '/' || known) {
    const cookies = byQuery ? ['svc=1; HttpOnly', 'second=2'] : [];
    res.writeHead(204, { 'Set-Cookie': cookies, 'X-Credentials': inQuery.join() }).end();
  } else res.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end('never read');
}

test('the request to /internal/auth has the headers of the client, and only the gateway’s X-Original-*', async () => {
  await using daemon = await startDaemon(authDaemon);
  await using gateway = await startGateway(daemon.port);
  const fields = 'Cookie: svc=1\nAuthorization: Bearer x\nX-SVC-API-Key: y\nOrigin: http://o\nX-Request-Id: id1';
  const spoofed = 'X-Original-URI: /health\nX-Original-Method: HEAD\nX-Original-Upgrade: websocket';
  const answer = await exchange(
    gateway.port,
    `POST /cdp/json/a%20b?c HTTP/1.1\nHost: h\n${fields}\n${spoofed}\nContent-Length: 2`,
    '{}',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  const [authRequest] = daemon.requests;
  expect(authRequest?.method).toBe('GET');
  expect(authRequest?.headers).toMatchObject({
    host: 'h',
    cookie: 'svc=1',
    authorization: 'Bearer x',
    'x-svc-api-key': 'y',
    origin: 'http://o',
    'x-request-id': 'id1',
    'x-forwarded-for': '127.0.0.1',
    'x-original-uri': '/cdp/json/a%20b?c',
    'x-original-method': 'POST',
  });
  expect(authRequest?.headers).not.toHaveProperty('x-original-upgrade');
  expect(authRequest?.headers).not.toHaveProperty('content-length');
});

test('[auth.form] an API client without a key gets the envelope, a browser the key form', async () => {
  await using daemon = await startDaemon(authDaemon);
  await using gateway = await startGateway(daemon.port);
  const envelope = await exchange(gateway.port, 'GET /vnc/ HTTP/1.1\nHost: h');
  expect(envelope).toMatch(/^HTTP\/1\.1 401 [\s\S]*WWW-Authenticate: Bearer[\s\S]*"success":false/);
  const page = await exchange(gateway.port, `GET /vnc/?path=a"<b&c=%22 HTTP/1.1\nHost: h\n${PAGE}`);
  expect(page).toMatch(/^HTTP\/1\.1 401 [\s\S]*Content-Type: text\/html/);
  expect(page).toContain('<form method="post" action="?path=a&quot;&lt;b&amp;c=%22&amp;svc_sign_in">');
  expect(page).toContain('name="api_key"');
  expect(page).not.toMatch(/<script|https?:\/\//);
});

test.each([
  ['/vnc/', '?path=a&api_key=wrong&x', '?path=a&x&svc_sign_in=key', 'This key is not accepted.'],
  ['/vnc/', '?ticket=spent', '?svc_sign_in=link', 'This link is not valid any more'],
  ['/', '?api_key=wrong', '?svc_sign_in=key', 'This key is not accepted.'],
])(
  '[auth.refused-link] %s%s leads to the form, which says why, without the credential',
  async (path, query, to, why) => {
    await using daemon = await startDaemon(authDaemon);
    await using gateway = await startGateway(daemon.port);
    const refused = await exchange(gateway.port, `GET ${path}${query} HTTP/1.1\nHost: h\n${PAGE}`);
    expect(refused).toMatch(/^HTTP\/1\.1 303 /);
    expect(refused).toContain(`Location: ${to}\r\n`);
    expect(refused).not.toMatch(/wrong|spent/);
    const form = await exchange(gateway.port, `GET ${path}${to} HTTP/1.1\nHost: h\n${PAGE}`);
    expect(form).toContain(`<p role="alert">${why}`);
    const opened = await exchange(gateway.port, `GET ${path}${to} HTTP/1.1\nHost: h\n${PAGE}\nCookie: svc=1`);
    expect(opened).toMatch(/^HTTP\/1\.1 302 /);
    expect(opened).toContain(`Location: ./${to.replace(/^\?svc_sign_in.*|&svc_sign_in.*/, '')}\r\n`);
  },
);

test('a request that the daemon forbids is 403, as JSON or as a page', async () => {
  await using daemon = await startDaemon(authDaemon);
  await using gateway = await startGateway(daemon.port);
  const head = 'GET /cdp HTTP/1.1\nHost: h\nOrigin: http://evil\nX-API-Key: k';
  expect(await exchange(gateway.port, head)).toMatch(/^HTTP\/1\.1 403 [\s\S]*SVC_ALLOWED_ORIGINS/);
  expect(await exchange(gateway.port, `${head}\n${PAGE}`)).toMatch(/^HTTP\/1\.1 403 [\s\S]*<!doctype html>/);
});

test('[gateway.problem-page] an error is an escaped page for a browser, and the envelope for an API client', async () => {
  await using daemon = await startDaemon(authDaemon);
  await using gateway = await startGateway(daemon.port);
  for (const [path, status, words] of [
    ['/proxy/2/', 503, 'port 2 is not reachable (503)</p>\n<p>start a server on 127.0.0.1:2'],
    ['/proxy/0/', 400, 'whole number from 1 to 65535 (400)<'],
    ['/jupyter/', 404, '<p>JupyterLab is off (404)</p>\n<p>start the sandbox with DISABLE_JUPYTER=false<'],
    ['/vnc/index.html', 503, 'noVNC&#39;s pages are not in'],
  ] as const) {
    const head = `GET ${path} HTTP/1.1\nHost: h\nX-API-Key: k`;
    const page = await exchange(gateway.port, `${head}\n${PAGE}`);
    expect(page).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*Content-Security-Policy: default-src 'none'`));
    expect(page).toContain(words);
    expect(await exchange(gateway.port, head)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*"success":false`));
  }
  const absent = await exchange(gateway.port, `GET /proxy/2/ HTTP/1.1\nHost: h\nX-API-Key: k\n${PAGE}`);
  expect(absent).toContain('Retry-After: 1\r\n');
});

test('a page opened with a key is redirected to its URL without the key, with the cookie', async () => {
  await using daemon = await startDaemon(authDaemon);
  await using gateway = await startGateway(daemon.port);
  const answer = await exchange(
    gateway.port,
    `GET /vnc/index.html?a=%20b+c&api_key=k&d&ticket=t HTTP/1.1\nHost: h\n${PAGE}`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 302 /);
  expect(answer).toContain('Location: ./index.html?a=%20b+c&d\r\n');
  expect(answer).toContain('Set-Cookie: svc=1; HttpOnly\r\nSet-Cookie: second=2\r\n');
  expect(answer).toContain('Referrer-Policy: no-referrer');
});

test.each([
  ['//evil.example/x', './x'],
  ['/\\evil.example/x', './x'],
])('[cookie.redirect] the redirect of %s leads to the host of the request', async (path, location) => {
  await using daemon = await startDaemon(authDaemon);
  await using gateway = await startGateway(daemon.port);
  const answer = await exchange(
    gateway.port,
    `GET ${path}?api_key=k&b HTTP/1.1\nHost: 3000.localhost:${gateway.port}\n${PAGE}`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 302 /);
  expect(answer).toContain(`Location: ${location}?b\r\n`);
});

test('an API client with a key in its query is not redirected; the response sets the cookies', async () => {
  await using daemon = await startDaemon(authDaemon);
  await using browser = await startDaemon((_req, res) => void res.end('{}'));
  await using gateway = await startGateway(daemon.port, {
    env: { BROWSER_REMOTE_DEBUGGING_PORT: String(browser.port) },
  });
  const answer = await exchange(gateway.port, 'GET /cdp/json?ticket=t HTTP/1.1\nHost: h');
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*Set-Cookie: svc=1; HttpOnly\r\nSet-Cookie: second=2/);
});

test('a request is refused if the daemon makes no valid decision', async () => {
  await using daemon = await startDaemon((req, res) => {
    if (req.headers['x-original-uri'] === '/cdp/dies') req.socket.destroy();
    else res.writeHead(req.headers['x-original-uri'] === '/cdp/200' ? 200 : 500).end();
  });
  const { port } = daemon;
  await using gateway = await startGateway(port);
  for (const [path, status] of [
    ['/cdp/500', 503],
    ['/cdp/200', 503],
    ['/cdp/dies', 502],
  ] as const) {
    expect([path, (await fetch(gateway.origin + path)).status]).toEqual([path, status]);
  }
  await daemon[Symbol.asyncDispose]();
  const away = await fetch(`${gateway.origin}/cdp`);
  expect([away.status, away.headers.get('retry-after')]).toEqual([503, '1']);
});

test('a large refused upload gets the response', async () => {
  await using daemon = await startDaemon(authDaemon);
  await using gateway = await startGateway(daemon.port);
  const answer = await exchange(
    gateway.port,
    'POST /proxy/80/ HTTP/1.1\nHost: h\nContent-Length: 3000000',
    'x'.repeat(3_000_000),
  );
  expect(answer).toMatch(/^HTTP\/1\.1 401 [\s\S]*Connection: close[\s\S]*"success":false/);
});

test('[landing.public] without the key the landing page shows only the form', async () => {
  await using daemon = await startDaemon(authDaemon);
  await using gateway = await startGateway(daemon.port);
  const answer = await exchange(gateway.port, `GET / HTTP/1.1\nHost: h\n${PAGE}`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*name="api_key"/);
  expect(answer).not.toMatch(/1\.2\.3|9\.9\.9|openapi|healthy/);
  expect(answer).toMatch(/Content-Security-Policy: default-src 'none';.*frame-ancestors 'none'/);
  expect(answer).toContain('X-Content-Type-Options: nosniff');
  expect(answer).toContain('Referrer-Policy: no-referrer');
  expect(daemon.requests.map((req) => req.headers['x-original-uri'])).toEqual(['/metrics']);
});

test('[landing.page] with the key the landing page shows the state of the sandbox, escaped', async () => {
  await using daemon = await startDaemon(authDaemon);
  await using gateway = await startGateway(daemon.port);
  for (const credential of ['X-API-Key: k', 'Cookie: svc=1']) {
    const answer = await exchange(gateway.port, `GET / HTTP/1.1\nHost: h\n${PAGE}\n${credential}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*&lt;b&gt;healthy, version 1\.2\.3[\s\S]*version 9\.9\.9/);
    expect(answer).toMatch(/href="v2\/openapi\.json"[\s\S]*href="v1\/openapi\.json"[\s\S]*href="metrics"/);
  }
});

test('[origin.cross-site] a link of another site leads to the landing page', async () => {
  await using daemon = await startDaemon((req, res) => {
    if (req.url === '/health') res.end('{}');
    else res.writeHead(req.headers['sec-fetch-site'] === undefined ? 204 : 403).end();
  });
  await using gateway = await startGateway(daemon.port);
  const link = 'Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document';
  const answer = await exchange(gateway.port, `GET / HTTP/1.1\nHost: h\n${PAGE}\n${link}`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*openapi/);
  expect(await exchange(gateway.port, `GET /vnc/ HTTP/1.1\nHost: h\n${link}`)).toMatch(/^HTTP\/1\.1 403 /);
});

test('[landing.page] a key in the query of the landing page becomes a cookie', async () => {
  await using daemon = await startDaemon(authDaemon);
  await using gateway = await startGateway(daemon.port);
  const opened = await exchange(gateway.port, `GET /?x=1&ticket=t HTTP/1.1\nHost: h\n${PAGE}`);
  expect(opened).toMatch(/^HTTP\/1\.1 302 [\s\S]*Location: \.\/\?x=1\r\n[\s\S]*Set-Cookie: svc=1/);
  expect(daemon.requests.map((req) => req.headers['x-original-uri'])).toEqual(['/?x=1&ticket=t']);
});

test('[landing.program] for an API client / is the daemon’s', async () => {
  await using daemon = await startDaemon((req, res) => void res.end(`<${req.method} ${req.url}>`));
  await using gateway = await startGateway(daemon.port);
  expect(await exchange(gateway.port, 'GET /?x HTTP/1.1\nHost: h')).toContain('<GET /?x>');
  expect(await exchange(gateway.port, `POST / HTTP/1.1\nHost: h\n${PAGE}\nContent-Length: 0`)).toContain('<POST />');
});

test('HEAD of a page has no body', async () => {
  await using daemon = await startDaemon(authDaemon);
  await using gateway = await startGateway(daemon.port);
  const answer = await exchange(gateway.port, `HEAD / HTTP/1.1\nHost: h\n${PAGE}`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*Content-Length: \d{3,}[\s\S]*\r\n\r\n$/);
});
