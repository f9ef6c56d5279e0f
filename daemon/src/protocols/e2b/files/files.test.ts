import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Code, ConnectError } from '@connectrpc/connect';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { E2bClient } from '../e2b-client.fixture.ts';

const BYTES = { 'content-type': 'application/octet-stream' };

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'e2b-files-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

function codeOf(error: unknown): string {
  return error instanceof ConnectError ? (Code[error.code] ?? '') : String(error);
}

test('[e2b.files] bytes and forms are written with their parents, and read, also compressed', async () => {
  await using client = await E2bClient.start();
  const path = join(directory, 'new/ü b.txt');
  const url = `/files?path=${encodeURIComponent(path)}`;
  const written = await client.fetch(url, { method: 'POST', body: 'hello', headers: BYTES });
  expect(await written.json()).toEqual([{ name: 'ü b.txt', type: 'file', path }]);
  const body = gzipSync('packed');
  const packed = { ...BYTES, 'content-encoding': 'gzip' };
  await client.fetch(url, { method: 'POST', body, headers: packed });
  expect(await (await client.fetch(url)).text()).toBe('packed');
  const raw = await client.app.inject({ url: `/compat/e2b${url}`, headers: { 'accept-encoding': 'gzip' } });
  expect([raw.headers['content-encoding'], gunzipSync(raw.rawPayload).toString()]).toEqual(['gzip', 'packed']);
  const part = await client.fetch(url, { headers: { range: 'bytes=1-3' } });
  expect([part.status, await part.text()]).toEqual([206, 'ack']);
  const form = new FormData();
  for (const name of ['one', 'sub/two']) form.append('file', new Blob([`content of ${name}`]), join(directory, name));
  const answer = await client.fetch('/files', { method: 'POST', body: form });
  const both = (await answer.json()) as { readonly path: string }[];
  expect(both.map((file) => file.path)).toEqual([join(directory, 'one'), join(directory, 'sub/two')]);
  expect(await readFile(join(directory, 'sub/two'), 'utf8')).toBe('content of sub/two');
});

test('[e2b.files] what cannot be read or written has the status of its fault', async () => {
  await using client = await E2bClient.start();
  const status = async (path: string, init?: RequestInit) => {
    const answer = await client.fetch(`/files?path=${encodeURIComponent(path)}`, init);
    return [answer.status, ((await answer.json()) as { code: number }).code];
  };
  const write = { method: 'POST', body: 'x', headers: BYTES };
  expect(await status(join(directory, 'none'))).toEqual([404, 404]);
  expect(await status(directory)).toEqual([400, 400]);
  expect(await status(directory, write)).toEqual([400, 400]);
  expect(await status('', write)).toEqual([400, 400]);
  expect(await status('a\0b')).toEqual([400, 400]);
  expect((await client.fetch('/files?path=x&username=no-such-user')).status).toBe(401);
  expect(await status(join(directory, 'x'), { ...write, headers: { ...BYTES, 'content-encoding': 'br' } })).toEqual([
    400, 400,
  ]);
  const notGzip = { ...write, headers: { ...BYTES, 'content-encoding': 'gzip' } };
  expect((await status(join(directory, 'x'), notGzip))[0]).toBeGreaterThanOrEqual(400);
});

