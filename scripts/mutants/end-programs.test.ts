import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { tempDir } from '../testing/temp-dir.ts';
import { endProgramsBelow } from './end-programs.ts';

test.runIf(process.platform === 'linux')('programs of a directory are ended, and those of no other', async () => {
  await using mine = await tempDir();
  await using other = await tempDir();
  const [willing, stubborn, foreign] = await Promise.all(
    [mine.path, mine.path, other.path].map(async (directory, index) => {
      const program = join(directory, `shell-${index}`);
      await copyFile('/bin/sh', program);
      const child = spawn(program, ['-c', `${index === 1 ? "trap '' TERM; " : ''}echo up; read line; echo $line`]);
      await once(child.stdout, 'data');
      return child;
    }),
  );
  const ends = [willing, stubborn].map((child) => child && once(child, 'exit'));
  await endProgramsBelow(mine.path, 200);
  expect(await Promise.all(ends)).toEqual([
    [null, 'SIGTERM'],
    [null, 'SIGKILL'],
  ]);
  expect(foreign?.exitCode ?? foreign?.signalCode).toBeNull();
  foreign?.kill('SIGKILL');
});
