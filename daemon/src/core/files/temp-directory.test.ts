import { chmodSync, chownSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { has } from '../../../../scripts/testing/machine.ts';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { tempDirectory } from './temp-directory.ts';

test('the next daemon finds the directory, which it alone may change, with what is in it', async () => {
  await using runtime = await tempDir();
  const first = tempDirectory('test', runtime.path);
  writeFileSync(join(first, 'kept'), '');
  chmodSync(first, 0o777);
  expect(tempDirectory('test', runtime.path)).toBe(first);
  expect(statSync(first).mode & 0o777).toBe(0o711);
  expect(statSync(join(first, 'kept')).size).toBe(0);
  rmSync(first, { recursive: true });
});

test.each([
  ['a link to a directory of its own', (path: string, other: string) => symlinkSync(other, path)],
  ['a link to nothing', (path: string, other: string) => symlinkSync(join(other, 'none'), path)],
  ['a file', (path: string) => writeFileSync(path, '')],
])('%s that stands at its name is neither used nor changed', async (_what, plant) => {
  await using runtime = await tempDir();
  await using other = await tempDir();
  const wanted = tempDirectory('test', runtime.path);
  rmSync(wanted, { recursive: true });
  plant(wanted, other.path);
  const used = tempDirectory('test', runtime.path);
  expect(used).toMatch(new RegExp(`^${wanted}-.{6}$`));
  expect(statSync(other.path).mode & 0o777).toBe(0o700);
  for (const path of [wanted, used]) rmSync(path, { recursive: true });
});

test.runIf(has('root'))('a directory of another account at its name is not used (needs root)', async () => {
  await using runtime = await tempDir();
  const wanted = tempDirectory('test', runtime.path);
  rmSync(wanted, { recursive: true });
  mkdirSync(wanted, { mode: 0o700 });
  chownSync(wanted, 1, 1);
  const used = tempDirectory('test', runtime.path);
  expect(used).not.toBe(wanted);
  expect(statSync(wanted).mode & 0o777).toBe(0o700);
  for (const path of [wanted, used]) rmSync(path, { recursive: true });
});