test.each([true, false])(
  '[e2b.filesystem] entries are described, made, moved, listed and removed, binary %s',
  async (binary) => {
    await using client = await E2bClient.start();
    const { stat, makeDir, move, listDir, remove } = client.rpc({ binary }).filesystem;
    const at = (name: string) => join(directory, name);
    await writeFile(at('f'), 'four', { mode: 0o640 });
    await symlink('f', at('l'));
    expect((await stat({ path: at('f') })).entry).toMatchObject({
      name: 'f',
      type: 1,
      size: 4n,
      permissions: '-rw-r-----',
    });
    expect((await stat({ path: at('l') })).entry).toMatchObject({ name: 'l', type: 1, symlinkTarget: at('f') });
    await symlink('.', at('d'));
    expect((await stat({ path: at('d/l') })).entry).toMatchObject({ symlinkTarget: at('d/f') });
    await remove({ path: at('d') });
    expect((await makeDir({ path: at('a/b') })).entry).toMatchObject({ name: 'b', type: 2 });
    expect(await makeDir({ path: at('a/b') }).catch(codeOf)).toBe('AlreadyExists');
    expect(await makeDir({ path: at('f') }).catch(codeOf)).toBe('InvalidArgument');
    expect((await move({ source: at('f'), destination: at('n/g') })).entry).toMatchObject({ path: at('n/g') });
    expect(await move({ source: at('none'), destination: at('x') }).catch(codeOf)).toBe('NotFound');
    const names = async (depth: number) =>
      (await listDir({ path: directory, depth })).entries.map(({ name }: { name: string }) => name);
    expect(await names(0)).toEqual(['a', 'l', 'n']);
    expect(await names(2)).toEqual(['a', 'b', 'l', 'n', 'g']);
    expect(await listDir({ path: at('n/g') }).catch(codeOf)).toBe('InvalidArgument');
    expect(await listDir({ path: at('none') }).catch(codeOf)).toBe('NotFound');
    await remove({ path: at('a') });
    await remove({ path: at('a') });
    expect(await stat({ path: at('a') }).catch(codeOf)).toBe('NotFound');
  },
);

test('[e2b.watch] changes come by poll and by stream', async () => {
  await using client = await E2bClient.start();
  const { createWatcher, getWatcherEvents, removeWatcher, watchDir } = client.rpc().filesystem;
  const { watcherId } = await createWatcher({ path: directory, includeEntry: true });
  const stream = watchDir({ path: directory })[Symbol.asyncIterator]();
  expect((await stream.next()).value.event.case).toBe('start');
  await writeFile(join(directory, 'w'), 'x');
  expect((await stream.next()).value.event).toMatchObject({ case: 'filesystem', value: { name: 'w', type: 1 } });
  const { events } = await getWatcherEvents({ watcherId });
  expect(events).toContainEqual(
    expect.objectContaining({ name: 'w', type: 1, entry: expect.objectContaining({ name: 'w' }) }),
  );
  await removeWatcher({ watcherId });
  expect(await getWatcherEvents({ watcherId }).catch(codeOf)).toBe('NotFound');
  expect(await createWatcher({ path: join(directory, 'none') }).catch(codeOf)).toBe('NotFound');
  expect(await createWatcher({ path: join(directory, 'w') }).catch(codeOf)).toBe('InvalidArgument');
  await stream.return?.();
});

test('[e2b.watch] a poll has every change that was made before it, and not the directory itself', async () => {
  await using client = await E2bClient.start();
  const { createWatcher, getWatcherEvents, makeDir, remove, watchDir } = client.rpc().filesystem;
  const path = join(directory, 'tree');
  await makeDir({ path });
  await remove({ path });
  await makeDir({ path });
  const { watcherId } = await createWatcher({ path, recursive: true });
  const stream = watchDir({ path, recursive: true })[Symbol.asyncIterator]();
  await stream.next();
  await makeDir({ path: join(path, 'n') });
  expect((await stream.next()).value.event).toMatchObject({ case: 'filesystem', value: { name: 'n' } });
  await stream.return?.();
  for (let n = 0; n < 5; n++) await writeFile(join(path, 'n', String(n)), 'x');
  const { events } = await getWatcherEvents({ watcherId });
  const names = events.filter(({ type }: { type: number }) => type === 1).map(({ name }: { name: string }) => name);
  expect(names).toEqual(['n', 'n/0', 'n/1', 'n/2', 'n/3', 'n/4']);
});

test('[e2b.limits] a message over 8 MiB is refused, and what is not a message ends nothing', async () => {
  await using client = await E2bClient.start();
  const big = 'x'.repeat(9 * 1024 * 1024);
  expect(await client.rpc().filesystem.stat({ path: big }).catch(codeOf)).toBe('ResourceExhausted');
  const post = (body: string, type: string) =>
    client.fetch('/process.Process/List', { method: 'POST', body, headers: { 'content-type': type } });
  expect((await post('{', 'application/json')).status).toBe(400);
  expect((await post('x', 'text/plain')).status).toBe(415);
  expect((await client.fetch('/process.Process/List')).status).toBe(405);
  expect((await client.fetch('/health')).status).toBe(204);
});
