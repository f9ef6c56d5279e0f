import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, failure, get, post, test } from '../files.fixture.ts';

describe('stat', () => {
  test('[fs.stat] it tells all of a file', async ({ daemon, dir }) => {
    const path = join(dir, 'a.PNG');
    writeFileSync(path, 'xyz', { mode: 0o640 });
    chmodSync(path, 0o640);
    expect(await get(daemon, 'stat', { path })).toMatchObject({
      path,
      type: 'file',
      size: 3,
      permissions: '-rw-r-----',
      mode: '0640',
      is_directory: false,
      is_symlink: false,
      modified_time: expect.stringMatching(/^\d{4}-.*Z$/),
      uid: process.getuid?.(),
      gid: process.getgid?.(),
      user: expect.any(String),
      group: expect.any(String),
      inode: expect.any(Number),
      etag: expect.any(String),
      mime_type: 'image/png',
      symlink_target: null,
    });
    expect(await get(daemon, 'stat', { path: dir })).toMatchObject({
      is_directory: true,
      type: 'directory',
      mime_type: 'inode/directory',
    });
    expect(await get(daemon, 'stat', { path: '/dev/null' })).toMatchObject({
      type: 'character device',
      permissions: 'crw-rw-rw-',
    });
    expect(await get(daemon, 'stat', { path: '/tmp' })).toMatchObject({ permissions: expect.stringMatching(/t$/) });
  });

  test('[fs.stat-links] links are followed unless that is not wanted', async ({ daemon, dir }) => {
    writeFileSync(join(dir, 'f'), 'xyz');
    symlinkSync('f', join(dir, 'link'));
    symlinkSync('nowhere', join(dir, 'dangling'));
    const path = join(dir, 'link');
    expect(await get(daemon, 'stat', { path })).toMatchObject({
      size: 3,
      type: 'file',
      is_symlink: true,
      symlink_target: 'f',
    });
    expect(await get(daemon, 'stat', { path, follow_symlinks: 'false' })).toMatchObject({ size: 1, type: 'symlink' });
    const dangling = join(dir, 'dangling');
    expect(await failure(daemon.inject({ url: '/v2/fs/stat', query: { path: dangling } }))).toEqual({
      status: 404,
      type: 'not_found',
    });
    expect((await get(daemon, 'stat', { path: dangling, follow_symlinks: 'false' })).symlink_target).toBe('nowhere');
  });
});

describe('list', () => {
  test('[fs.list] entries come by name, with counts', async ({ daemon, dir }) => {
    mkdirSync(join(dir, 'sub.d'));
    writeFileSync(join(dir, 'sub.d/in.txt'), '');
    writeFileSync(join(dir, '.hidden'), '');
    writeFileSync(join(dir, 'a.tar.gz'), 'xyz');
    symlinkSync('sub.d', join(dir, 'link'));
    symlinkSync('nowhere', join(dir, 'dangling'));
    const list = await get(daemon, 'list', { path: `${dir}/` });
    expect(list.files.map(({ name }: { name: string }) => name)).toEqual([
      '.hidden',
      'a.tar.gz',
      'dangling',
      'link',
      'sub.d',
    ]);
    expect(list).toMatchObject({ total_count: 5, file_count: 3, directory_count: 2, truncated: false, cursor: null });
    expect(list.files[1]).toEqual({
      name: 'a.tar.gz',
      path: join(dir, 'a.tar.gz'),
      is_directory: false,
      is_symlink: false,
      is_hidden: false,
      size: 3,
      extension: '.gz',
      modified_time: expect.stringMatching(/Z$/),
      permissions: expect.stringMatching(/^-rw/),
    });
    expect(list.files[0]).toMatchObject({ is_hidden: true, extension: null });
    expect(list.files[3]).toMatchObject({ is_symlink: true, is_directory: true });
    const names = async (query: object) =>
      (await get(daemon, 'list', { path: dir, ...query })).files.map(({ path }: { path: string }) =>
        path.slice(dir.length + 1),
      );
    expect(await names({ show_hidden: 'false' })).toEqual(['a.tar.gz', 'dangling', 'link', 'sub.d']);
    expect(await names({ recursive: 'true' })).toEqual([
      '.hidden',
      'a.tar.gz',
      'dangling',
      'link',
      'sub.d',
      'sub.d/in.txt',
    ]);
    const topmost = ['.hidden', 'a.tar.gz', 'dangling', 'link', 'sub.d'];
    expect(await names({ recursive: 'true', max_depth: '1' })).toEqual(topmost);
  });

  test('[fs.list-cursor] a cursor goes on where the list ended, whatever was deleted meanwhile', async ({
    daemon,
    dir,
  }) => {
    for (const path of ['a', 'b/c/d', 'b/e', 'f']) {
      mkdirSync(join(dir, path, '..'), { recursive: true });
      writeFileSync(join(dir, path), '');
    }
    const page = async (cursor?: string): Promise<[names: string[], cursor: string]> => {
      const list = await get(daemon, 'list', { path: dir, recursive: 'true', limit: '2', ...(cursor && { cursor }) });
      expect(list.truncated).toBe(list.cursor !== null);
      return [list.files.map(({ path }: { path: string }) => path.slice(dir.length + 1)), list.cursor];
    };
    const [first, afterFirst] = await page();
    await post(daemon, 'delete', { path: join(dir, 'a') });
    const [second, afterSecond] = await page(afterFirst);
    // The entry that the cursor names, with what is above it.
    await post(daemon, 'delete', { path: join(dir, 'b/c'), recursive: true });
    const [last, end] = await page(afterSecond);
    expect([first, second, last, end]).toEqual([['a', 'b'], ['b/c', 'b/c/d'], ['b/e', 'f'], null]);
    expect((await daemon.inject({ url: '/v2/fs/list', query: { path: dir, cursor: '%' } })).statusCode).toBe(400);
  });

  test('[fs.list-cap] at most 10,000 entries, and then it says so', async ({ daemon, dir }) => {
    writeFileSync(join(dir, 'f0'), '');
    // A further name is made faster than a further file.
    for (let at = 1; at < 10_001; at += 1) linkSync(join(dir, 'f0'), join(dir, `f${at}`));
    const list = await get(daemon, 'list', { path: dir });
    expect([list.files.length, list.total_count, list.truncated]).toEqual([10_000, 10_000, true]);
    expect((await get(daemon, 'list', { path: dir, cursor: list.cursor })).files).toHaveLength(1);
    expect((await daemon.inject({ url: '/v2/fs/list', query: { path: dir, limit: '10001' } })).statusCode).toBe(422);
  });

  test('what cannot be listed', async ({ daemon, dir }) => {
    writeFileSync(join(dir, 'f'), '');
    const ask = (path: string) => failure(daemon.inject({ url: '/v2/fs/list', query: { path } }));
    expect(await ask(join(dir, 'f'))).toEqual({ status: 400, type: 'invalid_target' });
    expect(await ask(join(dir, 'none'))).toEqual({ status: 404, type: 'not_found' });
    symlinkSync('loop', join(dir, 'loop'));
    expect((await get(daemon, 'list', { path: dir, recursive: 'true' })).total_count).toBe(2);
  });
});
