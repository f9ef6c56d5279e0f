import { request } from 'node:http';
import { expect, test } from 'vitest';
import { Services } from '../services.ts';

const KEY = 'correct-horse-battery';
const PAGE = 'text/html,application/xhtml+xml';

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly cookies: readonly string[];
}

/** Requests a page as a browser does, with any Host. */
function open(services: Services, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const { port } = new URL(services.url);
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, headers: { accept: PAGE, ...headers } }, (answer) => {
      answer.resume();
      const { location, 'set-cookie': cookies = [] } = answer.headers;
      resolve({ status: answer.statusCode ?? 0, location, cookies });
    });
    call.on('error', reject).end();
  });
}

const ELSEWHERE = ['/v2/commands', '/metrics', '/cdp/json', '/open/80', '/proxy/4/', '/absproxy/3/', '/v1/file/read'];

test.each([
  [
    '/vnc/index.html',
    'localhost',
    ['/vnc/', '/vnc/app/ui.js', '/websockify', '/vnc/websockify'],
    ['/jupyter/', '/terminal/'],
  ],
  ['/code-server/', 'localhost', ['/code-server/', '/code-server/x'], ['/vnc/', '/code-serverx', '/terminal/']],
  ['/jupyter/lab', 'localhost', ['/jupyter/lab', '/jupyter/api'], ['/code-server/', '/websockify']],
  ['/terminal/', 'localhost', ['/terminal/', '/v2/pty/sessions'], ['/v2/fs/list', '/vnc/']],
  ['/proxy/3/', 'localhost', ['/proxy/3/', '/proxy/3/x?y'], ['/proxy/33/', '/vnc/', '/terminal/']],
  ['/', '3.localhost', ['/', '/v2/commands', '/vnc/'], []],
])('[cookie.every-page] the cookie of %s on %s is valid for its own paths only', async (page, host, own, others) => {
  await using services = await Services.start({
    SVC_API_KEY: KEY,
    DISABLE_CODE_SERVER: 'false',
    DISABLE_JUPYTER: 'false',
    GATEWAY_CODE_SERVER: '/nonexistent/code-server.sock',
    GATEWAY_JUPYTER: '/nonexistent/jupyter.sock',
  });
  const opened = await open(services, `${page}?a=b&api_key=${KEY}`, { host });
  expect([opened.status, opened.location, opened.cookies.length]).toEqual([302, `${page}?a=b`, 1]);
  expect(opened.cookies[0]).toMatch(/; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/);
  const cookie = opened.cookies[0]?.split(';')[0] ?? '';
  const status = async (path: string, at: string, headers: Readonly<Record<string, string>> = {}) =>
    (await open(services, path, { host: at, ...headers })).status;
  for (const path of own) {
    expect([path, await status(path, host)]).toEqual([path, 401]);
    expect([path, await status(path, host, { cookie })]).not.toEqual([path, 401]);
    expect([path, await status(path, host, { cookie: `${cookie}x` })]).toEqual([path, 401]);
  }
  for (const path of [...ELSEWHERE, ...others]) {
    expect([path, await status(path, 'localhost', { cookie })]).toEqual([path, 401]);
  }
  expect(await status('/x', '4.localhost', { cookie })).toBe(401);
  expect(await status('/x', 'localhost', { cookie, 'x-aio-proxy-port': '4' })).toBe(401);
});
