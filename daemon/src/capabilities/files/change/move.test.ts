import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { mayMount } from '../../../../../scripts/testing/may-mount.ts';
import { describe, expect, post, read, refused, test, tree } from '../files.fixture.ts';

if (!mayMount)
  process.stdout.write(
    'left out: full disks, mount points and borders of file systems need root on Linux, outside a container\n',
  );

describe('mkdir', () => {
  test('[fs.mkdir] it makes one directory, or with parents what is missing', async ({ daemon, dir }) => {
    expect(await post(daemon, 'mkdir', { path: join(dir, 'a') })).toEqual({ path: join(dir, 'a') });
    expect(await refused(daemon, 'mkdir', { path: join(dir, 'a') })).toEqual({ status: 409, type: 'already_exists' });
    expect(await refused(daemon, 'mkdir', { path: join(dir, 'b/c') })).toEqual({ status: 404, type: 'not_found' });
    await post(daemon, 'mkdir', { path: join(dir, 'b/c/'), parents: true });
    await post(daemon, 'mkdir', { path: join(dir, 'b/c'), parents: true });
    writeFileSync(join(dir, 'f'), '');
    expect(await refused(daemon, 'mkdir', { path: join(dir, 'f'), parents: true })).toEqual({
      status: 409,
      type: 'already_exists',
    });
  });
});

describe('delete', () => {
  test('[fs.delete] files, links and empty directories; more only with recursive', async ({ daemon, dir }) => {
    tree(join(dir, 't'));
    symlinkSync('t', join(dir, 'link'));
    await post(daemon, 'delete', { path: join(dir, 'link'), recursive: true });
    expect(existsSync(join(dir, 't/f'))).toBe(true);
    expect(await refused(daemon, 'delete', { path: join(dir, 't') })).toEqual({ status: 409, type: 'already_exists' });
    await post(daemon, 'delete', { path: join(dir, 't/sub/link') });
    expect(existsSync(join(dir, 't/f'))).toBe(true);
    await post(daemon, 'delete', { path: `${dir}/t/`, recursive: true });
    expect(readdirSync(dir)).toEqual([]);
    expect(await refused(daemon, 'delete', { path: join(dir, 't'), recursive: true })).toEqual({
      status: 404,
      type: 'not_found',
    });
    for (const path of ['/', '//', `${dir}/.`, `${dir}/..`]) {
      expect(await refused(daemon, 'delete', { path, recursive: true })).toEqual({ status: 400, type: 'bad_request' });
    }
  });

  test('a tree 300 directories deep with names that are not UTF-8', async ({ daemon, dir }) => {
    const deep = Buffer.concat([
      Buffer.from(`${dir}/t`),
      ...Array.from({ length: 300 }, () => Buffer.from([0x2f, 0xff, 0x61])),
    ]);
    mkdirSync(deep, { recursive: true });
    writeFileSync(Buffer.concat([deep, Buffer.from('/f')]), '');
    await post(daemon, 'delete', { path: join(dir, 't'), recursive: true });
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('copy', () => {
  test('[fs.copy] files and trees with their modes, links as links; parents are made', async ({ daemon, dir }) => {
    tree(join(dir, 't'));
    chmodSync(join(dir, 't'), 0o555);
    expect(await post(daemon, 'copy', { source: join(dir, 't'), destination: join(dir, 'new/c/') })).toEqual({
      source: join(dir, 't'),
      destination: `${dir}/new/c/`,
      skipped: 0,
    });
    chmodSync(join(dir, 't'), 0o755);
    const copy = join(dir, 'new/c');
    expect([read(join(copy, 'f')), read(join(copy, 'sub/g')), readlinkSync(join(copy, 'sub/link'))]).toEqual([
      'f',
      'g',
      '../f',
    ]);
    expect([statSync(copy).mode & 0o777, statSync(join(copy, 'f')).mode & 0o777]).toEqual([0o555, 0o640]);
    symlinkSync('t/f', join(dir, 'link'));
    await post(daemon, 'copy', { source: join(dir, 'link'), destination: join(dir, 'file') });
    expect([lstatSync(join(dir, 'file')).isFile(), read(join(dir, 'file'))]).toEqual([true, 'f']);
    expect(readdirSync(dir).sort()).toEqual(['file', 'link', 'new', 't']);
  });

  test('FIFOs and sockets in a tree are left out and counted; alone they are refused', async ({ daemon, dir }) => {
    tree(join(dir, 't'));
    execFileSync('mkfifo', [join(dir, 't/fifo')]);
    expect((await post(daemon, 'copy', { source: join(dir, 't'), destination: join(dir, 'c') })).skipped).toBe(1);
    expect(await refused(daemon, 'copy', { source: join(dir, 't/fifo'), destination: join(dir, 'x') })).toEqual({
      status: 400,
      type: 'invalid_target',
    });
    expect(readdirSync(dir).sort()).toEqual(['c', 't']);
  });
});

describe('move', () => {
  test('[fs.move] files, links and trees keep what they are', async ({ daemon, dir }) => {
    tree(join(dir, 't'));
    const { ino } = statSync(join(dir, 't/f'));
    await post(daemon, 'move', { source: join(dir, 't'), destination: join(dir, 'new/m') });
    expect([existsSync(join(dir, 't')), statSync(join(dir, 'new/m/f')).ino]).toEqual([false, ino]);
    await post(daemon, 'move', { source: join(dir, 'new/m/sub/link'), destination: join(dir, 'l') });
    await post(daemon, 'move', { source: join(dir, 'new/m/f'), destination: join(dir, 'f') });
    expect([readlinkSync(join(dir, 'l')), statSync(join(dir, 'f')).ino, statSync(join(dir, 'f')).nlink]).toEqual([
      '../f',
      ino,
      1,
    ]);
  });

  test.runIf(mayMount)(
    '[fs.move-exdev] over a border of file systems it is copied whole, then removed',
    async ({ daemon, dir }) => {
      mkdirSync(join(dir, 'disk'));
      execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(dir, 'disk')]);
      try {
        tree(join(dir, 't'));
        execFileSync('chown', ['-hR', 'nobody', join(dir, 't/sub')]);
        await post(daemon, 'move', { source: join(dir, 't'), destination: join(dir, 'disk/deep/m') });
        const moved = join(dir, 'disk/deep/m');
        expect([existsSync(join(dir, 't')), read(join(moved, 'f')), readlinkSync(join(moved, 'sub/link'))]).toEqual([
          false,
          'f',
          '../f',
        ]);
        expect([statSync(join(moved, 'f')).mtimeMs, statSync(join(moved, 'sub')).uid]).toEqual([1e12, 65534]);
        writeFileSync(join(dir, 'f'), 'new');
        await post(daemon, 'move', { source: join(dir, 'f'), destination: join(moved, 'f'), overwrite: true });
        expect([existsSync(join(dir, 'f')), read(join(moved, 'f')), readdirSync(moved).sort()]).toEqual([
          false,
          'new',
          ['f', 'sub'],
        ]);
      } finally {
        execFileSync('umount', ['-l', join(dir, 'disk')]);
      }
    },
  );

  test.runIf(mayMount)(
    '[fs.move-exdev] links go over a border too, and what has two names stays one file',
    async ({ daemon, dir }) => {
      mkdirSync(join(dir, 'disk'));
      execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(dir, 'disk')]);
      try {
        tree(join(dir, 't'));
        linkSync(join(dir, 't/f'), join(dir, 't/sub/same'));
        await post(daemon, 'move', { source: join(dir, 't/sub/link'), destination: join(dir, 'disk/link') });
        expect([readlinkSync(join(dir, 'disk/link')), existsSync(join(dir, 't/sub/link'))]).toEqual(['../f', false]);
        await post(daemon, 'move', { source: join(dir, 't'), destination: join(dir, 'disk/m') });
        const [first, second] = [statSync(join(dir, 'disk/m/f')), statSync(join(dir, 'disk/m/sub/same'))];
        expect([first.ino, first.nlink]).toEqual([second.ino, 2]);
      } finally {
        execFileSync('umount', ['-l', join(dir, 'disk')]);
      }
    },
  );
});

