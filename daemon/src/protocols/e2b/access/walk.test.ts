import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { FilesystemApi } from '../wire/filesystem.ts';
import { ProcessApi } from '../wire/process.ts';
import { signedFile } from './signed-file.fixture.ts';

type Plane = 'envd' | 'interpreter' | 'control';
type Headers = Readonly<Record<string, string>>;

interface Route {
  readonly plane: Plane;
  readonly method: string;
  readonly path: string;
}

const SANDBOX = 'box';
const FILE = '/etc/hostname';
const SCOPES = ['mcp', 'read', 'view', 'files:/', 'files-read:/'];
const keyOf = (name: string): Headers => ({ 'x-api-key': `key-of-${name}` });
const OWNER = keyOf('owner');

/** The routes that a source of the protocol tells apart, as its cases name them. */
function casesOf(source: string): (readonly [method: string, rest: string])[] {
  const text = readFileSync(join(import.meta.dirname, '..', source), 'utf8');
  return [...text.matchAll(/case '(GET|HEAD|POST|PUT|PATCH|DELETE)(?: ([^']+))?':/g)].map(
    ([, method = '', rest = '']) => [method, rest],
  );
}

function allRoutes(): Route[] {
  const of = (plane: Plane, [method, path]: readonly [string, string]): Route => ({ plane, method, path });
  const rpc = [ProcessApi, FilesystemApi].flatMap((api) =>
    Object.keys(api.methods).map((name) => of('envd', ['POST', `/${api.package}.${api.name}/${name}`])),
  );
  const one = casesOf('control/control-plane.ts').map(([method, verb]) =>
    of('control', [method, `/sandboxes/${SANDBOX}${verb === '' ? '' : `/${verb}`}`]),
  );
  const kinds = ['sandboxes', 'sandboxes/metrics', 'templates', 'volumes', 'secrets', 'snapshots', 'no-such-kind'];
  const versions = ['', '/v2', '/v3'];
  const control = kinds.flatMap((kind) => versions.flatMap((version) => `${version}/${kind}`));
  return [
    ...rpc,
    ...casesOf('envd-routes.ts').map((route) => of('envd', route)),
    ...casesOf('interpreter/interpreter.ts').map(([method, path]) =>
      of('interpreter', [method, path.replace('{id}', 'none')]),
    ),
    ...one,
    ...control.flatMap((path) => ['GET', 'POST'].map((method) => of('control', [method, path]))),
  ];
}

const ROUTES = allRoutes();
const PORTS = { envd: '49983', interpreter: '49999', control: undefined };

/** The ways to name a route: by its path, by the header of the clients, by the host. */
function addressesOf({ plane }: Route): Headers[] {
  const port = PORTS[plane];
  if (port === undefined) return [{}];
  const byHeader = { 'e2b-sandbox-port': port, 'e2b-sandbox-id': SANDBOX };
  return [{}, byHeader, { host: `${port}-${SANDBOX}.example.com` }].filter(
    // `/health` by its path is that of envd.
    (address) => plane === 'envd' || Object.keys(address).length > 0,
  );
}

/** A daemon with a sandbox, whose keys have the names of their scopes. */
async function service(directory: string) {
  const accessKeysFile = join(directory, 'keys');
  const keys = [['owner', 'all'], ['other', 'all'], ...SCOPES.map((scope) => [scope.replace(':/', ''), scope])];
  const write = (names: readonly (string | undefined)[][]) =>
    writeFileSync(
      accessKeysFile,
      names.map(([name, scope]) => JSON.stringify({ name, key: `key-of-${name}`, scopes: [scope] })).join('\n'),
    );
  write(keys);
  const daemon = await TestApp.start({ accessKeysFile, sandboxId: SANDBOX });
  const created = await daemon.post('/compat/e2b/sandboxes', { templateID: 'base' }, OWNER);
  const { envdAccessToken: envd, trafficAccessToken: traffic } = created.json();
  const remove = (name: string) => write(keys.filter(([one]) => one !== name));
  return { daemon, envd, traffic, remove };
}

/** A request that changes nothing if it is admitted: its body is not what any route reads. */
async function isRefused(daemon: TestApp, { method, path }: Route, headers: Headers, query = ''): Promise<boolean> {
  const { statusCode } = await daemon.inject({
    method: method as 'GET',
    url: `/compat/e2b${path}?${query}`,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method !== 'GET' && method !== 'HEAD' && { payload: '{' }),
  });
  return statusCode === 401 || statusCode === 403;
}

/** The routes that a credential opens, each in every way to name it. */
async function opened(daemon: TestApp, headers: Headers, { query = '', routes = ROUTES } = {}): Promise<string[]> {
  const found: string[] = [];
  for (const route of routes) {
    for (const address of addressesOf(route)) {
      if (await isRefused(daemon, route, { ...headers, ...address }, query)) continue;
      found.push(`${route.plane} ${route.method} ${route.path} ${JSON.stringify(address)}`);
    }
  }
  return found;
}

const namesOf = (routes: readonly Route[]) =>
  routes.flatMap((route) =>
    addressesOf(route).map((address) => `${route.plane} ${route.method} ${route.path} ${JSON.stringify(address)}`),
  );
