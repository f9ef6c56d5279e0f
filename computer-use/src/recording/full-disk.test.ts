import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { has } from '../../../scripts/testing/machine.ts';
import { mayMount } from '../../../scripts/testing/may-mount.ts';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { TestWorker } from '../worker.fixture.ts';
import { probe } from './video.fixture.ts';

const URL = '/v2/computer/record';

if (!mayMount) {
  process.stdout.write('left out: a recording on a full disk needs root on Linux, outside a container\n');
}

test.runIf(mayMount && has('ffmpeg'))(
  '[record.full-disk] a disk that gets full ends the recording, which plays up to there; on a full one it is 507',
  async () => {
    await using directory = await tempDir();
    const disk = join(directory.path, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
    try {
      await using worker = await TestWorker.start('320x200', ['-rfbunixpath', join(directory.path, 'vnc')]);
      const record = async (body: object): Promise<unknown> => (await worker.json(200, 'POST', URL, body))['data'];
      const path = join(disk, 'day.mp4');
      const start = { action: 'start', fps: 30, save_path: path };
      await fillDisk(disk, 0);
      const refused = await worker.json(507, 'POST', URL, start);
      expect(refused).toMatchObject({ success: false, hint: expect.stringContaining('space') });
      // Nothing of it is left.
      expect(readdirSync(disk)).toEqual(['filler']);
      await fillDisk(disk, 8192);
      expect(await record(start)).toMatchObject({ status: 'recording' });
      await expect.poll(() => record({ action: 'status' })).toMatchObject({ status: 'stopped', reason: 'disk full' });
      expect((await probe(path)).frames).toBeGreaterThanOrEqual(30);
      rmSync(join(disk, 'filler'));
      expect(await record(start)).toMatchObject({ status: 'recording', reason: null });
      expect(await record({ action: 'stop' })).toMatchObject({ status: 'stopped', reason: null });
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  },
);

/** Writes a file that leaves so many bytes of the disk. */
async function fillDisk(disk: string, rest: number): Promise<void> {
  rmSync(join(disk, 'filler'), { force: true });
  const { bavail, bsize } = await statfs(disk);
  await writeFile(join(disk, 'filler'), Buffer.alloc(bavail * bsize - rest));
}
