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

/** Asks as a browser does that opens a page, by any host. */
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

/** A page, its host, what the cookie opens there with what is answered (nothing listens behind the gateway), and what not. */
type Row = readonly [page: string, host: string, own: Readonly<Record<string, number>>, others: readonly string[]];

test.each<Row>([
  [
    '/vnc/index.html',
    'localhost',
    { '/vnc/': 302, '/vnc/index.html': 503, '/vnc/app/ui.js': 404, '/websockify': 426, '/vnc/websockify': 426 },
    ['/jupyter/', '/terminal/'],
  ],
  [
    '/code-server/',
    'localhost',
    { '/code-server/': 503, '/code-server/x': 503 },
    ['/vnc/', '/code-serverx', '/terminal/'],
  ],
  ['/jupyter/lab', 'localhost', { '/jupyter/lab': 503, '/jupyter/api': 503 }, ['/code-server/', '/websockify']],
  ['/terminal/', 'localhost', { '/terminal/': 200, '/v2/pty/sessions': 200 }, ['/v2/fs/list', '/vnc/']],
  ['/proxy/3/', 'localhost', { '/proxy/3/': 503, '/proxy/3/x?y': 503 }, ['/proxy/33/', '/vnc/', '/terminal/']],
  ['/', '3.localhost', { '/': 503, '/v2/commands': 503, '/vnc/': 503 }, []],
])(
  '[cookie.every-page] the cookie of %s on %s opens what is its own and nothing else',
  async (page, host, own, others) => {
    await using services = await Services.start({
      SVC_API_KEY: KEY,
      DISABLE_CODE_SERVER: 'false',
      DISABLE_JUPYTER: 'false',
      GATEWAY_CODE_SERVER: '/nonexistent/code-server.sock',
      GATEWAY_JUPYTER: '/nonexistent/jupyter.sock',
      GATEWAY_NOVNC_DIR: '/nonexistent',
    });
    const opened = await open(services, `${page}?a=b&api_key=${KEY}`, { host });
    expect([opened.status, opened.location, opened.cookies.length]).toEqual([302, `${page}?a=b`, 1]);
    expect(opened.cookies[0]).toMatch(/; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/);
    const cookie = opened.cookies[0]?.split(';')[0] ?? '';
    const status = async (path: string, at: string, headers: Readonly<Record<string, string>> = {}) =>
      (await open(services, path, { host: at, ...headers })).status;
    for (const [path, opens] of Object.entries(own)) {
      expect([path, await status(path, host)]).toEqual([path, 401]);
      expect([path, await status(path, host, { cookie })]).toEqual([path, opens]);
      expect([path, await status(path, host, { cookie: `${cookie}x` })]).toEqual([path, 401]);
    }
    for (const path of [...ELSEWHERE, ...others]) {
      expect([path, await status(path, 'localhost', { cookie })]).toEqual([path, 401]);
    }
    expect(await status('/x', '4.localhost', { cookie })).toBe(401);
    expect(await status('/x', 'localhost', { cookie, 'x-aio-proxy-port': '4' })).toBe(401);
  },
);
