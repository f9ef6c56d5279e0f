import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { started, TestViewer } from '../../capabilities/pty/pty.fixture.ts';

const SCOPES = ['all', 'mcp', 'read', 'view', 'files', 'files-read'] as const;
type Name = (typeof SCOPES)[number];

/** The keys that each decision is good for, from the issue of scopes. */
const GOOD_FOR: Readonly<Record<string, readonly Name[]>> = {
  any: SCOPES,
  view: ['all', 'mcp', 'read', 'view'],
  read: ['all', 'mcp', 'read'],
  'files-read': ['all', 'mcp', 'read', 'files', 'files-read'],
  files: ['all', 'mcp', 'files'],
  control: ['all', 'mcp'],
  all: ['all'],
};

/** Routes that a key without `mcp` or `all` may use, beside `GET`: none of them changes anything outside its files. */
const NOT_SAFE: Readonly<Record<string, string>> = {
  'POST /v2/tickets': 'any',
  'DELETE /v2/tickets/{id}': 'any',
  'DELETE /v2/session': 'any',
  'POST /v2/fs/grep': 'read',
  'POST /v1/file/find': 'read',
  'POST /v1/file/glob': 'read',
  'POST /v1/file/grep': 'read',
  'POST /v1/file/search': 'read',
  'POST /v1/file/read': 'files-read',
  'POST /v1/file/list': 'files-read',
  'POST /v1/file/stat': 'files-read',
  'POST /v1/shell/view': 'view',
  'POST /v1/shell/wait': 'view',
  ...Object.fromEntries(
    ['v1', 'v2'].flatMap((prefix) => [
      [`POST /${prefix}/browser/snapshot`, 'read'],
      [`POST /${prefix}/browser/downloads/wait`, 'read'],
    ]),
  ),
  ...Object.fromEntries(
    ['write', 'edit', 'mkdir', 'delete', 'copy', 'move', 'upload'].map((name) => [`POST /v2/fs/${name}`, 'files']),
  ),
  'PUT /v2/fs/upload': 'files',
  ...Object.fromEntries(
    ['write', 'replace', 'mkdir', 'delete', 'copy', 'move', 'str_replace_editor', 'upload'].map((name) => [
      `POST /v1/file/${name}`,
      'files',
    ]),
  ),
};

/** What a `GET` needs that is not for `read`. */
const READS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['/ready', '/v1/ping', '/health', '/v2/tickets', '/v2/session'].map((path) => [`GET ${path}`, 'any']),
  ),
  ...Object.fromEntries(
    [
      ...['sandbox', 'sandbox/activity', 'system/usage'].map((name) => `/v2/${name}`),
      '/v1/sandbox',
      '/v1/capabilities',
      '/v1/shell/sessions',
      '/v1/shell/sessions/stats',
      '/v1/shell/ws',
      '/v2/pty/sessions',
      '/v2/pty/sessions/{id}',
      '/v2/pty/sessions/{id}/screen',
      '/v2/pty/sessions/{id}/ws',
      ...['info', 'screenshot', 'cursor', 'windows', 'accessibility', 'accessibility/nodes'].map(
        (name) => `/v2/computer/${name}`,
      ),
      ...['v1', 'v2'].flatMap((prefix) => [`/${prefix}/browser/tabs`, `/${prefix}/browser/screenshot`]),
    ].map((path) => [`GET ${path}`, 'view']),
  ),
  ...Object.fromEntries(
    [...['read', 'stat', 'list', 'download'].map((name) => `/v2/fs/${name}`), '/v1/file/download'].map((path) => [
      `GET ${path}`,
      'files-read',
    ]),
  ),
  ...Object.fromEntries(
    ['/v2/commands/{command_id}/attach', '/v2/pty/ws', '/v2/ports/{port}/connect', '/v1/shell/terminal-url'].map(
      (path) => [`GET ${path}`, 'control'],
    ),
  ),
};

/** Paths that need no key at all, or a token of their own. */
const OPEN: ReadonlySet<string> = new Set(['/health', '/v1/ping', '/v2/sandbox/claim']);

