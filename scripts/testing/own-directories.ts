import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const IN_MEMORY = '/dev/shm';
/** Tests write files of 2 GB, two of them at a time. */
const ROOM_BYTES = 8 * 1024 ** 3;

/**
 * vitest runs this before the tests, and their processes inherit the environment: their home is a private directory
 * without start-up files, which could take time or a lock, and without a shell history to write to. Temporary files are
 * kept in memory if there is room: ext4 does not use a deleted inode again for minutes, so that after tests with
 * thousands of files it searches for a free one for milliseconds, at each file.
 */
export async function setup(): Promise<() => Promise<void>> {
  const place = (await hasRoomInMemory()) ? IN_MEMORY : tmpdir();
  const [temporary, home] = [await mkdtemp(join(place, 'sandbox-tests-')), await mkdtemp(join(place, 'sandbox-home-'))];
  await chmod(temporary, 0o1777);
  process.env['TMPDIR'] = temporary;
  process.env['HOME'] = home;
  return async () => {
    for (const path of [temporary, home]) await rm(path, { recursive: true, force: true, maxRetries: 5 });
  };
}

async function hasRoomInMemory(): Promise<boolean> {
  try {
    const mounts = await readFile('/proc/self/mounts', 'utf8');
    const [, type = '', options = ''] = new RegExp(`^\\S+ ${IN_MEMORY} (\\S+) (\\S+)`, 'm').exec(mounts) ?? [];
    if (type !== 'tmpfs' || options.split(',').includes('noexec')) return false;
    const { bavail, bsize } = await statfs(IN_MEMORY);
    return Math.min(bavail * bsize, process.availableMemory()) >= ROOM_BYTES;
  } catch {
    return false;
  }
}
