import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Surface, WatchBench } from './watch-bench.fixture.ts';
import { hasInotify } from './watching.fixture.ts';

/** Seconds since 1970 in whole milliseconds, by the clock that times events. */
function now(): number {
  return Date.now() / 1000;
}

/** Tests of the fields of an event, which are the same on every surface. */
export function describeEventFields(surface: Surface): void {
  test('[watch.event-fields] times are Unix seconds with fractions; size and inode are those of the file', async () => {
    await using bench = await WatchBench.start();
    const { watcher_id } = await bench.create({}, surface);
    const path = join(bench.directory, 'file');
    const before = now();
    bench.write('file', 1_000_000_000.25);
    const { events } = await bench.poll(watcher_id, { timeout: 60 }, surface);
    const after = now();
    const timestamp = events[0]?.timestamp;
    expect(events[0]).toEqual({
      seq: 1,
      type: 'create',
      path,
      relative_path: 'file',
      old_path: null,
      is_dir: false,
      mtime: 1_000_000_000.25,
      size: 4,
      inode: statSync(path).ino,
      timestamp,
    });
    // A time in whole seconds, or of another unit, does not lie between the two.
    expect(timestamp).toBeGreaterThanOrEqual(before);
    expect(timestamp).toBeLessThanOrEqual(after);
  });

  test('[watch.event-fields] a removed file has neither time nor size; a directory has is_dir', async () => {
    await using bench = await WatchBench.start();
    bench.write('file');
    const { watcher_id } = await bench.create({}, surface);
    rmSync(join(bench.directory, 'file'));
    const gone = await bench.poll(watcher_id, { timeout: 60 }, surface);
    expect(gone.events).toMatchObject([{ type: 'remove', is_dir: false, mtime: null, size: null, inode: null }]);
    mkdirSync(join(bench.directory, 'd'));
    const { events } = await bench.poll(watcher_id, { cursor: 1, timeout: 60 }, surface);
    const { ino, mtimeMs } = statSync(join(bench.directory, 'd'));
    expect(events).toMatchObject([{ type: 'create', is_dir: true, mtime: mtimeMs / 1000, inode: ino }]);
  });

  test.runIf(hasInotify)('[watch.event-fields] [watch.rename] a rename has both paths whole', async () => {
    await using bench = await WatchBench.start();
    mkdirSync(join(bench.directory, 'd'));
    bench.write('file');
    const { watcher_id } = await bench.create({}, surface);
    renameSync(join(bench.directory, 'file'), join(bench.directory, 'd/other'));
    const { events } = await bench.poll(watcher_id, { timeout: 60 }, surface);
    expect(events).toMatchObject([
      {
        type: 'rename',
        path: join(bench.directory, 'd/other'),
        relative_path: 'd/other',
        old_path: join(bench.directory, 'file'),
        is_dir: false,
      },
    ]);
  });
}