const HEALTH = namesOf(ROUTES.filter(({ plane, path }) => plane === 'envd' && path === '/health'));
const inPlanes = (...planes: Plane[]) => ROUTES.filter(({ plane }) => planes.includes(plane));

test('[e2b.walk] without a credential, and with one that is wrong, only the health of envd is open', async () => {
  expect(ROUTES.length).toBeGreaterThan(70);
  await using place = await tempDir();
  const { daemon, envd, traffic } = await service(place.path);
  await using _daemon = daemon;
  const wrong: Headers[] = [
    {},
    keyOf('nobody'),
    { 'x-access-token': `${envd}x` },
    { 'x-access-token': traffic },
    { 'x-access-token': 'key-of-nobody', 'e2b-traffic-access-token': envd },
  ];
  for (const headers of wrong) expect(await opened(daemon, headers)).toEqual(HEALTH);
});

test.each(SCOPES)('[e2b.walk] a key of the scope %s opens nothing', async (scope) => {
  await using place = await tempDir();
  const { daemon, envd } = await service(place.path);
  await using _daemon = daemon;
  const key = keyOf(scope.replace(':/', ''));
  expect(await opened(daemon, key)).toEqual([]);
  expect(await opened(daemon, { ...key, 'x-access-token': envd })).toEqual([]);
});

test('[e2b.walk] neither a ticket nor a cookie of the owner opens anything', async () => {
  await using place = await tempDir();
  const { daemon } = await service(place.path);
  await using _daemon = daemon;
  const made = await daemon.post('/v2/tickets', { path_prefix: '/', uses: 1000 }, OWNER);
  const { ticket } = made.json().data;
  expect(await opened(daemon, {}, { query: `ticket=${ticket}` })).toEqual(HEALTH);
  const page = { 'x-original-uri': '/?api_key=key-of-owner', 'x-original-method': 'GET', accept: 'text/html' };
  const signedIn = await daemon.inject({ url: '/internal/auth', headers: page });
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
  expect((await daemon.inject({ url: '/v2/commands', headers: { cookie } })).statusCode).toBe(200);
  expect(await opened(daemon, { cookie })).toEqual(HEALTH);
});

test('[e2b.walk] the tokens of a sandbox open their planes, and its signature one file', async () => {
  await using place = await tempDir();
  const { daemon, envd, traffic } = await service(place.path);
  await using _daemon = daemon;
  const data = namesOf(inPlanes('envd', 'interpreter'));
  expect(await opened(daemon, { 'x-access-token': envd })).toEqual(data);
  const interpreter = [...HEALTH, ...namesOf(inPlanes('interpreter'))];
  expect((await opened(daemon, { 'e2b-traffic-access-token': traffic })).sort()).toEqual(interpreter.sort());
  const query = signedFile(FILE, 'read', envd).slice('/files?'.length);
  const reads = ROUTES.filter(({ method, path }) => path === '/files' && method !== 'POST');
  expect((await opened(daemon, {}, { query })).sort()).toEqual([...HEALTH, ...namesOf(reads)].sort());
  const writes = ROUTES.filter(({ method, path }) => path === '/files' && method === 'POST');
  const writing = signedFile(FILE, 'write', envd).slice('/files?'.length);
  expect((await opened(daemon, {}, { query: writing })).sort()).toEqual([...HEALTH, ...namesOf(writes)].sort());
  const kept = ROUTES.filter(({ method, plane }) => method !== 'DELETE' || plane !== 'control');
  expect(await opened(daemon, OWNER, { routes: kept })).toEqual(namesOf(kept));
  await daemon.inject({ method: 'DELETE', url: `/compat/e2b/sandboxes/${SANDBOX}`, headers: OWNER });
  const ofPath = ROUTES.filter(({ plane }) => plane === 'envd');
  for (const headers of [{ 'x-access-token': envd }, { 'e2b-traffic-access-token': traffic }]) {
    for (const route of ofPath.filter(({ path }) => path !== '/health')) {
      expect([route.path, await isRefused(daemon, route, headers, query)]).toEqual([route.path, true]);
    }
  }
});

test('[e2b.holder] tokens and signatures end with the key that made them, and another key gets others', async () => {
  await using place = await tempDir();
  const { daemon, envd, remove } = await service(place.path);
  await using _daemon = daemon;
  const status = async (token: string) =>
    (await daemon.inject({ url: '/compat/e2b/metrics', headers: { 'x-access-token': token } })).statusCode;
  const read = async (token: string) =>
    (await daemon.inject(`/compat/e2b${signedFile(FILE, 'read', token)}`)).statusCode;
  const connected = async (name: string) =>
    (await daemon.post(`/compat/e2b/sandboxes/${SANDBOX}/connect`, { timeout: 60 }, keyOf(name))).json();
  expect([await status(envd), await read(envd)]).toEqual([200, 200]);
  const { envdAccessToken: next } = await connected('other');
  remove('owner');
  expect([await status(envd), await read(envd)]).toEqual([401, 401]);
  expect([next === envd, await status(next), await read(next)]).toEqual([false, 200, 200]);
});
