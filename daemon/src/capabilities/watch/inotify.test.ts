import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bytesOf } from '../../core/files/byte-name.ts';
import { watchProgram } from '../../core/process/keeper/keeper-program.ts';
import { hasInotify, inotify, Watching } from './watching.fixture.ts';

describe.runIf(hasInotify)('by inotify', () => {
  test('[watch.rename] both names of a rename are one event, also between directories', async () => {
    await using watching = new Watching();
    mkdirSync(watching.path('x/deep'), { recursive: true });
    writeFileSync(watching.path('a'), '');
    const watcher = await watching.watch();
    renameSync(watching.path('a'), watching.path('b'));
    renameSync(watching.path('b'), watching.path('x/c'));
    expect(await watching.until(watcher, 'rename b > x/c')).toEqual(['rename a > b', 'rename b > x/c']);
    renameSync(watching.path('x'), watching.path('y'));
    expect(await watching.until(watcher, 'rename x > y')).toEqual(['rename x > y']);
    writeFileSync(watching.path('y/deep/file'), '');
    expect(await watching.until(watcher, 'create y/deep/file')).toEqual(['create y/deep/file']);
  });

  test('a directory moved out of the tree is removed, one moved into it is created with everything in it', async () => {
    await using outside = new Watching();
    await using watching = new Watching();
    mkdirSync(outside.path('d/e'), { recursive: true });
    writeFileSync(outside.path('d/e/f'), '');
    const watcher = await watching.watch();
    renameSync(outside.path('d'), watching.path('d'));
    expect((await watching.until(watcher, 'create d/e/f')).sort()).toEqual(['create d', 'create d/e', 'create d/e/f']);
    renameSync(watching.path('d'), outside.path('d'));
    expect(await watching.until(watcher, 'remove d')).toEqual(['remove d']);
    writeFileSync(outside.path('d/e/g'), '');
    mkdirSync(watching.path('d'));
    writeFileSync(watching.path('d/h'), '');
    expect(await watching.until(watcher, 'create d/h')).toEqual(['create d', 'create d/h']);
  });

  test('[watch.event-types] a change of mode is reported', async () => {
    await using watching = new Watching();
    writeFileSync(watching.path('a'), '');
    const watcher = await watching.watch();
    chmodSync(watching.path('a'), 0o600);
    expect(await watching.until(watcher, 'chmod a')).toEqual(['chmod a']);
  });

  test('[watch.root-again] a removed root that is created again is watched again', async () => {
    await using watching = new Watching();
    mkdirSync(watching.path('p/root'), { recursive: true });
    const watcher = await watching.watch({ path: watching.path('p/root') });
    writeFileSync(watching.path('p/root/a'), '');
    await watching.until(watcher, 'create a');
    rmSync(watching.path('p'), { recursive: true });
    await watching.until(watcher, 'remove ');
    mkdirSync(watching.path('p/root/d'), { recursive: true });
    writeFileSync(watching.path('p/root/d/b'), '');
    const seen = await watching.until(watcher, 'create d/b');
    expect(seen.sort()).toEqual(['create ', 'create d', 'create d/b']);
    writeFileSync(watching.path('p/root/d/c'), '');
    expect(await watching.until(watcher, 'create d/c')).toEqual(['create d/c']);
  });

  test('after a rename of its parent the root is removed, and a new directory of its name is watched', async () => {
    await using watching = new Watching();
    mkdirSync(watching.path('p/q/root'), { recursive: true });
    mkdirSync(watching.path('n/q/root'), { recursive: true });
    const watcher = await watching.watch({ path: watching.path('p/q/root') });
    renameSync(watching.path('p'), watching.path('old'));
    await watching.until(watcher, 'remove ');
    renameSync(watching.path('n'), watching.path('p'));
    await watching.until(watcher, 'create ');
    writeFileSync(watching.path('old/q/root/old'), '');
    writeFileSync(watching.path('p/q/root/new'), '');
    const seen = await watching.until(watcher, 'create new');
    expect(seen.filter((words) => words.includes('old'))).toEqual([]);
  });

  test('a file is watched through writes, replacement and removal', async () => {
    await using watching = new Watching();
    writeFileSync(watching.path('f'), '1');
    const watcher = await watching.watch({ path: watching.path('f') });
    appendFileSync(watching.path('f'), '2');
    expect(await watching.until(watcher, 'write ')).toEqual(['write ']);
    watching.put('f', '3');
    expect(await watching.until(watcher, 'write ')).toEqual(['write ']);
    rmSync(watching.path('f'));
    expect(await watching.until(watcher, 'remove ')).toEqual(['remove ']);
    writeFileSync(watching.path('f'), '4');
    await watching.until(watcher, 'create ');
  });

  test('[watch.path-b64] names that are not UTF-8 are reported exactly', async () => {
    await using watching = new Watching();
    const watcher = await watching.watch();
    const name = Buffer.from([0x61, 0xff, 0xfe]);
    const path = Buffer.concat([Buffer.from(`${watching.directory}/`), name]);
    mkdirSync(path);
    await watching.until(watcher, 'create a\xff\xfe');
    writeFileSync(Buffer.concat([path, Buffer.from('/ä')]), '');
    const seen = await watching.until(watcher, `create a\xff\xfe/${Buffer.from('ä').toString('latin1')}`);
    expect(bytesOf(seen.at(-1)?.slice(7) ?? '')).toEqual(Buffer.concat([name, Buffer.from('/ä')]));
  });

  test('[watch.overflow] a killed reader is restarted, the loss is reported, and watching continues', async () => {
    const backend = inotify();
    await using watching = new Watching(backend);
    mkdirSync(watching.path('d'));
    const watcher = await watching.watch();
    process.kill(backend.readerPid ?? 0, 'SIGKILL');
    await watching.until(watcher, 'reader_restarted');
    writeFileSync(watching.path('d/a'), '');
    expect(await watching.until(watcher, 'create d/a')).toEqual(['create d/a']);
  });

  test('[watch.overflow] a reader that cannot be started is an error; one that cannot be restarted is tried again', async () => {
    await using watching = new Watching();
    const program = watching.path('reader');
    copyFileSync(watchProgram(undefined).path, program);
    const backend = inotify(program);
    await using again = new Watching(backend);
    const watcher = await again.watch();
    const before = backend.directories;
    renameSync(program, `${program}.away`);
    await using other = new Watching(inotify(program));
    await expect(other.watch()).rejects.toThrow('nothing can be watched');
    process.kill(backend.readerPid ?? 0, 'SIGKILL');
    await again.until(watcher, 'reader_restarted');
    renameSync(`${program}.away`, program);
    await expect.poll(() => backend.directories).toBe(before);
    writeFileSync(again.path('a'), '');
    await again.until(watcher, 'create a');
  });

  test('[watch.overflow] an overflow of the kernel queue is reported, and directories created meanwhile are watched', async () => {
    const backend = inotify();
    await using watching = new Watching(backend);
    mkdirSync(watching.path('gone/below'), { recursive: true });
    const watcher = await watching.watch();
    const queue = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'latin1'));
    process.kill(backend.readerPid ?? 0, 'SIGSTOP');
    for (let count = 0; count <= queue / 2; count += 1) {
      writeFileSync(watching.path('file'), '');
      rmSync(watching.path('file'));
    }
    rmSync(watching.path('gone'), { recursive: true });
    mkdirSync(watching.path('new/below'), { recursive: true });
    process.kill(backend.readerPid ?? 0, 'SIGCONT');
    await watching.until(watcher, 'queue_overflow');
    // The second time says that everything is watched again.
    await watching.until(watcher, 'queue_overflow');
    writeFileSync(watching.path('new/below/f'), '');
    await watching.until(watcher, 'create new/below/f');
  });

  test('watches are released, and the last release ends the reader', async () => {
    const backend = inotify();
    await using watching = new Watching(backend);
    mkdirSync(watching.path('a/b/c'), { recursive: true });
    const outer = await watching.watch();
    const before = backend.directories;
    const inner = await watching.watch({ path: watching.path('a') });
    expect(backend.directories).toBe(before);
    await watching.service.release(outer.id);
    writeFileSync(watching.path('a/b/c/f'), '');
    await watching.until(inner, 'create b/c/f');
    rmSync(watching.path('a/b/c/f'));
    rmdirSync(watching.path('a/b/c'));
    await watching.until(inner, 'remove b/c');
    await watching.service.release(inner.id);
    expect([backend.directories, backend.readerPid]).toEqual([0, undefined]);
  });
});
