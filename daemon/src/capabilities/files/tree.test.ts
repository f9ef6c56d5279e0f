import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { BLOCK } from '../../core/files/tar/tar-header.ts';
import { describe, expect, test } from './files.fixture.ts';
import { archive, exported, imported, TREE } from './tree.fixture.ts';

const AS_THEY_WERE = { keep_owners: 'true' };

/** A tree with whatever a tree may have. */
function makeTree(root: string): void {
  mkdirSync(join(root, 'deep/er'), { recursive: true });
  writeFileSync(join(root, 'a.txt'), 'a');
  writeFileSync(join(root, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(root, 'secret'), 'x', { mode: 0o600 });
  writeFileSync(join(root, 'empty'), '');
  writeFileSync(join(root, 'block'), 'x'.repeat(BLOCK));
  writeFileSync(join(root, 'big'), Buffer.alloc(2_000_001, 'abc'));
  linkSync(join(root, 'a.txt'), join(root, 'deep/same'));
  symlinkSync('../a.txt', join(root, 'deep/link'));
  symlinkSync('nowhere', join(root, 'dangling'));
  writeFileSync(join(root, 'deep/er', 'n'.repeat(200)), 'long');
  symlinkSync('t'.repeat(180), join(root, 'longlink'));
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xff])]), 'bytes');
  mkdirSync(join(root, 'locked'));
  writeFileSync(join(root, 'locked/in'), 'x');
  chmodSync(join(root, 'locked'), 0o555);
  utimesSync(join(root, 'a.txt'), 1_000_000_000, 1_000_000_000);
  chmodSync(root, 0o750);
}

/** What GNU find tells of a tree: names, types, modes, sizes, links, owners, times. */
function described(root: string): string[] {
  const output = execFileSync('find', ['.', '-printf', '%p %y %m %l %u %g %T@ %n\\n'], {
    cwd: root,
    encoding: 'latin1',
  });
  return output
    .trim()
    .split('\n')
    .map((line) => line.replace(/(\d{9,})\.\d+/, '$1'))
    .sort();
}

