import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import type { Config } from '../../../config.ts';
import { executeSeconds } from './execute.ts';
import { shellWords } from './shell-words.ts';

const PREFIX = '/compat/sandboxd/python-runtime';
let root: string;
let outside: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'runtime-root-'));
  outside = mkdtempSync(join(tmpdir(), 'runtime-outside-'));
  writeFileSync(join(outside, 'secret'), 'secret');
});

afterEach(() => {
  for (const directory of [root, outside]) rmSync(directory, { recursive: true, force: true });
});

function start(overrides: Partial<Config> = {}): Promise<TestApp> {
  return TestApp.start({ sandboxd: true, sandboxdRoot: root, ...overrides });
}

async function execute(app: TestApp, command: unknown) {
  const answer = await app.inject({ method: 'POST', url: `${PREFIX}/execute`, payload: { command } });
  return { status: answer.statusCode, ...answer.json() };
}

async function get(app: TestApp, path: string) {
  const answer = await app.inject({ url: PREFIX + path });
  return [answer.statusCode, answer.json()];
}

function upload(app: TestApp, filename: string, content = 'hello', field = 'file') {
  const payload = `--b\r\nContent-Disposition: form-data; name="${field}"; filename="${filename}"\r\n\r\n${content}\r\n--b--\r\n`;
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  return app.inject({ method: 'POST', url: `${PREFIX}/upload`, headers, payload });
}

test('[sandboxd.older] the root answers, and what is no route has the error of the framework', async () => {
  await using app = await start();
  for (const path of ['', '/']) {
    expect(await get(app, path)).toEqual([200, { status: 'ok', message: 'Sandbox Runtime is active.' }]);
  }
  expect(await get(app, '/none')).toEqual([404, { detail: 'Not Found' }]);
  expect(await get(app, '/constructor')).toEqual([404, { detail: 'Not Found' }]);
  expect(await get(app, '/execute')).toEqual([405, { detail: 'Method Not Allowed' }]);
});

test('[sandboxd.older] a command runs at the root, and both streams and its exit code come back', async () => {
  await using app = await start();
  const { stdout } = await execute(app, 'pwd');
  expect(stdout.trim().endsWith(root.split('/').at(-1) ?? '-')).toBe(true);
  const ran = await execute(app, `sh -c 'echo "a  b"; printf "c\\r\\nd" >&2; exit 3'`);
  expect(ran).toEqual({ status: 200, stdout: 'a  b\n', stderr: 'c\nd', exit_code: 3 });
  expect(await execute(app, "sh -c 'kill -9 $$'")).toMatchObject({ exit_code: -9 });
  const commands = (await app.inject({ url: '/v2/commands' })).json();
  expect(JSON.stringify(commands)).toContain('pwd');
});

test.each(["echo 'unterminated", 'echo "a', 'echo \\', '', '   ', '/no/such/program', `${'a'.repeat(5)}\0b`])(
  '[sandboxd.older] the command %j fails with exit code 1',
  async (command) => {
    await using app = await start();
    const ran = await execute(app, command);
    expect(ran).toMatchObject({ status: 200, stdout: '', exit_code: 1 });
    expect(ran.stderr).toMatch(/^Failed to execute command: ./);
  },
);

test('[sandboxd.older] a body without a command is 422', async () => {
  await using app = await start();
  expect(await execute(app, 3)).toMatchObject({ status: 422, detail: expect.stringContaining('command') });
  const answer = await app.inject({ method: 'POST', url: `${PREFIX}/execute`, payload: 'x' });
  expect([answer.statusCode, answer.json()]).toEqual([422, { detail: 'the body is not JSON' }]);
});

test('[sandboxd.older] the time of a command is that of the environment', async () => {
  const of = (value?: string) => executeSeconds({ SANDBOX_EXEC_TIMEOUT_SECONDS: value });
  expect([of('5'), of('0.25'), of(), of('nan'), of('0'), of('-1'), of(''), of('inf')]).toEqual([
    5, 0.25, 300, 300, 300, 300, 300, 300,
  ]);
  const envDir = join(root, 'env');
  mkdirSync(envDir);
  writeFileSync(join(envDir, 'SANDBOX_EXEC_TIMEOUT_SECONDS'), '0.2');
  await using app = await start({ envDir });
  const ran = await execute(app, 'sleep 60');
  expect(ran).toMatchObject({ exit_code: 1, stderr: expect.stringContaining('timed out after 0.2 seconds') });
});

