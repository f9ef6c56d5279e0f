import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import type { Config } from '../../config.ts';
import { metadataOf } from './metadata.ts';

const FILES = '/v1/files/';
let root: string;
let outside: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sandboxd-root-'));
  outside = mkdtempSync(join(tmpdir(), 'sandboxd-outside-'));
  writeFileSync(join(outside, 'secret'), 'secret');
});

afterEach(() => {
  for (const directory of [root, outside]) rmSync(directory, { recursive: true, force: true });
});

class Runtime implements AsyncDisposable {
  readonly app: TestApp;

  constructor(app: TestApp) {
    this.app = app;
  }

  async call(method: 'GET' | 'HEAD' | 'PUT' | 'DELETE' | 'POST', url: string, payload?: string, type?: string) {
    const headers = type === undefined ? {} : { 'content-type': type };
    const answer = await this.app.inject({ method, url, headers, ...(payload !== undefined && { payload }) });
    const isJson = /^application\/json/.test(String(answer.headers['content-type'])) && answer.body !== '';
    return { status: answer.statusCode, body: answer.body, headers: answer.headers, json: isJson ? answer.json() : {} };
  }

  async refused(...given: Parameters<Runtime['call']>) {
    const { status, json } = await this.call(...given);
    return [status, json.code, typeof json.message];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.app[Symbol.asyncDispose]();
  }
}

async function start(overrides: Partial<Config> = {}): Promise<Runtime> {
  return new Runtime(await TestApp.start({ sandboxd: true, sandboxdRoot: root, ...overrides }));
}

test('[sandboxd.files] a file is written with its parents and mode, replaced and read', async () => {
  await using runtime = await start();
  expect((await runtime.call('PUT', `${FILES}a/b/c.bin`, '\0\x01')).status).toBe(204);
  const read = await runtime.call('GET', `${FILES}a/b/c.bin`);
  expect([read.status, read.body, read.headers['content-type']]).toEqual([200, '\0\x01', 'application/octet-stream']);
  expect((await runtime.call('PUT', `${FILES}a%2Fb%2Fd.sh?mode=0755`, '#!/bin/sh')).status).toBe(204);
  expect(statSync(join(root, 'a/b/d.sh')).mode & 0o777).toBe(0o755);
  expect((await runtime.call('PUT', `${FILES}a/b/d.sh`, 'new')).status).toBe(204);
  expect(statSync(join(root, 'a/b/d.sh')).mode & 0o777).toBe(0o644);
  expect(readFileSync(join(root, 'a/b/d.sh'), 'utf8')).toBe('new');
  expect(readdirSync(join(root, 'a/b'))).toEqual(['c.bin', 'd.sh']);
  expect((await runtime.call('PUT', `${FILES}%252F`, 'decoded once')).status).toBe(204);
  expect(readFileSync(join(root, '%2F'), 'utf8')).toBe('decoded once');
  expect((await runtime.call('GET', `${FILES}${encodeURIComponent(join(root, 'a/b/d.sh'))}`)).body).toBe('new');
});

test.each(['0999', '777', 'abcd', '01777'])('[sandboxd.files] the mode %s is refused', async (mode) => {
  await using runtime = await start();
  const answer = await runtime.refused('PUT', `${FILES}f?mode=${mode}`, 'x');
  expect(answer).toEqual([400, 'INVALID_ARGUMENT', 'string']);
  expect(readdirSync(root)).toEqual([]);
});

