import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seededBytes } from '../../../../scripts/testing/seeded-random.ts';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestSandbox } from '../client.fixture.ts';
import type { WatchEvent } from '../index.ts';
import { PortableSha256 } from './sha256.ts';
import { staysBelow } from './tree.ts';

test('[client.files] files are written, read, listed, changed and removed', async () => {
  await using it = await TestSandbox.start();
  const { files } = it.sandbox;
  const at = (name: string): string => join(it.directory, name);
  await files.write(at('a/b.txt'), 'héllo\n', { mode: '755' });
  expect(await files.read(at('a/b.txt'))).toBe('héllo\n');
  expect((await stat(at('a/b.txt'))).mode & 0o777).toBe(0o755);
  await files.write(at('bytes'), new Uint8Array([0, 255]));
  await expect(files.read(at('bytes'))).rejects.toThrow('not text in UTF-8');
  expect([...(await files.bytes(at('bytes')))]).toEqual([0, 255]);
  await files.write(at('empty'), '');
  expect(await files.read(at('empty'))).toBe('');
  expect((await files.list(it.directory)).map(({ name }) => name)).toEqual(['a', 'bytes', 'empty']);
  const paths: string[] = [];
  for await (const entry of files.walk(it.directory)) paths.push(entry.path);
  expect(paths).toEqual([at('a'), at('a/b.txt'), at('bytes'), at('empty')]);
  await files.replace(at('a/b.txt'), 'héllo', 'bye');
  await files.copy(at('a'), at('c'));
  await files.move(at('c/b.txt'), at('moved'));
  expect(await files.read(at('moved'))).toBe('bye\n');
  expect(await files.stat(at('moved'))).toMatchObject({ type: 'file', size: 4, isDirectory: false });
  expect(await files.search(it.directory, '*.txt')).toEqual([at('a/b.txt')]);
  expect(await files.grep(it.directory, 'b.e', { include: ['*.txt'] })).toMatchObject([
    { lineNumber: 1, lineContent: 'bye' },
  ]);
  await files.remove(at('a'), { recursive: true });
  expect([await files.exists(at('a')), await files.exists(at('moved'))]).toEqual([false, true]);
  await expect(files.read(at('a'))).rejects.toMatchObject({ status: 404 });
});

test('[client.home] a path without a slash in front is below the home', async () => {
  await using it = await TestSandbox.start();
  const home = (await it.sandbox.info()).homeDir;
  const [directory, rest] = ['/tmp', it.directory.slice('/tmp/'.length)];
  if (!it.directory.startsWith(directory)) return expect(it.directory).toContain('/');
  const up = home
    .split('/')
    .filter(Boolean)
    .map(() => '..')
    .join('/');
  await it.sandbox.files.write(`~/${up}/tmp/${rest}/x`, 'x');
  expect(await it.sandbox.files.read(`${up}/tmp/${rest}/x`)).toBe('x');
});

test('[client.upload] an upload in pieces goes on after cuts, and its checksum is right', async () => {
  await using it = await TestSandbox.start();
  const bytes = seededBytes(21 * 1024 * 1024 + 7);
  const [local, remote] = [join(it.directory, 'local'), join(it.directory, 'remote')];
  await writeFile(local, bytes);
  const seen: number[] = [];
  const cutting = setInterval(() => it.proxy.cut(), 400);
  await it.sandbox.files.upload(local, { to: remote, onProgress: (progress) => seen.push(progress.bytes) });
  clearInterval(cutting);
  expect((await readFile(remote)).equals(bytes)).toBe(true);
  expect(seen.at(-1)).toBe(bytes.length);
  expect((await readdir(it.directory)).sort()).toEqual(['local', 'remote']);
});

test('[client.upload-resume] an upload goes on where another client ended, unless it had other bytes', async () => {
  await using it = await TestSandbox.start();
  const bytes = seededBytes(9 * 1024 * 1024);
  const path = join(it.directory, 'f');
  for (const first of [bytes.subarray(0, 5_000_000), Buffer.alloc(5_000_000)]) {
    await it.daemon.inject({
      method: 'PUT',
      url: '/v2/fs/upload',
      query: { path },
      payload: first,
      headers: { 'content-range': `bytes 0-4999999/${bytes.length}`, 'content-type': 'application/octet-stream' },
    });
    await it.sandbox.files.upload(new Blob([new Uint8Array(bytes)]), { to: path });
    expect((await readFile(path)).equals(bytes)).toBe(true);
  }
});

test('[client.download] a download goes on after cuts, and notices a change of the file', async () => {
  await using it = await TestSandbox.start();
  const bytes = seededBytes(3 * 1024 * 1024);
  const [remote, local] = [join(it.directory, 'remote'), join(it.directory, 'local')];
  await writeFile(remote, bytes);
  it.proxy.cutAfter = 500_000;
  await it.sandbox.files.download(remote, local);
  expect((await readFile(local)).equals(bytes)).toBe(true);
  expect(it.proxy.cuts).toBeGreaterThan(2);
  const reading = it.sandbox.files.stream(remote);
  await reading.next();
  await writeFile(remote, 'other');
  const rest = (async () => {
    for await (const _ of reading);
  })();
  await expect(rest).rejects.toThrow('the file changed while it was read');
});