test('[sandboxd.older] files are uploaded with their parents, downloaded, listed and found', async () => {
  await using app = await start();
  const uploaded = await upload(app, 'a/b/c d.txt');
  expect([uploaded.statusCode, uploaded.json()]).toEqual([
    200,
    { message: "File 'a/b/c d.txt' uploaded successfully." },
  ]);
  expect(readFileSync(join(root, 'a/b/c d.txt'), 'utf8')).toBe('hello');
  const read = await app.inject({ url: `${PREFIX}/download/a%2Fb%2Fc%20d.txt` });
  expect([read.statusCode, read.body, read.headers['content-type']]).toEqual([
    200,
    'hello',
    'application/octet-stream',
  ]);
  expect(read.headers['content-disposition']).toBe("attachment; filename*=utf-8''c%20d.txt");
  expect((await upload(app, 'a/z', 'zz')).statusCode).toBe(200);
  const entries = [
    { name: 'b', size: expect.any(Number), type: 'directory', mod_time: expect.any(Number) },
    { name: 'z', size: 2, type: 'file', mod_time: expect.any(Number) },
  ];
  expect(await get(app, '/list/a')).toEqual([200, entries]);
  expect((await get(app, '/list/'))[0]).toBe(200);
  expect(await get(app, '/list/a%2Fz')).toEqual([404, { message: 'Path is not a directory' }]);
  expect(await get(app, '/exists/a%2Fz')).toEqual([200, { path: 'a/z', exists: true }]);
  expect(await get(app, '/exists/a/none')).toEqual([200, { path: 'a/none', exists: false }]);
  expect(await get(app, '/download/none')).toEqual([404, { message: 'File not found' }]);
  expect(await get(app, '/download/a')).toEqual([404, { message: 'File not found' }]);
  expect((await upload(app, 'f', 'x', 'other')).statusCode).toBe(400);
});

test('[sandboxd.older] nothing outside the root is reached', async () => {
  await using app = await start();
  symlinkSync(outside, join(root, 'link'));
  const denied = { message: 'Access denied' };
  for (const path of ['..%2F..%2Fetc%2Fpasswd', 'link%2Fsecret', '%2E%2E%2Fx']) {
    for (const route of ['download', 'list', 'exists']) {
      expect([path, await get(app, `/${route}/${path}`)]).toEqual([path, [403, denied]]);
    }
  }
  for (const name of ['../planted', 'link/planted']) {
    const answer = await upload(app, name);
    expect([name, answer.statusCode, answer.json()]).toEqual([name, 403, denied]);
  }
  expect(existsSync(join(outside, 'planted'))).toBe(false);
  expect((await upload(app, '/etc/passwd')).statusCode).toBe(200);
  expect(readFileSync(join(root, 'etc/passwd'), 'utf8')).toBe('hello');
});

test('[sandboxd.older] every route needs the key, and without SVC_SANDBOXD none exists', async () => {
  {
    await using app = await start({ apiKey: 'key-of-runtime' });
    expect((await get(app, '/'))[0]).toBe(401);
    const answer = await app.inject({ url: `${PREFIX}/`, headers: { 'x-api-key': 'key-of-runtime' } });
    expect(answer.statusCode).toBe(200);
  }
  await using app = await start({ sandboxd: false });
  expect((await get(app, '/'))[0]).toBe(404);
});

test.each([
  [`a  'b c' "d e"`, ['a', 'b c', 'd e']],
  [`a"b"'c'd`, ['abcd']],
  [`'' ""`, ['', '']],
  [`a\\ b "x\\"y\\\\z\\n" 'q\\'`, ['a b', 'x"y\\z\\n', 'q\\']],
  ['a # b', ['a', '#', 'b']],
  ['\t\r\n', []],
])('[sandboxd.older] %j is split as Python does', (text, words) => {
  expect(shellWords(text)).toEqual(words);
});
