import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { expect, failure, test } from '../files.fixture.ts';
import { Download } from './download.ts';

const DOWNLOAD = '/v2/fs/download';

test('[fs.download] a download has the bytes, its validators and a name', async ({ daemon, dir }) => {
  const path = join(dir, 'ü "x".txt');
  writeFileSync(path, 'hello');
  const answer = await daemon.inject({ url: DOWNLOAD, query: { path } });
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toBe('hello');
  expect(answer.headers).toMatchObject({
    'accept-ranges': 'bytes',
    'content-length': '5',
    'content-type': 'text/plain',
    'content-disposition': `attachment; filename="_ _x_.txt"; filename*=UTF-8''%C3%BC%20%22x%22.txt`,
    'x-content-type-options': 'nosniff',
    etag: expect.stringMatching(/^"[^"]+"$/),
    'last-modified': expect.stringMatching(/GMT$/),
  });
});

test('[fs.download-head] HEAD answers the same head and no body', async ({ daemon, dir }) => {
  const path = join(dir, 'f.bin');
  writeFileSync(path, Buffer.alloc(3_000_000, 7));
  const answer = await daemon.inject({ method: 'HEAD', url: DOWNLOAD, query: { path } });
  expect([answer.statusCode, answer.headers['content-length'], answer.rawPayload.length]).toEqual([200, '3000000', 0]);
  expect((await daemon.inject({ method: 'HEAD', url: DOWNLOAD, query: { path: '/nowhere' } })).statusCode).toBe(404);
});

test.for([
  ['bytes=1-2', 206, 'el', 'bytes 1-2/5'],
  ['bytes=3-', 206, 'lo', 'bytes 3-4/5'],
  ['bytes=-2', 206, 'lo', 'bytes 3-4/5'],
  ['bytes=-9', 206, 'hello', 'bytes 0-4/5'],
  ['bytes=4-99', 206, 'o', 'bytes 4-4/5'],
  ['bytes=5-', 416, undefined, 'bytes */5'],
  ['bytes=-0', 416, undefined, 'bytes */5'],
  ['bytes=2-1', 200, 'hello', undefined],
  ['bytes=0-1,3-4', 200, 'hello', undefined],
  ['lines=1-2', 200, 'hello', undefined],
] as const)(
  '[fs.download-range] [status.range-206-304-416] Range %s',
  async ([range, status, body, span], { daemon, dir }) => {
    const path = join(dir, 'f');
    writeFileSync(path, 'hello');
    const answer = await daemon.inject({ url: DOWNLOAD, query: { path }, headers: { range } });
    expect([answer.statusCode, answer.headers['content-range']]).toEqual([status, span]);
    if (body !== undefined) expect(answer.body).toBe(body);
  },
);

test('[fs.download-conditions] conditions answer 304 and 412, and If-Range decides over the range', async ({
  daemon,
  dir,
}) => {
  const path = join(dir, 'f');
  writeFileSync(path, 'hello');
  const ask = async (headers: Record<string, string>) =>
    (await daemon.inject({ url: DOWNLOAD, query: { path }, headers })).statusCode;
  const { headers } = await daemon.inject({ url: DOWNLOAD, query: { path } });
  const etag = String(headers.etag);
  const modified = String(headers['last-modified']);
  const past = 'Thu, 01 Jan 1970 00:00:00 GMT';
  expect(await ask({ 'if-none-match': etag })).toBe(304);
  expect(await ask({ 'if-none-match': `"x", W/${etag}` })).toBe(304);
  expect(await ask({ 'if-none-match': '"x"', 'if-modified-since': modified })).toBe(200);
  expect(await ask({ 'if-modified-since': modified })).toBe(304);
  expect(await ask({ 'if-modified-since': past })).toBe(200);
  expect(await ask({ 'if-match': '"x"' })).toBe(412);
  expect(await ask({ 'if-match': `"x", ${etag}` })).toBe(200);
  expect(await ask({ 'if-unmodified-since': past })).toBe(412);
  expect(await ask({ range: 'bytes=0-0', 'if-range': etag })).toBe(206);
  expect(await ask({ range: 'bytes=0-0', 'if-range': modified })).toBe(206);
  expect(await ask({ range: 'bytes=0-0', 'if-range': '"x"' })).toBe(200);
  expect(await ask({ range: 'bytes=0-0', 'if-range': past })).toBe(200);
});

