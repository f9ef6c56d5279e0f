import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { TEST_COUNTS_FILE, type TestCounts } from '../testing/test-counts.ts';

const REASON = /^Test-count: \S/m;

/** Commits that lowered a number of the table of test counts without a reason in their body, as `hash what`. */
export async function loweredCounts(repository: string): Promise<string[]> {
  const git = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)('git', args, { cwd: repository, maxBuffer: 64 * 1024 ** 2 })).stdout;
  const countsAt = async (commit: string): Promise<TestCounts> => {
    const isThere = (await git('ls-tree', commit, '--', TEST_COUNTS_FILE)) !== '';
    return isThere ? (JSON.parse(await git('show', `${commit}:${TEST_COUNTS_FILE}`)) as TestCounts) : {};
  };
  const log = await git('log', '--full-history', '--format=%H %P', '--', TEST_COUNTS_FILE);
  const faults: string[] = [];
  for (const line of log.split('\n').filter((each) => each !== '')) {
    const [commit = '', ...parents] = line.trim().split(' ');
    const [after, before] = [await countsAt(commit), await Promise.all(parents.map(countsAt))];
    const lowered = loweredNames(after, before);
    if (lowered.length === 0 || REASON.test(await git('show', '--no-patch', '--format=%b', commit))) continue;
    faults.push(`${commit} lowered ${lowered.join(', ')} without a line "Test-count: <reason>"`);
  }
  return faults;
}

/** Names with a lower number than in every parent: a merge may take the number of a side that gave its reason. */
function loweredNames(after: TestCounts, before: readonly TestCounts[]): string[] {
  const [first = {}, ...others] = before;
  return Object.keys(first).filter((name) =>
    [first, ...others].every((counts) => (counts[name] ?? 0) > (after[name] ?? 0)),
  );
}
