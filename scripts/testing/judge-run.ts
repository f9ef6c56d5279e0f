import { type ExpectedSkip, names } from './expected-skips.ts';
import type { MachineProperty } from './machine.ts';
import { nameOf, type RunReport, type TestOutcome } from './run-report.ts';
import { compareCount, type TestCounts } from './test-counts.ts';

/** A run as vitest tells of it. */
export interface FinishedRun {
  readonly tests: readonly TestOutcome[];
  /** A line for each test, file and group that failed. */
  readonly failures: readonly string[];
  /** Tests were chosen by title, line or tag: vitest counts all others as skipped. */
  readonly chosen: boolean;
  /** Projects of which every file ran. */
  readonly whole: readonly string[];
}

/** What runs are held against. */
export interface Terms {
  readonly expected: readonly ExpectedSkip[];
  readonly counts: TestCounts;
  readonly has: (property: MachineProperty) => boolean;
}

/** Adds to the failures of a run the skips that nothing excuses, and of whole projects what has gone missing. */
export function judgeRun({ tests, failures, chosen, whole }: FinishedRun, terms: Terms): RunReport {
  const judged = tests.map((test) => (test.state === 'skipped' ? { ...test, ...excuseFor(test, terms) } : test));
  const unexpected = judged.filter(({ state, lacks }) => didNotRun(state) && lacks === undefined);
  const counts = whole.map((project) =>
    compareCount(project, tests.filter((test) => test.project === project).length, terms.counts),
  );
  return {
    tests: judged,
    failures: [
      ...failures,
      ...(chosen ? [] : unexpected.map((test) => `skipped, and nothing says that it may be: ${nameOf(test)}`)),
      ...counts.flatMap((count) => count.failures),
      ...staleEntries(
        tests.filter(({ project }) => whole.includes(project)),
        terms.expected,
      ),
    ],
    notes: counts.flatMap(({ notes }) => notes),
  };
}

function didNotRun(state: TestOutcome['state']): boolean {
  return state === 'skipped' || state === 'pending';
}

function excuseFor(test: TestOutcome, { expected, has }: Terms): { readonly lacks?: MachineProperty } {
  const name = nameOf(test);
  const entry = expected.find(({ lacks, tests }) => tests.some((pattern) => names(pattern, name)) && !has(lacks));
  return entry ? { lacks: entry.lacks } : {};
}

/** Entries for files that ran which name no test in them: the test was renamed, or is gone. */
function staleEntries(tests: readonly TestOutcome[], expected: readonly ExpectedSkip[]): string[] {
  const [files, all] = [[...new Set(tests.map(({ file }) => file))], tests.map(nameOf)];
  return expected
    .flatMap((entry) => entry.tests)
    .filter((pattern) => files.some((file) => names(pattern.split(' > ', 1)[0] ?? '', file)))
    .filter((pattern) => !all.some((name) => names(pattern, name)))
    .map((pattern) => `expected to be skipped, and no such test: ${pattern}`);
}