describe.each(['copy', 'move'] as const)('%s onto something', (route) => {
  test('[fs.overwrite] an existing destination needs overwrite, which replaces it', async ({ daemon, dir }) => {
    const [source, destination] = [join(dir, 's'), join(dir, 'd')];
    writeFileSync(source, 'new');
    writeFileSync(destination, 'old');
    const answer = await daemon.post(`/v2/fs/${route}`, { source, destination });
    expect([answer.statusCode, answer.json().data.error_type, answer.json().hint]).toEqual([
      409,
      'already_exists',
      'remove it first, or set overwrite',
    ]);
    expect(read(destination)).toBe('old');
    await post(daemon, route, { source, destination, overwrite: true });
    expect([read(destination), existsSync(source)]).toEqual(['new', route === 'copy']);
    mkdirSync(join(dir, 'from'));
    writeFileSync(join(dir, 'from/a'), '');
    mkdirSync(join(dir, 'to'));
    writeFileSync(join(dir, 'to/b'), '');
    expect(await refused(daemon, route, { source: join(dir, 'from'), destination: join(dir, 'to') })).toEqual({
      status: 409,
      type: 'already_exists',
    });
    await post(daemon, route, { source: join(dir, 'from'), destination: join(dir, 'to'), overwrite: true });
    expect(readdirSync(join(dir, 'to'))).toEqual(['a']);
    expect(readdirSync(dir).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('a file and a directory do not replace each other, nothing goes into itself', async ({ daemon, dir }) => {
    tree(join(dir, 't'));
    writeFileSync(join(dir, 'f'), '');
    const ask = (source: string, destination: string) =>
      refused(daemon, route, { source: join(dir, source), destination: join(dir, destination), overwrite: true });
    expect(await ask('f', 't')).toEqual({ status: 400, type: 'invalid_target' });
    expect(await ask('t', 'f')).toEqual({ status: 400, type: 'invalid_target' });
    expect(await ask('t', 't/sub/in')).toEqual({ status: 400, type: 'bad_request' });
    expect(await ask('t/f', 't/f')).toEqual({ status: 400, type: 'bad_request' });
    linkSync(join(dir, 'f'), join(dir, 'same'));
    symlinkSync('f', join(dir, 'alias'));
    expect(await ask('f', 'alias')).toEqual({ status: 400, type: 'bad_request' });
    expect(await ask('none', 'x')).toEqual({ status: 404, type: 'not_found' });
    expect(readdirSync(dir).sort()).toEqual(['alias', 'f', 'same', 't']);
  });

  test('a path that is left out is named', async ({ daemon }) => {
    const answer = await daemon.post(`/v2/fs/${route}`, { source: '/tmp' });
    expect([answer.statusCode, answer.json().errors[0].location]).toEqual([422, ['body', 'destination']]);
  });
});
