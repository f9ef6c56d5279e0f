import { nameOf, type RunReport, type TestOutcome } from '../testing/run-report.ts';

/** Results of the tests of a step. */
export interface Tally {
  readonly passed: number;
  /** One line per failure. */
  readonly failures: readonly string[];
  /** Tests that should have run and did not. */
  readonly leftOut: readonly string[];
  /** Information without effect on the result: tests that this machine cannot run. */
  readonly notes: readonly string[];
}

/** The tally of a step without tests: it counts one. */
export function tallyOfOne(failures: readonly string[]): Tally {
  return { passed: failures.length === 0 ? 1 : 0, failures, leftOut: [], notes: [] };
}

/** Counts the tests in a report. A run that failed, or left no report, without a failed test counts one failed. */
export function tallyOf(report: RunReport | undefined, succeeded: boolean): Tally {
  if (!report) return tallyOfOne(['the run ended without a report']);
  const failures = [...report.failures];
  if (!succeeded && failures.length === 0) failures.push('the run failed without a failed test: see its output above');
  return {
    passed: report.tests.filter(({ state }) => state === 'passed').length,
    failures,
    leftOut: [],
    notes: report.tests.flatMap(expectedSkip),
  };
}

function expectedSkip(test: TestOutcome): string[] {
  return test.lacks === undefined ? [] : [`skipped as expected, this machine lacks ${test.lacks}: ${nameOf(test)}`];
}
