import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'reserved-')));
const secrets = join(base, 'secrets');
const keys = join(secrets, 'keys');
const runtimeDir = join(base, 'state');
const KEY = { 'x-api-key': 'key-of-the-files' };
const LINE = JSON.stringify({ name: 'agent', key: KEY['x-api-key'], scopes: [`files:${base}`] });
const MORE = `${LINE}\n${JSON.stringify({ name: 'evil', key: 'key-of-evil', scopes: ['all'] })}`;
let daemon: TestApp;

beforeAll(async () => {
  mkdirSync(secrets);
  mkdirSync(runtimeDir, { mode: 0o700 });
  writeFileSync(keys, LINE);
  writeFileSync(join(base, 'more'), MORE);
  daemon = await TestApp.start({ accessKeysFile: keys }, runtimeDir);
});

afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  rmSync(base, { recursive: true });
});

const aside = join(base, 'aside');
const post = (url: string, payload: object) => daemon.inject({ method: 'POST', url, payload, headers: KEY });
const get = (url: string, path: string) => daemon.inject({ url, query: { path }, headers: KEY });

test.each([
  ['write', () => post('/v2/fs/write', { path: keys, content: MORE })],
  ['atomic write', () => post('/v2/fs/write', { path: keys, content: MORE, atomic: true })],
  ['append of v1', () => post('/v1/file/write', { file: keys, content: MORE, append: true })],
  ['edit', () => post('/v2/fs/edit', { path: keys, command: 'insert', insert_line: 0, new_str: 'x' })],
  ['copy onto', () => post('/v2/fs/copy', { source: join(base, 'more'), destination: keys, overwrite: true })],
  ['move onto', () => post('/v2/fs/move', { source: join(base, 'more'), destination: keys, overwrite: true })],
  ['move', () => post('/v2/fs/move', { source: keys, destination: aside })],
  ['move of its directory', () => post('/v2/fs/move', { source: secrets, destination: aside })],
  ['delete', () => post('/v2/fs/delete', { path: keys })],
  ['delete of its directory', () => post('/v2/fs/delete', { path: secrets, recursive: true })],
  ['copy', () => post('/v2/fs/copy', { source: keys, destination: aside })],
  ['read', () => get('/v2/fs/read', keys)],
  ['write of a record', () => post('/v2/fs/write', { path: join(runtimeDir, 'new'), content: 'x' })],
  ['move of the records', () => post('/v2/fs/move', { source: runtimeDir, destination: aside })],
  ['read of a record', () => get('/v2/fs/read', join(runtimeDir, 'boot'))],
  ['list of the records', () => get('/v2/fs/list', runtimeDir)],
  ['stat of the records', () => get('/v2/fs/stat', runtimeDir)],
  ['copy of the records', () => post('/v2/fs/copy', { source: runtimeDir, destination: aside })],
])('[keys.reserved] %s: a key for files has no access to keys and records of the service', async (_name, call) => {
  writeFileSync(join(runtimeDir, 'boot'), 'a record');
  const answer = await call();
  expect([answer.statusCode, existsSync(aside), readFileSync(keys, 'utf8')]).toEqual([403, false, LINE]);
  expect(existsSync(join(runtimeDir, 'new'))).toBe(false);
});

test('[keys.reserved] what is beside them is served', async () => {
  expect((await post('/v2/fs/write', { path: join(secrets, 'own'), content: 'x' })).statusCode).toBe(200);
  expect((await get('/v2/fs/list', base)).statusCode).toBe(200);
});

test.each([
  ['/v2/fs/write', { mode: '6755' }],
  ['/v2/fs/write', { mode: '2755' }],
  ['/v1/file/write', { sudo: true }],
])('[keys.reserved] %s %j: it chooses no owner, and makes no file that runs as one', async (url, more) => {
  const path = join(base, 'made');
  const { statusCode, body } = await post(url, { [url.includes('v1') ? 'file' : 'path']: path, content: 'x', ...more });
  expect([statusCode, body]).toEqual([403, expect.stringContaining('key for files alone')]);
  const plain = await post('/v2/fs/write', { path, content: 'x', mode: '755' });
  expect([plain.statusCode, statSync(path).mode & 0o7777]).toEqual([200, 0o755]);
});
