import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempDir } from '../testing/temp-dir.ts';
import { changedTests } from './changed-tests.ts';

async function repository(path: string) {
  const git = (...args: string[]) =>
    promisify(execFile)('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: path });
  const commit = async (): Promise<void> => {
    await git('add', '-A');
    await git('commit', '-q', '-m', 'a');
  };
  await git('init', '-q', '-b', 'main');
  await mkdir(join(path, 'src'));
  for (const name of ['kept', 'edited', 'committed', 'deleted']) await writeFile(join(path, `src/${name}.test.ts`), '');
  await writeFile(join(path, '.gitignore'), 'ignored.test.ts\n');
  await commit();
  return { git, commit };
}

test('committed, uncommitted and new test files count, from the merge base with main on', async () => {
  await using dir = await tempDir();
  const { git, commit } = await repository(dir.path);
  await git('switch', '-q', '-c', 'mine');
  await writeFile(join(dir.path, 'src/committed.test.ts'), '1');
  await rm(join(dir.path, 'src/deleted.test.ts'));
  await commit();
  await git('switch', '-q', 'main');
  await writeFile(join(dir.path, 'src/kept.test.ts'), 'of others');
  await commit();
  await git('switch', '-q', 'mine');
  await writeFile(join(dir.path, 'src/edited.test.ts'), '1');
  for (const name of ['new.test.ts', 'new.ts', 'ignored.test.ts']) await writeFile(join(dir.path, name), '');
  const changed = ['new.test.ts', 'src/committed.test.ts', 'src/edited.test.ts'];
  expect(await changedTests(dir.path)).toEqual(changed);
  expect(await changedTests(dir.path, 'HEAD')).toEqual(['new.test.ts', 'src/edited.test.ts']);
  await expect(changedTests(dir.path, 'nothing')).rejects.toThrow('name another revision with --base');
});
