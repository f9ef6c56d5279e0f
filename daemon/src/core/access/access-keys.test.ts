import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';
import { readConfig } from '../../config.ts';
import { parseAccessKeys } from './access-keys.ts';

const PRIVATE = '/v2/commands';

function sha256(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function lineOf(name: string, key: string, more: object = {}): string {
  return `${JSON.stringify({ name, key, scopes: ['all'], ...more })}\n`;
}

function hashed(name: string, key: string): string {
  return `${JSON.stringify({ name, sha256: sha256(key), scopes: ['mcp'] })}\n`;
}

/** A daemon with a file of keys, which is replaced by a rename. */
async function start(directory: string, content: string | undefined, more: object = {}) {
  const path = join(directory, 'keys.jsonl');
  const put = async (text: string): Promise<void> => {
    await writeFile(`${path}.next`, text);
    await rename(`${path}.next`, path);
  };
  if (content !== undefined) await put(content);
  const daemon = await TestApp.start({
    ...readConfig([], { SVC_ACCESS_KEYS_FILE: path }),
    logLevel: 'info',
    accessLog: 'all',
    ...more,
  });
  const status = async (key: string, headers: Record<string, string> = {}) =>
    (await daemon.inject({ url: PRIVATE, headers: { 'x-api-key': key, ...headers } })).statusCode;
  return { daemon, path, put, status };
}

test('[keys.file] keys by text and by SHA-256 open the service, and a removed one does not', async () => {
  await using directory = await tempDir();
  const { daemon, put, status } = await start(
    directory.path,
    lineOf('ann', 'key-of-ann') + hashed('bob', 'key-of-bob'),
  );
  await using _daemon = daemon;
  expect([await status('key-of-ann'), await status('key-of-bob'), await status('other')]).toEqual([200, 200, 401]);
  expect(await status(sha256('key-of-bob'))).toBe(401);
  await put(hashed('bob', 'key-of-bob'));
  expect([await status('key-of-ann'), await status('key-of-bob')]).toEqual([401, 200]);
});

test.each([
  ['is torn', `${lineOf('ann', 'key-of-ann')}{"name":"b`],
  ['has an unknown scope', lineOf('ann', 'key-of-ann', { scopes: ['everything'] })],
  ['has a name twice', lineOf('ann', 'key-of-ann') + lineOf('ann', 'key-of-bob')],
  ['has a key twice', lineOf('ann', 'key-of-bob') + hashed('bob', 'key-of-bob')],
])(
  '[keys.file] where the file %s, the last good one stays in force, and the log has the reason',
  async (_what, bad) => {
    await using directory = await tempDir();
    const { daemon, put, status } = await start(directory.path, lineOf('first', 'first-key'));
    await using _daemon = daemon;
    await put(bad);
    expect([await status('first-key'), await status('key-of-ann'), await status('key-of-bob')]).toEqual([
      200, 401, 401,
    ]);
    expect(daemon.log.join('')).toContain('the access keys of before stay valid');
    expect(daemon.log.join('')).not.toMatch(/key-of-|first-key/);
  },
);

test.each([
  ['missing', undefined],
  ['empty', ''],
])('[keys.required] with a file that is %s nothing but the public paths is open', async (_what, content) => {
  await using directory = await tempDir();
  const { daemon, put, status } = await start(directory.path, content);
  await using _daemon = daemon;
  expect((await daemon.inject(PRIVATE)).statusCode).toBe(401);
  expect((await daemon.inject('/health')).statusCode).toBe(200);
  await put(lineOf('late', 'late-key'));
  expect(await status('late-key')).toBe(200);
});

test('[keys.required] the single key is valid beside the file, also if that is removed', async () => {
  await using directory = await tempDir();
  const { daemon, path, status } = await start(directory.path, lineOf('ann', 'key-of-ann'), { apiKey: 'single' });
  await using _daemon = daemon;
  expect([await status('single'), await status('key-of-ann')]).toEqual([200, 200]);
  await rm(path);
  expect([await status('single'), await status('key-of-ann')]).toEqual([200, 200]);
});

test('[keys.expiry] the expiry of a key ends its terminals within a second', async () => {
  await using directory = await tempDir();
  const expires = Date.now() + 4000;
  const line = lineOf('ann', 'key-of-ann', { expires_at: new Date(expires).toISOString() });
  const { daemon, status } = await start(directory.path, line + lineOf('bob', 'key-of-bob'));
  await using _daemon = daemon;
  const base = (await daemon.listen()).replace('http', 'ws');
  const open = async (key: string) => {
    const socket = new WebSocket(`${base}/v2/pty/ws`, { headers: { 'x-api-key': key } });
    await once(socket, 'open');
    return socket;
  };
  const [gone, stays] = [await open('key-of-ann'), await open('key-of-bob')];
  expect((await once(gone, 'close'))[0]).toBe(4401);
  expect(Date.now() - expires).toBeGreaterThanOrEqual(0);
  expect(Date.now() - expires).toBeLessThan(1000);
  expect([await status('key-of-ann'), await status('key-of-bob')]).toEqual([401, 200]);
  expect(stays.readyState).toBe(WebSocket.OPEN);
  stays.terminate();
});

test('[keys.name] the log of requests has the name of the key, also for its tickets', async () => {
  await using directory = await tempDir();
  const { daemon } = await start(directory.path, lineOf('ann', 'key-of-ann') + lineOf('bob', 'key-of-bob'));
  await using _daemon = daemon;
  const headers = { 'x-api-key': 'key-of-ann' };
  const { ticket } = (await daemon.post('/v2/tickets', { path_prefix: '/v2/pty' }, headers)).json().data;
  expect((await daemon.inject(`/v2/pty/sessions?ticket=${ticket}`)).statusCode).toBe(200);
  const names = daemon.log.map((line) => JSON.parse(line)).filter(({ path }) => path?.startsWith('/v2/'));
  expect(names.map(({ path, key }) => [path, key])).toEqual([
    ['/v2/tickets', 'ann'],
    ['/v2/pty/sessions', 'ann'],
  ]);
});

test('[keys.file] the file and its keys are withheld from calls on files', async () => {
  await using directory = await tempDir();
  const { daemon, path } = await start(directory.path, lineOf('ann', 'key-of-ann'));
  await using _daemon = daemon;
  const headers = { 'x-api-key': 'key-of-ann' };
  for (const url of [`/v2/fs/read?path=${path}`, `/v2/fs/download?path=${daemon.directory}/cookie-secret`]) {
    expect((await daemon.inject({ url, headers })).statusCode).toBe(403);
  }
});

test('[keys.file] more than a thousand keys are refused', () => {
  const lines = Array.from({ length: 1001 }, (_, i) => lineOf(`name-${i}`, `key-number-${i}`));
  expect(parseAccessKeys(lines.slice(1).join(''))).toHaveLength(1000);
  expect(() => parseAccessKeys(lines.join(''))).toThrow('it has 1001 keys; at most 1000 are possible');
});
