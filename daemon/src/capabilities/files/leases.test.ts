import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import { describe, expect, read, test } from './files.fixture.ts';
import { exported, imported } from './tree.fixture.ts';

const HOLDER = `
import fcntl, os, signal, sys
signal.signal(signal.SIGIO, signal.SIG_IGN)
held = [os.open(path, os.O_RDWR) for path in sys.argv[1:]]
for fd in held:
    fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print("leased", flush=True)
signal.pause()
`;

/** Holds write leases on the files until it is disposed. */
async function lease(...paths: string[]): Promise<AsyncDisposable> {
  const holder = spawn('python3', ['-c', HOLDER, ...paths], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  return {
    [Symbol.asyncDispose]: async () => {
      holder.kill('SIGKILL');
      await once(holder, 'exit');
    },
  };
}

const post = (url: string, payload: object): InjectOptions => ({ method: 'POST', url, payload });

/** Calls that open one file. */
const CALLS: Readonly<Record<string, (path: string) => InjectOptions>> = {
  read: (path) => ({ url: '/v2/fs/read', query: { path } }),
  'read of bytes': (path) => ({ url: '/v2/fs/read', query: { path, encoding: 'base64' } }),
  download: (path) => ({ url: '/v2/fs/download', query: { path } }),
  write: (path) => post('/v2/fs/write', { path, content: 'x' }),
  append: (path) => post('/v2/fs/write', { path, content: 'x', append: true }),
  'atomic append': (path) => post('/v2/fs/write', { path, content: 'x', append: true, atomic: true }),
  edit: (path) => post('/v2/fs/edit', { path, command: 'str_replace', old_str: 'hello', new_str: 'bye' }),
  copy: (path) => post('/v2/fs/copy', { source: path, destination: `${path}.copy` }),
  grep: (path) => post('/v2/fs/grep', { path, pattern: 'hello' }),
};

describe('files with a lease', () => {
  test('[fs.lease] a call that opens such a file is 503 after 2 s, not before', async ({ daemon, dir }) => {
    const path = (name: string): string => join(dir, name.replaceAll(' ', '-'));
    for (const name of Object.keys(CALLS)) writeFileSync(path(name), 'hello');
    await using _held = await lease(...Object.keys(CALLS).map(path));
    const began = performance.now();
    const answers = Object.entries(CALLS).map(async ([name, call]) => {
      const answer = await daemon.inject(call(path(name)));
      expect(performance.now() - began).toBeGreaterThan(1900);
      const { errno_name, retryable } = answer.json().data ?? {};
      return [name, answer.statusCode, errno_name, retryable];
    });
    expect(await Promise.all(answers)).toEqual(Object.keys(CALLS).map((name) => [name, 503, 'EAGAIN', true]));
    expect(existsSync(`${path('copy')}.copy`)).toBe(false);
  });

  test('[fs.lease] v1 reports the same failure; delete and a write that replaces the file need no open', async ({
    daemon,
    dir,
  }) => {
    const path = join(dir, 'a');
    writeFileSync(path, 'hello');
    await using _held = await lease(path);
    const v1 = await daemon.post('/v1/file/read', { file: path });
    expect(v1.json().data).toMatchObject({ errno_name: 'EAGAIN', retryable: true });
    const replaced = await daemon.post('/v2/fs/write', { path, content: 'x', atomic: true });
    expect([replaced.statusCode, read(path)]).toEqual([200, 'x']);
    expect((await daemon.post('/v2/fs/delete', { path })).statusCode).toBe(200);
  });

  test('[fs.lease] an open succeeds when the lease ends within 2 s', async ({ daemon, dir }) => {
    const path = join(dir, 'a');
    writeFileSync(path, 'hello');
    const held = await lease(path);
    const reading = daemon.inject({ url: '/v2/fs/read', query: { path } });
    await held[Symbol.asyncDispose]();
    expect((await reading).json().data.content).toBe('hello');
  });

  test('[fs.lease] walks skip the files and count them, all files together within the 2 s of one', async ({
    daemon,
    dir,
  }) => {
    const root = join(dir, 'd');
    mkdirSync(root);
    for (const name of ['a', 'b', 'c', 'open']) writeFileSync(join(root, name), 'hello');
    await using _held = await lease(...['a', 'b', 'c'].map((name) => join(root, name)));
    const copied = await daemon.post('/v2/fs/copy', { source: root, destination: `${root}2` });
    expect(copied.json().data.skipped).toBe(3);
    expect(read(`${root}2/open`)).toBe('hello');

    const grep = (await daemon.post('/v2/fs/grep', { path: root, pattern: 'hello' })).json();
    expect(grep.data).toMatchObject({ match_count: 1, truncated: true, unreadable_count: 3 });
    expect(grep.hint).toContain('3 (EAGAIN: a lease');
    const v1 = (await daemon.post('/v1/file/grep', { path: root, pattern: 'hello' })).json();
    expect(v1.data).toMatchObject({ match_count: 1, truncated: true, unreadable_count: 3 });

    const archive = await exported(daemon, root);
    expect(archive.includes('comment=left out because of leases: 3 files')).toBe(true);
    expect(execFileSync('tar', ['-t'], { input: archive, encoding: 'utf8' })).toBe('./\nopen\n./\n');
    expect((await imported(daemon, join(dir, 'out'), archive)).statusCode).toBe(200);
    expect(readdirSync(join(dir, 'out'))).toEqual(['open']);
  });
});