/** Of the gateway, for which the daemon decides. */
const PAGES: Readonly<Record<string, string>> = {
  '/': 'any',
  '/app/': 'any',
  '/metrics': 'any',
  '/docs': 'any',
  '/vnc/': 'view',
  '/websockify': 'view',
  '/terminal/': 'view',
  '/gateway/metrics': 'read',
  '/cdp': 'control',
  '/json/version': 'control',
  '/code-server/': 'control',
  '/jupyter/': 'control',
  '/open/3000': 'control',
  '/proxy/3000/': 'control',
  '/absproxy/3000/': 'control',
  '/proxy/3000/api/group%2fproject': 'control',
  '/jupyter/api/contents/a%2fb': 'control',
  '/unknown': 'all',
  '/vnc/..%2fcdp': 'all',
  '/vnc/../cdp': 'all',
};

const CONTROL: ReadonlySet<string> = new Set(['all', 'mcp']);

/** Beside the documents. */
const HIDDEN: readonly (readonly [route: string, need: string])[] = [
  ['POST /mcp', 'control'],
  ['POST /v1/mcp', 'control'],
  ['GET /v2/guide', 'any'],
  ['GET /llms.txt', 'any'],
  ['GET /docs', 'any'],
  ['POST /compat/e2b/process.Process/List', 'all'],
];

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'scopes-')));
const own = join(directory, 'own');
let daemon: TestApp;

function keysFile(): string {
  const scopes: Record<Name, string> = {
    all: 'all',
    mcp: 'mcp',
    read: 'read',
    view: 'view',
    files: `files:${own}`,
    'files-read': `files-read:${own}`,
  };
  const lines = SCOPES.map((name) => JSON.stringify({ name, key: `key-of-${name}`, scopes: [scopes[name]] }));
  const path = join(directory, 'keys');
  writeFileSync(path, lines.join('\n'));
  return path;
}

const keyOf = (name: Name) => ({ 'x-api-key': `key-of-${name}` });

beforeAll(async () => {
  mkdirSync(own);
  daemon = await TestApp.start({ accessKeysFile: keysFile() });
});

afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

async function documented(): Promise<string[]> {
  const routes = await Promise.all(
    ['/v1/openapi.json', '/v2/openapi.json'].map(async (url) => {
      const { paths } = (await daemon.inject(url)).json<{ paths: Record<string, Record<string, unknown>> }>();
      return Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      );
    }),
  );
  return routes.flat();
}

function needOf(route: string): string {
  if (route.includes(' /v2/checkpoints')) return route.startsWith('GET ') ? 'files-read' : 'files';
  return NOT_SAFE[route] ?? READS[route] ?? (route.startsWith('GET ') ? 'read' : 'control');
}

/** Whether a key is refused for its scopes; the request itself may be wrong. */
async function isRefused(route: string, name: Name): Promise<boolean> {
  const [method = '', path = ''] = route.split(' ');
  // Without a session it makes one.
  const url = path.replaceAll(/\{[^}]*\}/g, 'none').replace('/shell/ws', '/shell/ws?session_id=none');
  const answer = await daemon.inject({ method: method as 'GET', url, headers: { ...keyOf(name), 'x-none': '1' } });
  return answer.statusCode === 403 && /this needs the scope/.test(answer.body);
}

/** The keys that a route treats otherwise than it should. */
async function wrongOf(route: string, need: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const name of SCOPES) {
    const isGood = GOOD_FOR[need]?.includes(name) === true;
    // A request that is let in may wait for what never comes, or start a browser.
    if (isGood && isSlow(route)) continue;
    if ((await isRefused(route, name)) === isGood) wrong.push(`${name} ${route} needs ${need}`);
  }
  return wrong;
}