test('[sandboxd.files] the part named file of a form is written; a form without it is refused', async () => {
  await using runtime = await start();
  const type = 'multipart/form-data; boundary=b';
  const part = (name: string, content: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\n\r\n${content}\r\n`;
  const both = `${part('other', 'no')}${part('file', 'of the form')}--b--\r\n`;
  expect((await runtime.call('PUT', `${FILES}f`, both, type)).status).toBe(204);
  expect(readFileSync(join(root, 'f'), 'utf8')).toBe('of the form');
  const without = await runtime.refused('PUT', `${FILES}g`, `${part('other', 'no')}--b--\r\n`, type);
  expect(without).toEqual([400, 'INVALID_ARGUMENT', 'string']);
  expect((await runtime.refused('PUT', `${FILES}g`, part('file', 'cut'), type))[0]).toBe(400);
  expect(readdirSync(root)).toEqual(['f']);
});

test('[sandboxd.files] a directory is listed in the order of the names, without links out of the root', async () => {
  await using runtime = await start();
  expect((await runtime.call('GET', FILES)).json).toEqual({ path: '/', entries: [] });
  writeFileSync(join(root, 'b.txt'), 'bb', { mode: 0o600 });
  mkdirSync(join(root, 'adir'));
  symlinkSync(outside, join(root, 'escape'));
  symlinkSync('nowhere', join(root, 'broken'));
  symlinkSync('adir', join(root, 'inside'));
  const { status, headers, json } = await runtime.call('GET', FILES);
  expect([status, headers['content-type']]).toEqual([200, 'application/json']);
  expect(json.entries.map((entry: { name: string; type: string }) => [entry.name, entry.type])).toEqual([
    ['adir', 'directory'],
    ['b.txt', 'file'],
    ['inside', 'directory'],
  ]);
  expect(json.entries[1]).toMatchObject({ size: 2, mode: '0600' });
  expect(json.entries[1].modified_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const head = await runtime.call('HEAD', FILES);
  expect([head.status, head.headers['content-type'], head.body]).toEqual([200, 'application/json', '']);
});

test('[sandboxd.files] HEAD tells what exists; ranges are served', async () => {
  await using runtime = await start();
  writeFileSync(join(root, 'f'), '12345');
  const head = await runtime.call('HEAD', `${FILES}f`);
  expect([head.status, head.headers['content-length'], head.body]).toEqual([200, '5', '']);
  expect((await runtime.call('HEAD', `${FILES}none`)).status).toBe(404);
  const range = (value: string) => runtime.app.inject({ url: `${FILES}f`, headers: { range: value } });
  expect([(await range('bytes=1-2')).statusCode, (await range('bytes=1-2')).body]).toEqual([206, '23']);
  expect((await range('bytes=9-')).statusCode).toBe(416);
});

test('[sandboxd.files] what is missing, in the way or not allowed has the status of its fault', async () => {
  await using runtime = await start();
  mkdirSync(join(root, 'd'));
  writeFileSync(join(root, 'f'), '');
  expect(await runtime.refused('GET', `${FILES}none`)).toEqual([404, 'NOT_FOUND', 'string']);
  expect((await runtime.refused('GET', `${FILES}f/below`))[0]).toBe(404);
  expect(await runtime.refused('PUT', `${FILES}d`, 'x')).toEqual([400, 'INVALID_ARGUMENT', 'string']);
  expect((await runtime.refused('PUT', FILES, 'x'))[0]).toBe(400);
  expect((await runtime.refused('PUT', `${FILES}f/below`, 'x'))[0]).toBe(400);
  expect((await runtime.refused('GET', `${FILES}a%00b`))[0]).toBe(400);
  expect((await runtime.refused('PUT', `${FILES}${'n'.repeat(256)}`, 'x'))[0]).toBe(400);
  expect((await runtime.call('PUT', `${FILES}${'n'.repeat(255)}`, 'x')).status).toBe(204);
  expect((await runtime.refused('POST', `${FILES}f`, 'x'))[0]).toBe(405);
  expect((await runtime.refused('POST', '/v1/metadata', 'x'))[0]).toBe(405);
});

test.each(['GET', 'HEAD', 'PUT', 'DELETE'] as const)(
  '[sandboxd.root] %s reaches nothing outside the root',
  async (method) => {
    await using runtime = await start();
    symlinkSync(outside, join(root, 'link'));
    symlinkSync('/nowhere/at/all', join(root, 'dangling'));
    const paths = [
      '%2E%2E%2F%2E%2E%2Fetc%2Fpasswd',
      '..%2F..%2Fetc%2Fpasswd',
      'a/..%2F..%2Fx',
      'link/secret',
      'link/new/x',
    ];
    const payload = method === 'PUT' ? 'x' : undefined;
    for (const path of [...paths, 'dangling']) {
      const { status, json } = await runtime.call(method, FILES + path, payload);
      expect([path, status]).toEqual([path, 403]);
      if (method !== 'HEAD') expect(json.code).toBe('PERMISSION_DENIED');
    }
    expect(readdirSync(outside)).toEqual(['secret']);
    // An absolute path that is not the root's is below it.
    expect((await runtime.call(method, `${FILES}%2Fetc%2Fpasswd`, payload)).status).toBe(method === 'PUT' ? 204 : 404);
  },
);

test('[sandboxd.root] a link that takes the name of a directory meanwhile leads nowhere', async () => {
  await using runtime = await start();
  const at = join(root, 'd');
  let isOver = false;
  const swap = async (): Promise<void> => {
    for (let turn = 0; !isOver; turn += 1) {
      rmSync(at, { recursive: true, force: true });
      if (turn % 2 === 0) symlinkSync(outside, at);
      else mkdirSync(at);
      await new Promise(setImmediate);
    }
  };
  const swapping = swap();
  const seen = new Set<number>();
  try {
    for (let i = 0; i < 100; i += 1) {
      seen.add((await runtime.call('PUT', `${FILES}d/planted`, 'x')).status);
      const read = await runtime.call('GET', `${FILES}d/secret`);
      expect(read.body).not.toBe('secret');
      await runtime.call('DELETE', `${FILES}d/secret`);
    }
  } finally {
    isOver = true;
    await swapping;
  }
  expect(readdirSync(outside)).toEqual(['secret']);
  expect(seen.has(500)).toBe(false);
});

test('[sandboxd.delete] files, trees and what lies in the root are removed; the root stays', async () => {
  await using runtime = await start();
  mkdirSync(join(root, 'd'));
  writeFileSync(join(root, 'd/f'), '');
  symlinkSync(outside, join(root, 'link'));
  expect(await runtime.refused('DELETE', `${FILES}d`)).toEqual([409, 'CONFLICT', 'string']);
  expect(await runtime.refused('DELETE', `${FILES}d?recursive=banana`)).toEqual([400, 'INVALID_ARGUMENT', 'string']);
  expect((await runtime.call('DELETE', `${FILES}d/f`)).status).toBe(204);
  expect((await runtime.refused('DELETE', `${FILES}d/f`))[0]).toBe(404);
  expect((await runtime.call('DELETE', `${FILES}d?recursive=true`)).status).toBe(204);
  writeFileSync(join(root, 'f'), '');
  mkdirSync(join(root, 'e/e'), { recursive: true });
  const { ino } = statSync(root);
  expect((await runtime.refused('DELETE', FILES))[0]).toBe(409);
  expect((await runtime.call('DELETE', `${FILES}?recursive=true`)).status).toBe(204);
  expect([readdirSync(root), statSync(root).ino]).toEqual([[], ino]);
  expect(readdirSync(outside)).toEqual(['secret']);
});

test('[sandboxd.root] without its root the API is unavailable, and the root of the machine is never cleared', async () => {
  {
    await using runtime = await start({ sandboxdRoot: join(root, 'none') });
    expect(await runtime.refused('GET', FILES)).toEqual([503, 'UNAVAILABLE', 'string']);
  }
  await using runtime = await start({ sandboxdRoot: '/' });
  expect((await runtime.refused('DELETE', `${FILES}?recursive=true`))[0]).toBe(400);
});

test('[sandboxd.names] a name of 64 callers is one of their contents; bytes that are not UTF-8 are listed', async () => {
  await using runtime = await start();
  const contents = Array.from({ length: 64 }, (_, i) => `${i}`.repeat(10_000));
  const written = await Promise.all(contents.map((content) => runtime.call('PUT', `${FILES}one`, content)));
  expect(new Set(written.map(({ status }) => status))).toEqual(new Set([204]));
  expect(contents).toContain(readFileSync(join(root, 'one'), 'utf8'));
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])]), '');
  const { json } = await runtime.call('GET', FILES);
  expect(json.entries.map(({ name }: { name: string }) => name)).toEqual(['one', '\ufffd']);
});

test('[sandboxd.cut] a PUT that is cut leaves the old file, and nothing else', async () => {
  await using runtime = await start();
  writeFileSync(join(root, 'f'), 'old');
  await runtime.app.listen();
  const { port } = runtime.app.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write(`PUT ${FILES}f HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99\r\n\r\nhalf`);
  while (readdirSync(root).length === 1) await new Promise(setImmediate);
  socket.destroy();
  while (readdirSync(root).length > 1) await new Promise(setImmediate);
  expect(readFileSync(join(root, 'f'), 'utf8')).toBe('old');
});

test('[sandboxd.health] health needs no key and is 503 from the start of a shutdown', async () => {
  const runtime = await start({ apiKey: 'key-of-health' });
  const { status, json } = await runtime.call('GET', '/v1/health');
  expect([status, json.status, Number.isInteger(json.uptime_seconds)]).toEqual([200, 'ok', true]);
  expect(await runtime.refused('GET', '/v1/metadata')).toEqual([401, 'UNAUTHENTICATED', 'string']);
  expect((await runtime.refused('GET', `${FILES}f`))[0]).toBe(401);
  await runtime.app.listen();
  const { port } = runtime.app.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  await new Promise((resolve) => socket.write('GET /v1/health HTTP/1.1\r\nhost: localhost\r\n', resolve));
  const closed = runtime[Symbol.asyncDispose]();
  socket.write('connection: close\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 503 /);
  await closed;
});

test('[sandboxd.metadata] metadata shows SANDBOX_*, and no name that hints at a secret', async () => {
  const names = 'API_TOKEN SSH_KEY AUTH_HEADER BEARER CRED PASSWD PWD TLS_CERT PRIVATE_URL session_id db_secret'.split(
    ' ',
  );
  const secrets = Object.fromEntries(names.map((name) => [`SANDBOX_${name}`, 'x']));
  const shown = { SANDBOX_ID: 'one', SANDBOX_WORKSPACE: '/workspace' };
  expect(metadataOf({ ...secrets, ...shown, KUBERNETES_SERVICE_HOST: '1.2.3.4', MY_SANDBOX_ID: 'x' })).toEqual(shown);
  await using runtime = await start();
  expect((await runtime.call('GET', '/v1/metadata')).json).toHaveProperty('env');
});

test('[sandboxd.off] without SVC_SANDBOXD there are no such routes', async () => {
  await using runtime = await start({ sandboxd: false });
  for (const url of [`${FILES}f`, '/v1/health', '/v1/metadata', '/compat/sandboxd/v1/health']) {
    expect((await runtime.call('GET', url)).status).toBe(404);
  }
});
