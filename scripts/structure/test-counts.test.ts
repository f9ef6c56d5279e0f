import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { EXPECTED_SKIPS, names } from '../testing/expected-skips.ts';
import { has } from '../testing/machine.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { TEST_COUNTS_FILE, type TestCounts } from '../testing/test-counts.ts';
import { loweredCounts } from './lowered-counts.ts';
import { trackedFiles } from './tracked-files.ts';

test.runIf(has('git history'))('no commit lowered a number of tests without giving the reason', async () => {
  expect(await loweredCounts(ROOT)).toEqual([]);
});

test('every expected skip names a file that is there', async () => {
  const files = await trackedFiles();
  const stale = EXPECTED_SKIPS.flatMap(({ tests }) => tests).filter((pattern) => {
    const [file = ''] = pattern.split(' > ', 1);
    return !files.some((each) => names(file, each));
  });
  expect(stale).toEqual([]);
});

/** A repository of its own, without settings of this account. */
class Repository {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    this.git('init', '--quiet', '--initial-branch', 'main');
  }

  git(...args: string[]): string {
    const env = { PATH: process.env['PATH'], HOME: this.path, GIT_CONFIG_NOSYSTEM: '1' };
    const person = ['-c', 'user.name=a', '-c', 'user.email=a@localhost'];
    return execFileSync('git', [...person, ...args], { cwd: this.path, env, encoding: 'utf8' }).trim();
  }

  commit(counts: TestCounts, body = ''): string {
    const file = join(this.path, TEST_COUNTS_FILE);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(counts));
    this.git('add', '.');
    this.git('commit', '--quiet', '--message', `Change\n\n${body}`);
    return this.git('rev-parse', 'HEAD');
  }
}

test('a number that falls or goes needs a line with the reason; one that grows or comes does not', async () => {
  await using dir = await tempDir();
  const repository = new Repository(dir.path);
  repository.commit({ unit: 3, e2e: 2 });
  repository.commit({ unit: 4, e2e: 2, pages: 1 });
  expect(await loweredCounts(dir.path)).toEqual([]);
  repository.commit({ unit: 3, e2e: 2, pages: 1 }, 'More.\n\nTest-count: two became one');
  expect(await loweredCounts(dir.path)).toEqual([]);
  const fell = repository.commit({ unit: 2, e2e: 2, pages: 1 }, 'Test-count:\nfor no reason');
  const gone = repository.commit({ unit: 2, pages: 0 });
  expect(await loweredCounts(dir.path)).toEqual([
    `${gone} lowered e2e, pages without a line "Test-count: <reason>"`,
    `${fell} lowered unit without a line "Test-count: <reason>"`,
  ]);
});

test('a merge may take the lower number of a side, and none below both', async () => {
  await using dir = await tempDir();
  const repository = new Repository(dir.path);
  const merge = (counts: TestCounts): string => {
    repository.git('merge', '--quiet', '--no-ff', '--no-commit', '--strategy', 'ours', 'side');
    return repository.commit(counts);
  };
  repository.commit({ unit: 5 });
  repository.git('checkout', '--quiet', '-b', 'side');
  repository.commit({ unit: 3 }, 'Test-count: gone with the feature');
  repository.git('checkout', '--quiet', 'main');
  repository.commit({ unit: 6 });
  merge({ unit: 4 });
  expect(await loweredCounts(dir.path)).toEqual([]);
  repository.git('checkout', '--quiet', 'side');
  repository.commit({ unit: 7 });
  repository.git('checkout', '--quiet', 'main');
  const below = merge({ unit: 3 });
  expect(await loweredCounts(dir.path)).toEqual([`${below} lowered unit without a line "Test-count: <reason>"`]);
});