describe('[keys.scopes] every route has a decision for every scope', () => {
  test('of both documents, and beside them', { timeout: 120_000 }, async () => {
    const routes: (readonly [string, string])[] = (await documented())
      .filter((route) => !OPEN.has(route.split(' ')[1] ?? ''))
      .map((route) => [route, needOf(route)]);
    expect(routes.length).toBeGreaterThan(150);
    const wrong: string[] = [];
    for (const [route, need] of [...routes, ...HIDDEN]) wrong.push(...(await wrongOf(route, need)));
    expect(wrong).toEqual([]);
  });

  test.each(Object.entries(PAGES))('and every page of the gateway: %s needs %s', async (page, need) => {
    for (const name of SCOPES) {
      const headers = { ...keyOf(name), 'x-original-uri': page, 'x-original-method': 'GET' };
      const { statusCode, headers: answered } = await daemon.inject({ url: '/internal/auth', headers });
      const isGood = GOOD_FOR[need]?.includes(name) === true;
      const isViewer = isGood && !CONTROL.has(name);
      const seen = [name, statusCode, answered['x-view-only'], answered['x-missing-scope'] !== undefined];
      expect(seen).toEqual([name, isGood ? 204 : 403, isViewer ? '1' : undefined, !isGood]);
    }
  });

  test('also those in no document', async () => {
    await using fresh = await TestApp.start({ accessKeysFile: join(directory, 'keys'), logLevel: 'warn' });
    expect(fresh.log.filter((line) => line.includes('no scope is decided'))).toEqual([]);
  });
});

/** These answer when something has happened, or leave something behind. */
function isSlow(route: string): boolean {
  return /browser|computer|display|\/ready|packages|POST \/v2\/checkpoints|DELETE|claim|\/mcp|compat/.test(route);
}

const inject = (name: Name, options: InjectOptions) => daemon.inject({ ...options, headers: keyOf(name) });
const write = (name: Name, path: string) =>
  inject(name, { method: 'POST', url: '/v2/fs/write', payload: { path, content: 'x' } });
const read = (name: Name, path: string) => inject(name, { url: '/v2/fs/read', query: { path } });

describe('[keys.files] a key of some directories', () => {
  test('reads and writes there, and nowhere else, by whichever name', async () => {
    const outside = join(directory, 'secret');
    writeFileSync(outside, 'secret');
    writeFileSync(join(own, 'mine'), 'mine');
    mkdirSync(join(directory, 'own-not'), { recursive: true });
    writeFileSync(join(directory, 'own-not', 'f'), 'secret');
    symlinkSync(outside, join(own, 'link'));
    symlinkSync(directory, join(own, 'up'));
    symlinkSync(join(own, 'mine'), join(directory, 'in'));
    const status = async (answer: ReturnType<typeof read>) => (await answer).statusCode;
    for (const name of ['files', 'files-read'] as const) {
      expect([name, await status(read(name, join(own, 'mine')))]).toEqual([name, 200]);
      expect([name, await status(read(name, join(directory, 'in')))]).toEqual([name, 200]);
      const names = ['secret', 'own/link', 'own/up/secret', 'own/../secret', 'own-not/f', 'missing', 'secret/x'];
      for (const path of names.map((one) => `${directory}/${one}`)) {
        expect([name, path, await status(read(name, path))]).toEqual([name, path, 403]);
        const query = { path };
        for (const url of ['/v2/fs/stat', '/v2/fs/download']) {
          expect([url, path, await status(inject(name, { url, query }))]).toEqual([url, path, 403]);
        }
      }
      for (const path of [directory, join(own, 'up')]) {
        expect(await status(inject(name, { url: '/v2/fs/list', query: { path, recursive: 'true' } }))).toBe(403);
      }
      expect(await status(inject(name, { url: '/v2/fs/list', query: { path: own, recursive: 'true' } }))).toBe(200);
      const own1 = { payload: { file: join(own, 'mine') } };
      expect(await status(inject(name, { method: 'POST', url: '/v1/file/read', ...own1 }))).toBe(200);
      const other1 = { payload: { file: join(own, 'link') } };
      expect(await status(inject(name, { method: 'POST', url: '/v1/file/read', ...other1 }))).toBe(403);
    }
    expect(await status(write('files', join(own, 'new', '..', 'new')))).toBe(200);
    expect(await status(write('files-read', join(own, 'new')))).toBe(403);
    for (const path of ['secret', 'own/link', 'own/up/new', 'new', 'own-not/f', 'secret/x', 'secret/x/y']) {
      expect([path, await status(write('files', `${directory}/${path}`))]).toEqual([path, 403]);
    }
    const copy = (payload: object, operation = 'copy') =>
      status(inject('files', { method: 'POST', url: `/v2/fs/${operation}`, payload }));
    const mine = join(own, 'mine');
    expect(await copy({ source: mine, destination: join(own, 'copy') })).toBe(200);
    expect(await copy({ source: outside, destination: join(own, 'stolen') })).toBe(403);
    expect(await copy({ source: join(own, 'link'), destination: join(own, 'stolen') })).toBe(403);
    expect(await copy({ source: mine, destination: join(directory, 'out') })).toBe(403);
    expect(await copy({ source: mine, destination: join(outside, 'x') })).toBe(403);
    expect(await copy({ source: join(own, 'copy'), destination: join(directory, 'out') }, 'move')).toBe(403);
    expect(await copy({ path: outside }, 'delete')).toBe(403);
    expect(await copy({ path: join(own, 'up', 'secret') }, 'delete')).toBe(403);
    expect(await copy({ path: join(directory, 'made') }, 'mkdir')).toBe(403);
    const upload = (path: string) =>
      status(inject('files', { method: 'PUT', url: '/v2/fs/upload', query: { path }, payload: 'x' }));
    expect([await upload(join(own, 'uploaded')), await upload(join(own, 'link'))]).toEqual([200, 403]);
    const edit = { command: 'str_replace', old_str: 'secret', new_str: 'changed' };
    expect(await copy({ path: join(own, 'link'), ...edit }, 'edit')).toBe(403);
    expect((await read('all', outside)).json().data.content).toBe('secret');
  });

  test('a refusal names what the key is good for', async () => {
    const { message, hint } = (await read('files', '/etc/passwd')).json();
    expect(message).toContain('/etc/passwd');
    expect(hint).toContain(own);
  });
});

