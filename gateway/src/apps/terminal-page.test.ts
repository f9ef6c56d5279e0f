import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { exchange, queryCredentials, startDaemon, startGateway } from '../gateway.fixture.ts';
import { pageAssets } from './page-assets.ts';

/** Admits requests with the key `k`; a key in the query gets a cookie. */
function authDaemon(req: IncomingMessage, res: ServerResponse): void {
  const known = req.headers['x-api-key'] === 'k' || String(req.headers['x-original-uri']).includes('api_key=k');
  const [field] = queryCredentials(String(req.headers['x-original-uri']));
  const cookie = field === undefined ? {} : { 'Set-Cookie': 'svc=1', 'X-Credentials': field };
  res.writeHead(known ? 204 : 401, cookie).end();
}

test('[terminal.page] the page and all files that it loads are served', async () => {
  await using daemon = await startDaemon(authDaemon);
  await using gateway = await startGateway(daemon.port);
  const get = (path: string, more: RequestInit = {}): Promise<Response> =>
    fetch(`${gateway.origin}${path}`, { headers: { 'x-api-key': 'k' }, redirect: 'manual', ...more });
  const page = await get('/terminal/');
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  const loaded = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name);
  expect(loaded).toEqual(['xterm.css', 'terminal.css', 'terminal.js']);
  const imported = new Set<string | undefined>();
  for (const { name, path } of pageAssets('terminal')) {
    const asset = await get(`/terminal/${name}`);
    expect([name, asset.status]).toEqual([name, 200]);
    const text = await asset.text();
    expect(text).toBe(await readFile(path, 'utf8'));
    for (const [, file] of text.matchAll(/^import .* from '\.\/([^']+)';$/gm)) imported.add(file);
  }
  const modules = [
    'addon-fit.mjs',
    'api.js',
    'clipboard.js',
    'connection.js',
    'keys.js',
    'notice.js',
    'sessions.js',
    'signed-in.js',
  ];
  expect([...imported].sort()).toEqual([...modules, 'terminal-output.js', 'xterm.mjs']);
  for (const module of ['terminal.js', ...imported]) {
    const { status, headers } = await get(`/terminal/${module}`);
    expect([module, status, headers.get('content-type')]).toEqual([module, 200, 'text/javascript; charset=utf-8']);
  }
  expect((await get('/terminal/', { method: 'POST' })).status).toBe(405);
});

// `main.ts` exists one level above the directory of the page's files.
test.each(['none.js', '../main.ts', '%2e%2e/main.ts', '..%2fmain.ts', './../main.ts', 'x/../../main.ts'])(
  '[terminal.page] %s is not a file of the page',
  async (name) => {
    await using daemon = await startDaemon(authDaemon);
    await using gateway = await startGateway(daemon.port);
    const answer = await exchange(gateway.port, `GET /terminal/${name} HTTP/1.1\nHost: h\nX-API-Key: k`);
    expect(answer).toMatch(/^HTTP\/1\.1 404 [\s\S]*"message":"no such file"/);
  },
);

test('[terminal.slash] a URL without the trailing slash is redirected, with its query', async () => {
  await using daemon = await startDaemon(authDaemon);
  await using gateway = await startGateway(daemon.port);
  const moved = await fetch(`${gateway.origin}/terminal?session=a`, {
    headers: { 'x-api-key': 'k' },
    redirect: 'manual',
  });
  expect([moved.status, moved.headers.get('location')]).toEqual([308, 'terminal/?session=a']);
});

test('[terminal.key] without the key it is a key form; a key in the query is replaced by a cookie', async () => {
  await using daemon = await startDaemon(authDaemon);
  await using gateway = await startGateway(daemon.port);
  const open = (path: string): Promise<Response> =>
    fetch(gateway.origin + path, { headers: { accept: 'text/html' }, redirect: 'manual' });
  const refused = await open('/terminal/');
  expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining('API key')]);
  const opened = await open('/terminal/?api_key=k&session=a');
  expect([opened.status, opened.headers.get('location')]).toEqual([302, './?session=a']);
  expect(opened.headers.get('set-cookie')).toBe('svc=1');
  expect((await fetch(`${gateway.origin}/terminal/xterm.mjs`)).status).toBe(401);
});
