import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../../config.ts';
import { E2bClient } from '../e2b-client.fixture.ts';
import { signedFile } from './signed-file.fixture.ts';

const KEY = 'key-of-service';
const WITH_KEY = { 'x-api-key': KEY };

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'e2b-access-'));
  await writeFile(join(directory, 'a.txt'), 'content');
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function withSandbox(client: E2bClient): Promise<{ envd: string; traffic: string }> {
  const { envdAccessToken, trafficAccessToken } = await client.create({}, WITH_KEY);
  return { envd: envdAccessToken, traffic: trafficAccessToken };
}

test('[e2b.tokens] each token opens its own service alone, and ends with the sandbox', async () => {
  await using client = await E2bClient.start({ apiKey: KEY, sandboxId: 'box' });
  const { envd, traffic } = await withSandbox(client);
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await client.fetch(path, { headers })).status;
  expect(await status('/metrics')).toBe(401);
  expect(await status('/metrics', { 'x-access-token': envd })).toBe(200);
  expect(await status('/metrics', { 'x-access-token': `${envd}x` })).toBe(401);
  expect(await status('/metrics', { 'e2b-traffic-access-token': traffic })).toBe(401);
  expect(await status('/contexts', { 'e2b-traffic-access-token': traffic })).toBe(200);
  expect(await status('/contexts', { 'x-access-token': envd })).toBe(200);
  expect(await status('/v2/sandboxes', { 'x-access-token': envd })).toBe(401);
  expect(await status('/v2/sandboxes', WITH_KEY)).toBe(200);
  expect((await client.app.inject({ url: '/v2/commands', headers: { 'x-access-token': envd } })).statusCode).toBe(401);
  const named = { 'x-access-token': envd, 'e2b-sandbox-port': '49983', 'e2b-sandbox-id': 'box' };
  expect(await status('/health', named)).toBe(204);
  await client.fetch('/sandboxes/box', { method: 'DELETE', headers: WITH_KEY });
  expect(await status('/metrics', { 'x-access-token': envd })).toBe(401);
  const gone = await client.fetch('/metrics', { headers: named });
  expect([gone.status, (await gone.json()).message]).toEqual([502, 'The sandbox box was not found']);
});

test('[e2b.tokens] those that a named key got end with it, and so does what they opened; those of another key go on', async () => {
  const path = join(directory, 'keys');
  const lines = ['first', 'other'].map((name) => JSON.stringify({ name, key: `key-of-${name}`, scopes: ['all'] }));
  await writeFile(path, lines.join('\n'));
  await using client = await E2bClient.start(readConfig([], { SVC_ACCESS_KEYS_FILE: path, SVC_SANDBOX_ID: 'box' }));
  const first = await client.create({}, { 'x-api-key': 'key-of-first' });
  const connect = { method: 'POST', json: { timeout: 60 }, headers: { 'x-api-key': 'key-of-other' } };
  const other = await (await client.fetch('/sandboxes/box/connect', connect)).json();
  const preview = (token: string) => {
    const headers = { 'x-original-uri': '/proxy/3000/', 'e2b-traffic-access-token': token };
    return client.app.inject({ url: '/internal/auth', headers });
  };
  const status = async (url: string, headers: Record<string, string> = {}) =>
    (await client.fetch(url, { headers })).status;
  const opens = async ({ envdAccessToken: envd, trafficAccessToken: traffic }: typeof first) => [
    await status('/metrics', { 'x-access-token': envd }),
    await status('/contexts', { 'e2b-traffic-access-token': traffic }),
    await status(signedFile(join(directory, 'a.txt'), 'read', envd)),
    (await preview(traffic)).statusCode,
  ];
  expect([await opens(first), await opens(other)]).toEqual([
    [200, 200, 200, 204],
    [200, 200, 200, 204],
  ]);
  const credential = String((await preview(first.trafficAccessToken)).headers['x-credential']).split(' ');
  const headers = { 'x-access-token': first.envdAccessToken };
  const events = client.rpc({ headers }).process.start({ process: { cmd: 'sleep', args: ['60'] } });
  const running = events[Symbol.asyncIterator]();
  await running.next();
  await writeFile(path, lines[1] ?? '');
  const at = performance.now();
  await expect(running.next()).rejects.toThrow();
  expect(performance.now() - at).toBeLessThan(1000);
  expect([await opens(first), await opens(other)]).toEqual([
    [401, 401, 401, 401],
    [200, 200, 200, 204],
  ]);
  const { keys } = (await client.app.inject('/internal/credentials')).json();
  expect([credential.length, keys.includes(credential[1])]).toEqual([2, false]);
});

