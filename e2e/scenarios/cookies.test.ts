import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { Services } from '../services.ts';

const KEY = 'correct-horse-battery';
const PAGE = 'text/html,application/xhtml+xml';

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly cookies: readonly string[];
  readonly body: string;
}

/** Requests a page as a browser does, with any Host. */
function open(services: Services, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const { port } = new URL(services.url);
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, headers: { accept: PAGE, ...headers } }, (answer) => {
      const { location, 'set-cookie': cookies = [] } = answer.headers;
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, location, cookies, body }), reject);
    });
    call.on('error', reject).end();
  });
}

const ELSEWHERE = ['/v2/commands', '/metrics', '/cdp/json', '/open/80', '/proxy/4/', '/absproxy/3/', '/v1/file/read'];

/** A page, its host, the paths its cookie is valid for with their status without an upstream, and refused paths. */
type Row = readonly [page: string, host: string, own: Readonly<Record<string, RegExp>>, others: readonly string[]];

const NO_PAGES = /^503 .*pages are not in/s;
const NO_CODE_SERVER = /^503 .*code-server is not reachable/s;
const NO_JUPYTER = /^503 .*JupyterLab is not reachable/s;
const NO_PORT = /^503 .*port 3 is not reachable/s;

test.each<Row>([
  [
    '/vnc/index.html',
    'localhost',
    { '/vnc/': /^302 /, '/vnc/index.html': NO_PAGES, '/websockify': /^426 /, '/vnc/websockify': /^426 / },
    ['/jupyter/', '/terminal/'],
  ],
  [
    '/code-server/',
    'localhost',
    { '/code-server/': NO_CODE_SERVER, '/code-server/x': NO_CODE_SERVER },
    ['/vnc/', '/code-serverx', '/terminal/'],
  ],
  [
    '/jupyter/lab',
    'localhost',
    { '/jupyter/lab': NO_JUPYTER, '/jupyter/api': NO_JUPYTER },
    ['/code-server/', '/websockify'],
  ],
  [
    '/terminal/',
    'localhost',
    { '/terminal/': /^200 .*terminal\.js/s, '/v2/pty/sessions': /^200 .*"success":true/s },
    ['/v2/fs/list', '/vnc/'],
  ],
  ['/proxy/3/', 'localhost', { '/proxy/3/': NO_PORT, '/proxy/3/x?y': NO_PORT }, ['/proxy/33/', '/vnc/', '/terminal/']],
  ['/', '3.localhost', { '/': NO_PORT, '/v2/commands': NO_PORT, '/vnc/': NO_PORT }, []],
])('[cookie.every-page] the cookie of %s on %s is valid for its own paths only', async (page, host, own, others) => {
  await using services = await Services.start({
    SVC_API_KEY: KEY,
    DISABLE_CODE_SERVER: 'false',
    DISABLE_JUPYTER: 'false',
    GATEWAY_CODE_SERVER: '/nonexistent/code-server.sock',
    GATEWAY_JUPYTER: '/nonexistent/jupyter.sock',
    GATEWAY_NOVNC_DIR: '/nonexistent',
  });
  const opened = await open(services, `${page}?a=b&api_key=${KEY}`, { host });
  const { pathname, search } = new URL(opened.location ?? '', `http://${host}${page}`);
  expect([opened.status, pathname + search, opened.cookies.length]).toEqual([302, `${page}?a=b`, 1]);
  expect(opened.cookies[0]).toMatch(/; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/);
  const cookie = opened.cookies[0]?.split(';')[0] ?? '';
  const status = async (path: string, at: string, headers: Readonly<Record<string, string>> = {}) =>
    (await open(services, path, { host: at, ...headers })).status;
  for (const [path, opens] of Object.entries(own)) {
    expect([path, await status(path, host)]).toEqual([path, 401]);
    const opened = await open(services, path, { host, cookie });
    expect(`${opened.status} ${path} ${opened.body}`).toMatch(opens);
    expect([path, await status(path, host, { cookie: `${cookie}x` })]).toEqual([path, 401]);
  }
  for (const path of [...ELSEWHERE, ...others]) {
    expect([path, await status(path, 'localhost', { cookie })]).toEqual([path, 401]);
  }
  expect(await status('/x', '4.localhost', { cookie })).toBe(401);
  expect(await status('/x', 'localhost', { cookie, 'x-aio-proxy-port': '4' })).toBe(401);
});