test('[client.tree] push and pull copy directories with modes and links', async () => {
  await using it = await TestSandbox.start();
  const [from, there, back] = ['from', 'there', 'back'].map((name) => join(it.directory, name));
  await mkdir(join(from ?? '', 'sub/empty'), { recursive: true });
  await writeFile(join(from ?? '', 'sub/run.sh'), '#!/bin/sh', { mode: 0o755 });
  await writeFile(join(from ?? '', 'a'), 'a');
  expect(await it.sandbox.files.push(from ?? '', there ?? '')).toMatchObject({ files: 2, directories: 2, skipped: [] });
  await symlink('../a', join(there ?? '', 'sub/link'));
  await symlink('/etc', join(there ?? '', 'out'));
  await symlink('../../..', join(there ?? '', 'sub/up'));
  const report = await it.sandbox.files.pull(there ?? '', back ?? '');
  expect(report.skipped).toEqual([join(there ?? '', 'out'), join(there ?? '', 'sub/up')]);
  expect(await readlink(join(back ?? '', 'sub/link'))).toBe('../a');
  expect((await stat(join(back ?? '', 'sub/run.sh'))).mode & 0o777).toBe(0o755);
  expect((await readdir(back ?? '', { recursive: true })).sort()).toEqual([
    'a',
    'sub',
    'sub/empty',
    'sub/link',
    'sub/run.sh',
  ]);
});

test('[client.tree] a key for one directory pulls it, without links that lead out of it', async () => {
  await using place = await tempDir();
  const there = join(place.path, 'there');
  await mkdir(there);
  await writeFile(join(there, 'a'), 'a');
  await symlink('a', join(there, 'in'));
  await symlink('/etc', join(there, 'out'));
  const accessKeysFile = join(place.path, 'keys');
  await writeFile(accessKeysFile, JSON.stringify({ name: 'one', key: 'key-of-one', scopes: [`files-read:${there}`] }));
  await using it = await TestSandbox.start({ accessKeysFile }, { apiKey: 'key-of-one' });
  const report = await it.sandbox.files.pull(there, join(it.directory, 'back'));
  expect(report).toMatchObject({ files: 2, skipped: [join(there, 'out')] });
});

test('[client.tree-bounds] a link in the local target leads no file out of it', async () => {
  await using it = await TestSandbox.start();
  const [remote, local, outside] = ['remote', 'local', 'outside'].map((name) => join(it.directory, name));
  for (const path of [join(remote ?? '', 'sub'), local ?? '', outside ?? '']) await mkdir(path, { recursive: true });
  await writeFile(join(remote ?? '', 'sub/f'), 'f');
  await symlink(outside ?? '', join(local ?? '', 'sub'));
  await expect(it.sandbox.files.pull(remote ?? '', local ?? '')).rejects.toThrow('leads out of it');
  expect(await readdir(outside ?? '')).toEqual([]);
});

test.each([
  ['link', 'a', true],
  ['link', '..', false],
  ['d/link', '..', true],
  ['d/link', '../..', false],
  ['d/link', '../a/b', true],
  ['link', 'a/..', false],
  ['link', '/etc', false],
])('the link %s may lead to %s: %s', (at, target, expected) => {
  expect(staysBelow(at, target)).toBe(expected);
});

test('[client.watch] a watch reports each change once, also over cut connections, and a restart as overflow', async () => {
  await using it = await TestSandbox.start();
  const events: WatchEvent[] = [];
  await using watch = await it.sandbox.files.watch(it.directory, (event) => void events.push(event), { debounce: 50 });
  const created = (): string[] =>
    events.flatMap((event) => (event.type === 'create' ? [event.relativePath] : [])).sort();
  const names = Array.from({ length: 20 }, (_, number) => String(number + 10));
  for (const name of names) {
    await writeFile(join(it.directory, name), name);
    it.proxy.cut();
  }
  await expect.poll(created).toEqual(names);
  const [watcher] = (await it.daemon.inject('/v2/watch')).json().data.watchers as { watcher_id: string }[];
  await it.daemon.inject({ method: 'DELETE', url: `/v2/watch/${watcher?.watcher_id}` });
  await expect.poll(() => events.at(-1)).toEqual({ type: 'overflow' });
  await writeFile(join(it.directory, 'later'), '');
  await expect.poll(created).toEqual([...names, 'later']);
  await watch.close();
  expect((await it.daemon.inject('/v2/watch')).json().data.watchers).toEqual([]);
});

test.each([0, 1, 55, 56, 63, 64, 65, 1000])('the portable SHA-256 of %i bytes is that of Node', (length) => {
  const bytes = seededBytes(length);
  const hash = new PortableSha256();
  hash.update(bytes.subarray(0, length >> 1));
  hash.update(bytes.subarray(length >> 1));
  expect(hash.digest()).toBe(createHash('sha256').update(bytes).digest('hex'));
});