test('[keys.scopes] a ticket and a cookie are good for no more than their maker', async () => {
  const made = await inject('view', { method: 'POST', url: '/v2/tickets', payload: { path_prefix: '/', uses: 9 } });
  const { ticket, id } = made.json().data;
  const status = async (url: string) => (await daemon.inject(`${url}?ticket=${ticket}`)).statusCode;
  expect([await status('/v2/pty/sessions'), await status('/v2/commands')]).toEqual([200, 403]);
  const page = { 'x-original-uri': '/?api_key=key-of-view', 'x-original-method': 'GET', accept: 'text/html' };
  const opened = await daemon.inject({ url: '/internal/auth', headers: page });
  const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
  const by = async (url: string) => (await daemon.inject({ url, headers: { cookie } })).statusCode;
  expect([await by('/v2/pty/sessions'), await by('/v2/commands')]).toEqual([200, 403]);
  const session = (await daemon.inject({ url: '/v2/session', headers: { cookie } })).json().data;
  expect(session).toEqual({ name: 'view', scopes: ['view'], by: 'cookie' });
  const others = async (name: Name) => (await inject(name, { url: '/v2/tickets' })).json().data.tickets;
  expect([await others('read'), (await others('view')).length]).toEqual([[], 1]);
  const revoke = async (name: Name) => (await inject(name, { method: 'DELETE', url: `/v2/tickets/${id}` })).statusCode;
  expect([await revoke('read'), await revoke('view')]).toEqual([404, 200]);
});

test('[keys.view] a viewer of a terminal sees it and cannot type', async () => {
  await using service = await started({ accessKeysFile: join(directory, 'keys') });
  const headers = keyOf('all');
  await service.daemon.post('/v2/pty/sessions', { id: 'a', command: 'cat' }, headers);
  const url = `${service.ws}/v2/pty/sessions/a/ws`;
  await using viewer = new TestViewer(url, { headers: keyOf('view') });
  await viewer.message('ready');
  viewer.type('intruder\r');
  expect(await viewer.message('error')).toMatchObject({ data: 'this viewer is read-only' });
  viewer.send({ type: 'resize', cols: 33, rows: 11 });
  await using writer = new TestViewer(url, { headers });
  await writer.message('ready');
  writer.type('hello\r');
  await viewer.shows('hello');
  expect(viewer.text).not.toContain('intruder');
  const seen = await service.daemon.inject({ url: '/v2/pty/sessions/a', headers });
  expect(seen.json().data.cols).toBe(80);
});