describe('export and import', () => {
  test('[fs.tree-export] [fs.tree-import] a tree comes back as it was', async ({ daemon, dir }) => {
    const [from, to] = [join(dir, 'from'), join(dir, 'new/to')];
    mkdirSync(from);
    makeTree(from);
    const tar = await exported(daemon, from);
    const answer = await imported(daemon, to, tar, AS_THEY_WERE);
    expect(answer.json().data).toMatchObject({ path: to, mode: 'rename', skipped_count: 0, skipped: [] });
    expect(described(to)).toEqual(described(from));
    execFileSync('diff', ['-r', '--no-dereference', from, to]);
    expect(statSync(join(to, 'a.txt')).ino).toBe(statSync(join(to, 'deep/same')).ino);
    expect(readdirSync(join(dir, 'new'))).toEqual(['to']);
  });

  test('GNU tar reads what is exported, and what it writes in each of its formats is imported', async ({
    daemon,
    dir,
  }) => {
    const [from, listed] = [join(dir, 'from'), join(dir, 'listed')];
    mkdirSync(from);
    makeTree(from);
    mkdirSync(listed);
    execFileSync('tar', ['-xpf', '-', '-C', listed], { input: await exported(daemon, from) });
    expect(described(listed)).toEqual(described(from));
    for (const format of ['gnu', 'pax', 'oldgnu']) {
      const tar = execFileSync('tar', ['--create', `--format=${format}`, '-C', from, '.'], { maxBuffer: 1e8 });
      const to = join(dir, format);
      expect((await imported(daemon, to, tar, AS_THEY_WERE)).statusCode).toBe(200);
      expect(described(to)).toEqual(described(from));
    }
  });

  test('[fs.tree-gzip] it is compressed where that is accepted, and taken compressed', async ({ daemon, dir }) => {
    mkdirSync(join(dir, 'from'));
    writeFileSync(join(dir, 'from/f'), 'x'.repeat(1_000_000));
    const ask = (accepts: string) =>
      daemon.inject({ url: TREE, query: { path: join(dir, 'from') }, headers: { 'accept-encoding': accepts } });
    const answer = await ask('gzip, deflate');
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(answer.rawPayload.length).toBeLessThan(50_000);
    expect((await ask('gzip;q=0, deflate')).headers['content-encoding']).toBeUndefined();
    expect((await imported(daemon, join(dir, 'to'), answer.rawPayload)).json().data).toMatchObject({
      entries: 2,
      bytes: 1_000_000,
    });
    const broken = await imported(daemon, join(dir, 'other'), answer.rawPayload.subarray(0, 500));
    expect(broken.statusCode).toBe(400);
    expect(readdirSync(dir).sort()).toEqual(['from', 'to']);
  });

  test('[fs.tree-exclude] patterns leave names and paths out', async ({ daemon, dir }) => {
    for (const path of ['node_modules/x', 'src/node_modules/y', 'src/a.log', 'src/deep/b.log', 'src/keep.ts']) {
      mkdirSync(join(dir, path, '..'), { recursive: true });
      writeFileSync(join(dir, path), '');
    }
    const names = async (exclude: string | string[]) =>
      execFileSync('tar', ['-tf', '-'], { input: await exported(daemon, dir, { exclude }), encoding: 'utf8' })
        .trim()
        .split('\n');
    expect(await names(['node_modules', '*.log'])).toEqual(['./', 'src/', 'src/deep/', 'src/keep.ts']);
    const all = await names([]);
    expect(all).toHaveLength(10);
    expect(await names('src/**/b.log')).toEqual(all.filter((name) => name !== 'src/deep/b.log'));
    expect(await names('src/*.log')).toEqual(all.filter((name) => name !== 'src/a.log'));
  });

  test('FIFOs, sockets and devices are left out on the way out and told of on the way in', async ({ daemon, dir }) => {
    mkdirSync(join(dir, 'from'));
    execFileSync('mkfifo', [join(dir, 'from/fifo')]);
    const server = createServer().listen(join(dir, 'from/socket'));
    await once(server, 'listening');
    const tar = await exported(daemon, join(dir, 'from'));
    server.close();
    expect((await imported(daemon, join(dir, 'to'), tar)).json().data.entries).toBe(1);
    const special = archive(
      { type: '6', name: 'fifo' },
      { type: '3', name: 'device' },
      { type: 'Z', name: 'z', body: 'skipped' },
      { name: 'f', body: 'x' },
    );
    expect((await imported(daemon, join(dir, 'to'), special)).json().data).toMatchObject({
      mode: 'merge',
      skipped_count: 3,
      skipped: [
        { name: 'fifo', type: 'FIFO' },
        { name: 'device', type: 'character device' },
        { name: 'z', type: 'type Z' },
      ],
    });
    expect(readdirSync(join(dir, 'to'))).toEqual(['f']);
  });

  test('[fs.tree-merge] into a directory that is there, entries are merged and no link in it is followed', async ({
    daemon,
    dir,
  }) => {
    const to = join(dir, 'to');
    mkdirSync(join(to, 'kept'), { recursive: true });
    mkdirSync(join(dir, 'outside'));
    writeFileSync(join(to, 'kept/old'), 'old');
    writeFileSync(join(to, 'f'), 'old');
    symlinkSync('../outside', join(to, 'link'));
    chmodSync(join(to, 'kept'), 0o711);
    const tar = archive(
      { type: '5', name: 'kept/' },
      { name: 'kept/new', body: 'new' },
      { name: 'f', body: 'new' },
      { type: '5', name: 'link/' },
      { name: 'link/in', body: 'x' },
    );
    expect((await imported(daemon, to, tar)).json().data).toMatchObject({ mode: 'merge', entries: 5 });
    expect([
      readFileSync(join(to, 'kept/old'), 'utf8'),
      readFileSync(join(to, 'kept/new'), 'utf8'),
      readFileSync(join(to, 'f'), 'utf8'),
    ]).toEqual(['old', 'new', 'new']);
    expect(lstatSync(join(to, 'kept')).mode & 0o777).toBe(0o711);
    expect([lstatSync(join(to, 'link')).isDirectory(), readdirSync(join(dir, 'outside'))]).toEqual([true, []]);
    expect((await imported(daemon, to, tar, { mode: 'rename' })).statusCode).toBe(409);
    const conflict = await imported(daemon, to, archive({ name: 'a', body: 'x' }, { name: 'kept', body: 'x' }));
    expect([conflict.statusCode, existsSync(join(to, 'a'))]).toEqual([400, false]);
    expect(readdirSync(dir).sort()).toEqual(['outside', 'to']);
  });
});

test('what is no directory is not exported', async ({ daemon, dir }) => {
  writeFileSync(join(dir, 'f'), '');
  const ask = async (path: string) => (await daemon.inject({ url: TREE, query: { path } })).statusCode;
  expect([await ask(join(dir, 'f')), await ask(join(dir, 'none')), await ask('~no-such-account')]).toEqual([
    400, 404, 400,
  ]);
});

test('[fs.sparse] a file that says it is 10 GB is not read into memory', async ({ daemon, dir }) => {
  mkdirSync(join(dir, 'from'));
  writeFileSync(join(dir, 'from/sparse'), '');
  truncateSync(join(dir, 'from/sparse'), 10 * 1024 ** 3);
  const base = await daemon.listen();
  const gone = new AbortController();
  const answer = await fetch(`${base}${TREE}?path=${dir}/from`, {
    signal: gone.signal,
    headers: { 'accept-encoding': 'identity' },
  });
  const reader = answer.body?.getReader();
  expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
  gone.abort();
  await expect(reader?.read()).rejects.toThrow('abort');
});
