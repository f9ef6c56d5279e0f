import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { mayMount } from '../../../../scripts/testing/may-mount.ts';
import { SmallDisk } from '../../../../scripts/testing/small-disk.ts';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { HelperPlaces } from './helper-places.ts';

if (!mayMount) process.stdout.write('left out: a full disk needs root on Linux, outside a container, to mount one\n');

function temporary(path: string): void {
  vi.stubEnv('TMPDIR', path);
  onTestFinished(() => void vi.unstubAllEnvs());
}

function write(places: HelperPlaces, name: string, bytes = 4096): string {
  return places.place((directory) => {
    const path = join(directory, name);
    try {
      writeFileSync(path, Buffer.alloc(bytes));
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    }
    return path;
  });
}

test.runIf(mayMount)(
  '[late.full-temporary] a helper file is written beside the runtime directory while the temporary one is full',
  async () => {
    await using state = await tempDir();
    await using disk = await SmallDisk.mount(1);
    temporary(disk.path);
    const runtimeDir = join(state.path, 'run');
    mkdirSync(runtimeDir);
    using places = new HelperPlaces('test', runtimeDir);
    expect(write(places, 'a').startsWith(`${disk.path}/`)).toBe(true);
    const fill = disk.fill();
    const beside = write(places, 'b');
    expect(dirname(dirname(beside))).toBe(state.path);
    expect(statSync(dirname(beside)).mode & 0o777).toBe(0o711);
    rmSync(fill);
    expect(write(places, 'c').startsWith(`${disk.path}/`)).toBe(true);
    places[Symbol.dispose]();
    expect([readdirSync(state.path), readdirSync(disk.path)]).toEqual([['run'], []]);
  },
);

test.runIf(mayMount)(
  '[late.full-reserve] where both are on one full disk, four files have room, the next is disk_full',
  async () => {
    await using disk = await SmallDisk.mount(2);
    temporary(disk.path);
    using places = new HelperPlaces('test', join(disk.path, 'run'));
    const fill = disk.fill();
    const written = ['a', 'b', 'c', 'd'].map((name) => write(places, name, 65_536));
    for (const path of written) expect(statSync(path).size).toBe(65_536);
    expect(() => write(places, 'e', 65_536)).toThrow(
      expect.objectContaining({ kind: 'disk_full', message: `no space left in ${disk.path}` }),
    );
    rmSync(fill);
    write(places, 'f');
    disk.fill();
    expect(existsSync(write(places, 'g', 65_536))).toBe(true);
  },
);

test.runIf(mayMount)(
  '[late.full-temporary] a daemon that starts while the temporary directory is full uses the other',
  async () => {
    await using state = await tempDir();
    await using disk = await SmallDisk.mount(1);
    temporary(disk.path);
    disk.fill();
    using places = new HelperPlaces('test', join(state.path, 'run'));
    expect(write(places, 'a')).toContain(state.path);
  },
);

test('[late.removed-temporary] directories that a program has removed are made again', async () => {
  await using state = await tempDir();
  await using other = await tempDir();
  temporary(other.path);
  const runtimeDir = join(state.path, 'run');
  using places = new HelperPlaces('test', runtimeDir);
  write(places, 'a');
  const { directories } = places;
  expect(directories).toHaveLength(2);
  for (const directory of directories) rmSync(directory, { recursive: true });
  expect(places.entries()).toEqual([]);
  const path = write(places, 'b');
  expect([dirname(path), statSync(dirname(path)).mode & 0o777]).toEqual([directories[0], 0o711]);
  rmSync(dirname(path), { recursive: true });
  writeFileSync(dirname(path), 'a file in its place');
  expect(existsSync(write(places, 'c'))).toBe(true);
});
