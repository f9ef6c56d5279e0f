import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How many tests there are, by vitest project and, as `image`, of those that run in the image too. */
export type TestCounts = Readonly<Record<string, number>>;

export const TEST_COUNTS_FILE = 'scripts/testing/test-counts.json';

export const TEST_COUNTS: TestCounts = JSON.parse(readFileSync(join(import.meta.dirname, 'test-counts.json'), 'utf8'));

/** Faults in the number of found tests, and the lines to write if there are more. */
export function compareCount(
  name: string,
  found: number,
  counts: TestCounts = TEST_COUNTS,
): { readonly failures: string[]; readonly notes: string[] } {
  const least = counts[name];
  const line = `${JSON.stringify(name)}: ${found}`;
  if (least === undefined) return { failures: [`${TEST_COUNTS_FILE} lacks the line ${line}`], notes: [] };
  if (found < least)
    return { failures: [`${name}: ${found} tests, and ${TEST_COUNTS_FILE} holds ${least}`], notes: [] };
  return { failures: [], notes: found > least ? [`more tests than before: write ${line} in ${TEST_COUNTS_FILE}`] : [] };
}
