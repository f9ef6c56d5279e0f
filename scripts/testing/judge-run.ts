import type { ExpectedSkip } from './expected-skips.ts';
import type { MachineProperty } from './machine.ts';
import { nameOf, type RunReport, type TestOutcome } from './run-report.ts';
import { names } from './skip-pattern.ts';

/** A run as vitest reports it. */
export interface FinishedRun {
  readonly tests: readonly TestOutcome[];
  /** One line per failed test, file and group. */
  readonly failures: readonly string[];
  /** Tests were selected by title, line or tag: vitest counts all others as skipped. */
  readonly chosen: boolean;
  /** Projects with all files run. */
  readonly whole: readonly string[];
  /** Test files of all projects, also of those that did not run. */
  readonly files: readonly string[];
}

/** Expectations for a run. */
export interface Terms {
  readonly expected: readonly ExpectedSkip[];
  readonly has: (property: MachineProperty) => boolean;
}

/** Adds unexpected skips to the failures of a run. */
export function judgeRun({ tests, failures, chosen, whole, files }: FinishedRun, terms: Terms): RunReport {
  const judged = tests.map((test) => (test.state === 'skipped' ? { ...test, ...excuseFor(test, terms) } : test));
  const unexpected = judged.filter(({ state, lacks }) => didNotRun(state) && lacks === undefined);
  return {
    tests: judged,
    failures: [
      ...failures,
      ...(chosen ? [] : unexpected.map((test) => `skipped, and nothing says that it may be: ${nameOf(test)}`)),
      ...staleEntries(
        tests.filter(({ project }) => whole.includes(project)),
        files,
        terms.expected,
      ),
    ],
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

/** Entries for files that all ran and have no such test: it was renamed or removed. */
function staleEntries(
  tests: readonly TestOutcome[],
  files: readonly string[],
  expected: readonly ExpectedSkip[],
): string[] {
  const [ran, all] = [new Set(tests.map(({ file }) => file)), tests.map(nameOf)];
  const known = [...new Set([...ran, ...files])];
  return expected
    .flatMap((entry) => entry.tests)
    .filter((pattern) => {
      const named = known.filter((file) => names(pattern.split(' > ', 1)[0] ?? '', file));
      return named.length > 0 && named.every((file) => ran.has(file));
    })
    .filter((pattern) => !all.some((name) => names(pattern, name)))
    .map((pattern) => `expected to be skipped, and no such test: ${pattern}`);
}