test('[e2b.signatures] a signature opens the path, the operation and the user that it names', async () => {
  await using client = await E2bClient.start({ apiKey: KEY });
  const { envd } = await withSandbox(client);
  const file = join(directory, 'a.txt');
  const status = async (url: string, init?: RequestInit) => (await client.fetch(url, init)).status;
  const write = { method: 'POST', body: 'changed', headers: { 'content-type': 'application/octet-stream' } };
  expect(await status(signedFile(file, 'read', envd))).toBe(200);
  expect(await status(signedFile(file, 'read', envd), write)).toBe(401);
  expect(await status(signedFile(file, 'write', envd))).toBe(401);
  expect(await status(signedFile(file, 'read', envd).replace('a.txt', 'b.txt'))).toBe(401);
  expect(await status(`${signedFile(file, 'read', envd)}&username=root`)).toBe(401);
  expect(await status(signedFile(file, 'read', 'other token'))).toBe(401);
  const at = (seconds: number) => ({ expiration: String(Math.floor(Date.now() / 1000) + seconds) });
  expect(await status(signedFile(file, 'read', envd, at(60)))).toBe(200);
  expect(await status(signedFile(file, 'read', envd, at(-1)))).toBe(401);
  expect(await status(signedFile(file, 'write', envd, at(60)), write)).toBe(200);
  expect(await readFile(file, 'utf8')).toBe('changed');
  for (const path of ['/metrics', '/envs']) {
    expect(await status(signedFile(file, 'read', envd).replace('/files', path))).toBe(401);
  }
});

test('[e2b.signatures] one without a path writes names without a slash, and one without an expiry ends', async () => {
  await using client = await E2bClient.start({ apiKey: KEY, e2bSignatureSeconds: 1 });
  const { envd } = await withSandbox(client);
  const url = signedFile('', 'write', envd);
  const form = new FormData();
  form.append('file', new Blob(['x']), '../../etc/x');
  expect((await client.fetch(url, { method: 'POST', body: form })).status).toBe(403);
  const file = signedFile(join(directory, 'a.txt'), 'read', envd);
  await expect.poll(async () => (await client.fetch(file)).status, { timeout: 5000 }).toBe(401);
});

test('[e2b.init] sets variables, and a token only while there is neither a key nor a token', async () => {
  await using open = await E2bClient.start();
  const init = (client: E2bClient, json: object, headers = {}) =>
    client.fetch('/init', { method: 'POST', json, headers });
  expect((await init(open, { envVars: { GIVEN: 'yes' }, accessToken: 'first' })).status).toBe(204);
  expect((await init(open, { accessToken: 'second' })).status).toBe(401);
  expect((await init(open, { accessToken: 'second' }, { 'x-access-token': 'first' })).status).toBe(204);
  expect((await open.fetch('/envs', { headers: { 'x-access-token': 'second' } })).status).toBe(401);
  const envs = await open.fetch('/envs', { headers: { 'x-access-token': 'first' } });
  expect(await envs.json()).toMatchObject({ GIVEN: 'yes' });
  expect((await init(open, { envVars: { SVC_API_KEY: 'x' } }, { 'x-access-token': 'first' })).status).toBe(400);
  await using locked = await E2bClient.start({ apiKey: KEY });
  expect((await init(locked, { accessToken: 'mine' })).status).toBe(401);
  expect((await init(locked, { accessToken: 'mine' }, WITH_KEY)).status).toBe(204);
  expect((await locked.fetch('/metrics', { headers: { 'x-access-token': 'mine' } })).status).toBe(401);
});

test('[e2b.hosts] Host and Origin are judged before a host name selects the protocol', async () => {
  await using client = await E2bClient.start();
  const headers = { host: '49983-box.evil.example' };
  const refused = await client.app.inject({ url: '/compat/e2b/metrics', headers });
  expect([refused.statusCode, refused.json().code]).toEqual([403, 403]);
  const origin = { origin: 'https://evil.example', 'e2b-sandbox-port': '49983' };
  const posted = await client.app.inject({ method: 'POST', url: '/compat/e2b/init', headers: origin, payload: {} });
  expect(posted.statusCode).toBe(403);
});
