import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { startDaemon, startGateway } from '../gateway.fixture.ts';
import { terminalAssets } from './terminal-assets.ts';

/** Admits requests with the key `k`; a key in the query gets a cookie. */
function authDaemon(req: IncomingMessage, res: ServerResponse): void {
  const known = req.headers['x-api-key'] === 'k' || String(req.headers['x-original-uri']).includes('api_key=k');
  const cookie = String(req.headers['x-original-uri']).includes('api_key') ? { 'Set-Cookie': 'svc=1' } : {};
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
  for (const { name } of terminalAssets()) {
    const asset = await get(`/terminal/${name}`);
    expect([name, asset.status]).toEqual([name, 200]);
    const text = await asset.text();
    expect(text.length).toBeGreaterThan(100);
    for (const [, imported] of text.matchAll(/^import .* from '\.\/([^']+)';$/gm)) {
      expect((await get(`/terminal/${imported}`)).status).toBe(200);
    }
  }
  expect((await get('/terminal/none.js')).status).toBe(404);
  expect((await get('/terminal/../package.json')).status).not.toBe(200);
  expect((await get('/terminal/', { method: 'POST' })).status).toBe(405);
});

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
  expect([opened.status, opened.headers.get('location')]).toEqual([302, '/terminal/?session=a']);
  expect(opened.headers.get('set-cookie')).toBe('svc=1');
  expect((await fetch(`${gateway.origin}/terminal/xterm.mjs`)).status).toBe(401);
});