test('an empty file, a file of /proc and what is no file', async ({ daemon, dir }) => {
  const path = join(dir, 'empty');
  writeFileSync(path, '');
  const empty = await daemon.inject({ url: DOWNLOAD, query: { path } });
  expect([empty.statusCode, empty.headers['content-length'], empty.body]).toEqual([200, '0', '']);
  const status = await daemon.inject({ url: DOWNLOAD, query: { path: '/proc/self/status' } });
  expect(status.body).toMatch(/^Name:/);
  const ask = (path: string) => failure(daemon.inject({ url: DOWNLOAD, query: { path } }));
  expect(await ask(dir)).toEqual({ status: 400, type: 'invalid_target' });
  expect(await ask('/dev/zero')).toEqual({ status: 400, type: 'invalid_target' });
  expect(await ask('~no-such-account')).toEqual({ status: 400, type: 'invalid_path' });
});

test('100 MB arrive as they are, for several readers at once', async ({ daemon, dir }) => {
  const path = join(dir, 'big');
  const block = Buffer.from(Array.from({ length: 100_003 }, (_, at) => at % 251));
  writeFileSync(path, Buffer.concat(Array.from({ length: 1049 }, () => block)));
  const base = await daemon.listen();
  const expected = createHash('sha256');
  for (let at = 0; at < 1049; at += 1) expected.update(block);
  const want = expected.digest('hex');
  const digests = await Promise.all(
    [1, 2, 3].map(async () => {
      const hash = createHash('sha256');
      const { body } = await fetch(`${base}${DOWNLOAD}?path=${path}`);
      for await (const piece of body ?? []) hash.update(piece);
      return hash.digest('hex');
    }),
  );
  expect(digests).toEqual([want, want, want]);
});

/** A download of which nothing is read until the test says so. */
async function paused(url: string): Promise<IncomingMessage> {
  const [answer] = await once(httpGet(url), 'response');
  answer.pause();
  return answer;
}

/** Bytes that come until the answer ends, in whatever way. */
function lengthOf(answer: IncomingMessage): Promise<number> {
  let length = 0;
  return new Promise((resolve) => {
    answer.on('error', () => undefined);
    answer.on('close', () => resolve(length));
    answer.on('data', (piece: Buffer) => {
      length += piece.length;
    });
    answer.resume();
  });
}

test('[fs.download-change] a file that changes is cut under abort, and sent at its old length under ignore', async ({
  daemon,
  dir,
}) => {
  const path = join(dir, 'big');
  const base = await daemon.listen();
  for (const policy of ['abort', 'ignore']) {
    writeFileSync(path, Buffer.alloc(64 * 1024 ** 2, 1));
    const answer = await paused(`${base}${DOWNLOAD}?path=${path}&change_policy=${policy}`);
    appendFileSync(path, 'more');
    const length = await lengthOf(answer);
    expect([policy, answer.complete, length === 64 * 1024 ** 2]).toEqual([
      policy,
      policy === 'ignore',
      policy === 'ignore',
    ]);
  }
});

test('[status.destination-409] a change before the first byte is 409 under abort', async ({ dir }) => {
  const path = join(dir, 'f');
  writeFileSync(path, 'hello');
  using download = await Download.open(path, 'abort');
  utimesSync(path, 1, 1);
  await expect(download.read(0, 5)).rejects.toMatchObject({ kind: 'conflict' });
});

test('[fs.download-change] a file that gets shorter while it is sent cuts the connection', async ({ daemon, dir }) => {
  const path = join(dir, 'big');
  writeFileSync(path, Buffer.alloc(64 * 1024 ** 2, 1));
  const base = await daemon.listen();
  const answer = await paused(`${base}${DOWNLOAD}?path=${path}`);
  truncateSync(path, 10);
  await lengthOf(answer);
  expect(answer.complete).toBe(false);
});

/** Descriptors of this process that lead to a path. */
function opened(path: string): number {
  return readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`) === path;
    } catch {
      return false;
    }
  }).length;
}

test.runIf(process.platform === 'linux')('clients that go away leave no file open', async ({ daemon, dir }) => {
  const path = join(dir, 'big');
  writeFileSync(path, Buffer.alloc(32 * 1024 ** 2, 1));
  const base = await daemon.listen();
  const policies = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 'ignore' : 'abort'));
  const answers = await Promise.all(
    policies.map((policy) => paused(`${base}${DOWNLOAD}?path=${path}&change_policy=${policy}`)),
  );
  expect(opened(path)).toBe(20);
  for (const answer of answers) answer.on('error', () => undefined).destroy();
  await expect.poll(() => opened(path)).toBe(0);
  await daemon.inject({ method: 'HEAD', url: DOWNLOAD, query: { path } });
  await daemon.inject({ url: DOWNLOAD, query: { path }, headers: { 'if-none-match': '*' } });
  await expect.poll(() => opened(path)).toBe(0);
});
