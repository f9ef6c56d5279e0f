import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, get, test } from './files.fixture.ts';
import { archive } from './tree.fixture.ts';

/** Deeper than a path can be long, with a file at its end. */
const MAKE = `
import os, sys
os.chdir(sys.argv[1])
for _ in range(3000):
    os.mkdir("d")
    os.chdir("d")
open("needle", "w").write("needle")
`;

test('[fs.incomplete] list, search, grep and copy of a tree deeper than a path are incomplete and say so', async ({
  daemon,
  dir,
}) => {
  execFileSync('python3', ['-c', MAKE, dir]);
  const path = join(dir, 'd');
  const listed = (await daemon.inject({ url: '/v2/fs/list', query: { path, recursive: 'true' } })).json();
  expect(listed.data).toMatchObject({ truncated: true, cursor: null, unreadable_count: 1 });
  expect(listed.data.total_count).toBeGreaterThan(1900);
  expect(listed.hint).toContain('1 (ENAMETOOLONG: the path is too long)');
  const v1 = (await daemon.post('/v1/file/list', { path, recursive: true })).json();
  expect(v1.data).toMatchObject({ truncated: true, unreadable_count: 1 });

  for (const pattern of ['needle', '**/needle']) {
    const found = await get(daemon, 'search', { path, pattern });
    expect(found).toMatchObject({ files: [], truncated: true, unreadable_count: 1 });
  }
  const grep = await daemon.post('/v2/fs/grep', { path, pattern: 'needle' });
  expect(grep.json().data).toMatchObject({ match_count: 0, truncated: true, unreadable_count: 1 });
  expect(grep.json().hint).toContain('ENAMETOOLONG');
  const glob = (await daemon.post('/v1/file/glob', { path, pattern: '**/needle' })).json();
  expect(glob.data).toMatchObject({ total_count: 0, truncated: true, unreadable_count: 1 });

  const copied = await daemon.post('/v2/fs/copy', { source: path, destination: join(dir, 'e') });
  expect([copied.statusCode, copied.json().data.errno_name]).toEqual([400, 'ENAMETOOLONG']);
  expect(existsSync(join(dir, 'e'))).toBe(false);
  expect((await daemon.post('/v2/fs/delete', { path, recursive: true })).statusCode).toBe(200);
});

test('[fs.incomplete] an export of such a tree is a whole archive that says how much it left out', async ({
  daemon,
  dir,
}) => {
  execFileSync('python3', ['-c', MAKE, dir]);
  writeFileSync(join(dir, 'after'), 'the end');
  for (const encoding of ['identity', 'gzip']) {
    const answer = await daemon.inject({
      url: '/v2/fs/tree',
      query: { path: dir },
      headers: { 'accept-encoding': encoding },
    });
    expect(answer.statusCode).toBe(200);
    const bytes = encoding === 'gzip' ? gunzipSync(answer.rawPayload) : answer.rawPayload;
    const file = join(dir, `${encoding}.tar`);
    writeFileSync(file, bytes);
    const names = execFileSync('tar', ['tf', file], { maxBuffer: 16 * 1024 ** 2 })
      .toString()
      .split('\n');
    expect(names).toContain('after');
    expect(names.length).toBeGreaterThan(1900);
    expect(bytes.includes('comment=left out because their paths are too long: 1 entries\n')).toBe(true);
    const imported = await daemon.inject({
      method: 'PUT',
      url: '/v2/fs/tree',
      query: { path: join(dir, `${encoding}-imported`) },
      headers: { 'content-type': 'application/x-tar' },
      payload: bytes,
    });
    expect(imported.json()).toMatchObject({ success: true, data: { entries: expect.any(Number) } });
    rmSync(file);
    rmSync(join(dir, `${encoding}-imported`), { recursive: true });
  }
  expect((await daemon.post('/v2/fs/delete', { path: join(dir, 'd'), recursive: true })).statusCode).toBe(200);
});

test('[fs.incomplete] an archive with names longer than a path is refused whole', async ({ daemon, dir }) => {
  const payload = archive({ type: 'L', name: 'x', body: `${'d/'.repeat(3000)}needle` }, { name: 'f', body: 'x' });
  const path = join(dir, 'target');
  const answer = await daemon.inject({
    method: 'PUT',
    url: '/v2/fs/tree',
    query: { path },
    headers: { 'content-type': 'application/x-tar' },
    payload,
  });
  expect([answer.statusCode, existsSync(path)]).toEqual([400, false]);
});
