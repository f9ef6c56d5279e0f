import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../../scripts/testing/machine.ts';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';
import { readConfig } from '../../config.ts';
import { exported } from './tree.fixture.ts';

const KEY = 'key-that-no-file-call-gives';
const TOKEN = 'token-that-no-file-call-gives';
const headers = { 'x-api-key': KEY };

let place: Awaited<ReturnType<typeof tempDir>>;
let daemon: TestApp;
/** Has the key as its standard input. */
let holder: ChildProcess;

const at = (name: string): string => join(place.path, name);

beforeAll(async () => {
  place = await tempDir();
  writeFileSync(at('key'), `${KEY}\n`, { mode: 0o600 });
  writeFileSync(at('kept'), 'kept\n');
  symlinkSync(at('key'), at('link'));
  linkSync(at('key'), at('hard-link'));
  symlinkSync(place.path, at('directory'));
  const descriptor = openSync(at('key'), 'r');
  holder = spawn('sleep', ['1000'], { stdio: [descriptor, 'ignore', 'ignore'] });
  await once(holder, 'spawn');
  closeSync(descriptor);
  daemon = await TestApp.start(readConfig([], { SVC_API_KEY_FILE: at('key') }));
});

afterAll(async () => {
  holder.kill('SIGKILL');
  await daemon[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

const get = (url: string, query: object) => (path: string) =>
  daemon.inject({ url, query: { path, ...query }, headers });
const post = (url: string, body: (path: string) => object) => (path: string) => daemon.post(url, body(path), headers);

const READS = [
  ['read', get('/v2/fs/read', {})],
  ['read of lines', get('/v2/fs/read', { start_line: '0', end_line: '1' })],
  ['read of bytes', get('/v2/fs/read', { encoding: 'base64', offset: '1', length: '5' })],
  ['download', get('/v2/fs/download', {})],
  ['copy', post('/v2/fs/copy', (source) => ({ source, destination: at('copy'), overwrite: true }))],
  ['edit', post('/v2/fs/edit', (path) => ({ path, command: 'insert', insert_line: 0, new_str: 'x' }))],
  ['atomic append', post('/v2/fs/write', (path) => ({ path, content: 'x', append: true, atomic: true }))],
] as const;

const NAMES = [
  ['its path', () => at('key')],
  ['a link to it', () => at('link')],
  ['another hard link', () => at('hard-link')],
  ['a link to its directory', () => at('directory/key')],
] as const;

const PROC_NAMES = [
  ['the root of a process', () => `/proc/${process.pid}/root${at('key')}`],
  ['a descriptor of another process', () => `/proc/${holder.pid}/fd/0`],
] as const;

const callsBy = (names: readonly (readonly [string, () => string])[]) =>
  READS.flatMap(([call, run]) => names.map(([name, path]) => [call, name, run, path] as const));

async function isRefused([, , run, path]: ReturnType<typeof callsBy>[number]): Promise<void> {
  const answer = await run(path());
  expect([answer.statusCode, answer.json().hint]).toEqual([403, expect.stringContaining('credential')]);
  expect(answer.body).not.toContain(KEY);
  expect([existsSync(at('copy')), readFileSync(at('key'), 'utf8')]).toEqual([false, `${KEY}\n`]);
}

test.for(callsBy(NAMES))('[secret.files] %s of the key file by %s is 403', isRefused);

test('[secret.files] a directory is exported and copied without the key, under each of its names', async () => {
  const packed = await daemon.inject({ url: '/v2/fs/tree', query: { path: place.path }, headers });
  expect([packed.rawPayload.includes('kept\n'), packed.rawPayload.includes(KEY)]).toEqual([true, false]);
  await using target = await tempDir();
  const destination = join(target.path, 'copy');
  const copied = await daemon.post('/v2/fs/copy', { source: place.path, destination }, headers);
  expect([copied.statusCode, copied.json().data.skipped]).toEqual([200, 2]);
  expect([existsSync(join(destination, 'kept')), existsSync(join(destination, 'key'))]).toEqual([true, false]);
  expect(existsSync(join(destination, 'hard-link'))).toBe(false);
});

test('[secret.files] every other file is read as before, also one with the text of the key', async () => {
  writeFileSync(at('same-text'), `${KEY}\n`);
  for (const [name, content] of [['kept', 'kept\n'] as const, ['same-text', `${KEY}\n`] as const]) {
    expect((await daemon.inject({ url: '/v2/fs/download', query: { path: at(name) }, headers })).body).toBe(content);
  }
});

test('[secret.files] a ticket for every path below the file routes does not reach the key', async () => {
  const terms = { path_prefix: '/v2/fs', uses: 9 };
  const { ticket } = (await daemon.post('/v2/tickets', terms, headers)).json().data;
  const read = (path: string) => daemon.inject({ url: '/v2/fs/download', query: { path, ticket } });
  expect([(await read(at('kept'))).statusCode, (await read(at('key'))).statusCode]).toEqual([200, 403]);
});

test('[secret.files] a key file that was replaced, or moved away while its key is valid, stays withheld', async () => {
  await using directory = await tempDir();
  const [path, next, aside] = ['key', 'next', 'aside'].map((name) => join(directory.path, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(path, 'first-key');
  await using other = await TestApp.start(readConfig([], { SVC_API_KEY_FILE: path }));
  writeFileSync(next, 'second-key');
  renameSync(next, path);
  const status = async (file: string): Promise<number> =>
    (await other.inject({ url: '/v2/fs/download', query: { path: file }, headers: { 'x-api-key': 'second-key' } }))
      .statusCode;
  expect(await status(path)).toBe(403);
  renameSync(path, aside);
  expect(await status(aside)).toBe(403);
});

test('[secret.files] neither the token nor the record of a claim is read', async () => {
  await using directory = await tempDir();
  const token = join(directory.path, 'token');
  writeFileSync(token, TOKEN);
  await using pool = await TestApp.start(readConfig([], { SVC_CLAIM_TOKEN_FILE: token, SVC_API_KEY: KEY }));
  const status = async (path: string): Promise<number> =>
    (await pool.inject({ url: '/v2/fs/read', query: { path }, headers })).statusCode;
  expect(await status(token)).toBe(403);
  const claim = await pool.post('/v2/sandbox/claim', { api_key: KEY }, { authorization: `Bearer ${TOKEN}` });
  expect(claim.statusCode).toBe(200);
  expect(readFileSync(join(pool.directory, 'claim.json'), 'utf8')).toContain(KEY);
  expect([await status(join(pool.directory, 'claim.json')), await status(token)]).toEqual([403, 403]);
});

describe.runIf(has('linux'))('beside /proc', () => {
  test.for(callsBy(PROC_NAMES))('[secret.files] %s of the key file by %s is 403', isRefused);

  test('[secret.files] a process with the key in its environment or arguments keeps both', async () => {
    const env = { PATH: process.env['PATH'] };
    const processes = [
      spawn('sleep', ['1000'], { env: { ...env, SVC_API_KEY: KEY }, stdio: 'ignore' }),
      spawn('sh', ['-c', 'read line', 'sh', '--api-key', KEY], { env, stdio: ['pipe', 'ignore', 'ignore'] }),
      spawn('sleep', ['1000'], { env, stdio: 'ignore' }),
    ];
    try {
      await Promise.all(processes.map((child) => once(child, 'spawn')));
      const asked = processes.flatMap(({ pid }) => ['environ', 'cmdline', 'mem'].map((name) => `/proc/${pid}/${name}`));
      const statuses: number[] = [];
      for (const path of asked) {
        const answer = await daemon.inject({ url: '/v2/fs/download', query: { path }, headers });
        expect(answer.body).not.toContain(KEY);
        statuses.push(answer.statusCode);
      }
      expect(statuses).toEqual([403, 200, 403, 200, 403, 403, 200, 200, 403]);
    } finally {
      for (const child of processes) child.kill('SIGKILL');
    }
  });
});

test('[secret.files] a service without a key withholds nothing', async () => {
  await using open = await TestApp.start();
  expect((await exported(open, place.path)).includes(KEY)).toBe(true);
});
