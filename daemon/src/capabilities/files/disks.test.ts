import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mayMount } from '../../../../scripts/testing/may-mount.ts';
import { describe, expect, post, read, refused, test, tree } from './files.fixture.ts';
import { archive, imported } from './tree.fixture.ts';

if (!mayMount)
  process.stdout.write(
    'left out: full disks, mount points and borders of file systems need root on Linux, outside a container\n',
  );

describe.runIf(mayMount)('disks', () => {
  test('[fs.full-disk] [status.disk-full-507] a full disk answers 507 and leaves no part of a file behind', async ({
    daemon,
    dir,
  }) => {
    const disk = join(dir, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
    try {
      writeFileSync(join(disk, 'old'), 'old');
      const payload = Buffer.alloc(3_000_000, 1);
      const put = await daemon.inject({
        method: 'PUT',
        url: '/v2/fs/upload',
        query: { path: join(disk, 'old') },
        payload,
      });
      expect([put.statusCode, put.json().data]).toEqual([
        507,
        expect.objectContaining({ error_type: 'no_space_left', errno_name: 'ENOSPC', operation: 'upload' }),
      ]);
      const content = payload.toString('latin1');
      expect(await refused(daemon, 'write', { path: join(disk, 'new'), content, atomic: true })).toEqual({
        status: 507,
        type: 'no_space_left',
      });
      writeFileSync(join(dir, 'big'), payload);
      expect(await refused(daemon, 'copy', { source: join(dir, 'big'), destination: join(disk, 'copy') })).toEqual({
        status: 507,
        type: 'no_space_left',
      });
      expect(await refused(daemon, 'move', { source: join(dir, 'big'), destination: join(disk, 'copy') })).toEqual({
        status: 507,
        type: 'no_space_left',
      });
      expect([readdirSync(disk), read(join(disk, 'old')), statSync(join(dir, 'big')).size]).toEqual([
        ['old'],
        'old',
        3_000_000,
      ]);
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  });

  test('[fs.atomic-mount] an atomic write or an upload onto a mount point is 409 with a hint, a plain write goes through', async ({
    daemon,
    dir,
  }) => {
    const [source, path] = [join(dir, 'source'), join(dir, 'bound')];
    writeFileSync(source, 'old');
    writeFileSync(path, '');
    execFileSync('mount', ['--bind', source, path]);
    try {
      const answer = await daemon.post('/v2/fs/write', { path, content: 'new', atomic: true });
      expect([answer.statusCode, answer.json()]).toEqual([
        409,
        expect.objectContaining({
          hint: expect.stringContaining('mount point'),
          data: expect.objectContaining({ error_type: 'already_exists', errno_name: 'EBUSY', retryable: true }),
        }),
      ]);
      expect(
        (await daemon.inject({ method: 'PUT', url: '/v2/fs/upload', query: { path }, payload: 'x' })).statusCode,
      ).toBe(409);
      expect((await daemon.post('/v2/fs/move', { source: path, destination: join(dir, 'x') })).statusCode).toBe(409);
      await post(daemon, 'write', { path, content: 'new' });
      expect([read(source), readdirSync(dir).sort()]).toEqual(['new', ['bound', 'source']]);
    } finally {
      execFileSync('umount', ['-l', path]);
    }
  });

  test('[file-error.mount-point] a mount point that is deleted, alone or in a tree, is 409', async ({
    daemon,
    dir,
  }) => {
    const disk = join(dir, 'tree', 'disk');
    mkdirSync(disk, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', disk]);
    try {
      for (const path of [disk, join(dir, 'tree')]) {
        const answer = await daemon.post('/v2/fs/delete', { path, recursive: true });
        expect([path, answer.statusCode, answer.json()]).toEqual([
          path,
          409,
          expect.objectContaining({
            hint: expect.stringContaining('mount point'),
            data: expect.objectContaining({ error_type: 'already_exists', errno_name: 'EBUSY', path }),
          }),
        ]);
      }
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  });

  test('[file-error.read-only] a file system that is mounted read-only is 403', async ({ daemon, dir }) => {
    const disk = join(dir, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', disk]);
    try {
      const wanted = { status: 403, type: 'read_only_filesystem' };
      expect(await refused(daemon, 'write', { path: join(disk, 'a/f'), content: '' })).toEqual(wanted);
      expect(await refused(daemon, 'mkdir', { path: join(disk, 'd') })).toEqual(wanted);
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  });

  test('[fs.move-layer] a directory of a lower layer, which cannot be renamed, is moved and replaced all the same', async ({
    daemon,
    dir,
  }) => {
    for (const name of ['lower', 'disk', 'merged']) mkdirSync(join(dir, name));
    tree(join(dir, 'lower/t'));
    tree(join(dir, 'lower/old'));
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(dir, 'disk')]);
    for (const name of ['upper', 'work']) mkdirSync(join(dir, 'disk', name));
    execFileSync('mount', [
      '-t',
      'overlay',
      'overlay',
      '-o',
      `redirect_dir=off,lowerdir=${dir}/lower,upperdir=${dir}/disk/upper,workdir=${dir}/disk/work`,
      join(dir, 'merged'),
    ]);
    try {
      const merged = join(dir, 'merged');
      expect(() =>
        execFileSync('python3', ['-c', `import os; os.rename('${merged}/t', '${merged}/x')`], { stdio: 'pipe' }),
      ).toThrow();
      await post(daemon, 'move', { source: join(merged, 't'), destination: join(merged, 'm') });
      await post(daemon, 'copy', { source: join(merged, 'm'), destination: join(merged, 'old'), overwrite: true });
      expect([readdirSync(merged).sort(), read(join(merged, 'm/sub/g')), read(join(merged, 'old/f'))]).toEqual([
        ['m', 'old'],
        'g',
        'f',
      ]);
    } finally {
      execFileSync('umount', ['-l', join(dir, 'merged')]);
      execFileSync('umount', ['-l', join(dir, 'disk')]);
    }
  });

  test('[fs.tree-exdev] an archive is merged into what is mounted below its target', async ({ daemon, dir }) => {
    const disk = join(dir, 'to/disk');
    mkdirSync(disk, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', disk]);
    try {
      writeFileSync(join(disk, 'f'), 'old');
      symlinkSync('f', join(disk, 'd'));
      const tar = archive(
        { name: 'disk/f', body: 'new', mode: 0o640, mtime: 1000 },
        { name: 'disk/d/deep/g', body: 'g' },
        { type: '2', name: 'disk/link', link: 'f' },
      );
      expect((await imported(daemon, join(dir, 'to'), tar)).json().data).toMatchObject({ mode: 'merge', entries: 3 });
      const { mode, mtimeMs } = statSync(join(disk, 'f'));
      expect([read(join(disk, 'f')), mode & 0o777, mtimeMs]).toEqual(['new', 0o640, 1_000_000]);
      expect([read(join(disk, 'd/deep/g')), readlinkSync(join(disk, 'link'))]).toEqual(['g', 'f']);
      expect([readdirSync(disk).sort(), readdirSync(dir)]).toEqual([['d', 'f', 'link'], ['to']]);
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  });
});
