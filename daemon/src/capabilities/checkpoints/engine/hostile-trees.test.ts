import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { describeTree, OWN, openEngine, TREE_PROGRAM, wholly } from './tree.fixture.ts';

const LEVELS = 20_000;

describe.runIf(TREE_PROGRAM.isThere)('hostile trees', () => {
  test('[checkpoint.hostile] links in a circle, FIFOs and a link out of the tree are kept as they are', async () => {
    await using directory = await tempDir();
    const tree = join(directory.path, 'tree');
    mkdirSync(join(tree, 'below'), { recursive: true });
    writeFileSync(join(directory.path, 'outside'), 'not of the tree');
    symlinkSync('..', join(tree, 'below/up'));
    symlinkSync(join(directory.path, 'outside'), join(tree, 'out'));
    execFileSync('mkfifo', [join(tree, 'fifo')]);
    using engine = openEngine(join(directory.path, 'store'));
    const state = describeTree(tree);
    const { id, files } = await engine.create({ ...OWN, root: Buffer.from(tree) });
    expect(files).toBe(0);
    execFileSync('rm', ['-r', join(tree, 'below'), join(tree, 'out'), join(tree, 'fifo')]);
    // What took the name of a directory of the checkpoint is not followed.
    symlinkSync(directory.path, join(tree, 'below'));
    expect((await engine.restore(wholly(id))).notRestored).toEqual([]);
    expect(describeTree(tree)).toEqual(state);
    expect(readFileSync(join(directory.path, 'outside'), 'utf8')).toBe('not of the tree');
  });

  test(`[checkpoint.hostile] of ${LEVELS} levels those with a path that the system takes are covered`, async () => {
    await using directory = await tempDir();
    const tree = join(directory.path, 'tree');
    mkdirSync(tree);
    const script =
      'import os,sys\nos.chdir(sys.argv[1])\nfor _ in range(int(sys.argv[2])):\n os.mkdir("d"); os.chdir("d")';
    execFileSync('python3', ['-c', script, tree, String(LEVELS)]);
    writeFileSync(join(tree, 'file'), 'kept');
    using engine = openEngine(join(directory.path, 'store'));
    const { files } = await engine.create({ ...OWN, root: Buffer.from(tree) });
    expect(files).toBe(1);
    execFileSync('rm', ['-r', tree]);
  }, 60_000);

  test('[checkpoint.hostile] a file that is written all the time is read at one moment, or reported', async () => {
    await using directory = await tempDir();
    const tree = join(directory.path, 'tree');
    mkdirSync(tree);
    const path = join(tree, 'busy');
    writeFileSync(path, Buffer.alloc(4 * 1024 ** 2, 'a'));
    const writer = openSync(path, 'r+');
    const writing = setInterval(() => writeSync(writer, Buffer.alloc(64 * 1024, 'b'), 0, 64 * 1024, 0), 1);
    using engine = openEngine(join(directory.path, 'store'));
    const { leftOut } = await engine.create({ ...OWN, root: Buffer.from(tree) });
    clearInterval(writing);
    closeSync(writer);
    expect(leftOut.every(({ path: name, reason }) => name === 'busy' && reason === 'changed')).toBe(true);
  });

  test('[checkpoint.hostile] files of more bytes than can be counted are compared and listed', async () => {
    await using directory = await tempDir();
    const tree = join(directory.path, 'tree');
    mkdirSync(tree);
    // The largest that the file system has: 8 EiB on some.
    const sizes = ['9223372036854775807', '8E', '16T', '1T'];
    const makes = (size: string): boolean =>
      ['a', 'b', 'c'].every((name) => spawnSync('truncate', ['-s', size, join(tree, name)]).status === 0);
    expect(sizes.some(makes)).toBe(true);
    await using app = await TestApp.start();
    const answer = await app.post('/v2/checkpoints', { path: tree });
    expect(answer.statusCode, answer.body).toBe(200);
    execFileSync('rm', [join(tree, 'a')]);
    const diff = await app.inject(`/v2/checkpoints/${answer.json().data.id}/diff`);
    expect([diff.statusCode, diff.json().data.removed]).toEqual([200, 1]);
  });

  test('[checkpoint.hostile] data at another place of a sparse file is a change, and is restored', async () => {
    await using directory = await tempDir();
    const tree = join(directory.path, 'tree');
    mkdirSync(tree);
    const write = (seek: number): void => {
      const path = join(tree, 'holes');
      execFileSync('rm', ['-f', path]);
      execFileSync('truncate', ['-s', '1M', path]);
      const descriptor = openSync(path, 'r+');
      writeSync(descriptor, Buffer.alloc(4096, 'x'), 0, 4096, seek);
      closeSync(descriptor);
    };
    write(0);
    const state = describeTree(tree).get('holes')?.split(' ').at(-2);
    using engine = openEngine(join(directory.path, 'store'));
    const { id } = await engine.create({ ...OWN, root: Buffer.from(tree) });
    write(512 * 1024);
    const { counts } = await engine.diff({ id, to: undefined, account: undefined, maxChanges: 10 });
    expect(counts.modified).toBe(1);
    await engine.restore(wholly(id));
    expect(describeTree(tree).get('holes')?.split(' ').at(-2)).toBe(state);
  });

  test('[checkpoint.secret] a file with a credential, under any name, and the store itself are left out', async () => {
    await using directory = await tempDir();
    const tree = directory.path;
    const secret = join(tree, 'api-key');
    writeFileSync(secret, 'the-key-of-the-service');
    execFileSync('ln', [secret, join(tree, 'another-name')]);
    writeFileSync(join(tree, 'plain'), 'plain');
    using engine = openEngine(join(tree, 'store'), 1024 ** 3, [secret]);
    const { id, files } = await engine.create({ ...OWN, root: Buffer.from(tree) });
    expect(files).toBe(1);
    const { changes } = await engine.diff({ id, to: undefined, account: undefined, maxChanges: 10 });
    expect(changes).toEqual([]);
    const restored = await engine.restore(wholly(id));
    expect(restored.changeCount).toBe(0);
    expect(readFileSync(secret, 'utf8')).toBe('the-key-of-the-service');
    // 1: grep has found nothing.
    expect(spawnSync('grep', ['-rq', 'the-key-of-the-service', join(tree, 'store')]).status).toBe(1);
  });

  test('[checkpoint.ceiling] a store that is full refuses, keeps what it has and leaves nothing behind', async () => {
    await using directory = await tempDir();
    const tree = join(directory.path, 'tree');
    mkdirSync(tree);
    writeFileSync(join(tree, 'small'), 'small');
    using engine = openEngine(join(directory.path, 'store'), 3 * 1024 ** 2);
    const { id } = await engine.create({ ...OWN, root: Buffer.from(tree) });
    const bytes = engine.bytes;
    writeFileSync(join(tree, 'large'), Buffer.alloc(8 * 1024 ** 2, 'x'));
    await expect(engine.create({ ...OWN, root: Buffer.from(tree) })).rejects.toMatchObject({ kind: 'capacity' });
    expect(engine.bytes).toBe(bytes);
    expect(engine.records.map((record) => record.id)).toEqual([id]);
    const { changes } = await engine.diff({ id, to: undefined, account: undefined, maxChanges: 10 });
    expect(changes.map(({ type, path }) => [type, path])).toEqual([['added', 'large']]);
  });
});
