import { readFile } from 'node:fs/promises';

/** What became of the tests of a step. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  /** Titles of tests that did not run. */
  readonly leftOut: readonly string[];
}

/** The part of vitest's JSON report that is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/**
 * Counts the tests in a vitest report. A file that could not be loaded counts as one failed test; so does a run that
 * failed, or wrote no report, without a failed test (a coverage floor, a crash).
 */
export async function tallyOf(reportFile: string, succeeded: boolean): Promise<Tally> {
  const report = await readReport(reportFile);
  if (!report) return { passed: 0, failed: 1, leftOut: [] };
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = report.numFailedTests + unloaded;
  const leftOut = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== 'passed' && status !== 'failed')
      .map(({ fullName, status }) => `${fullName} (${status})`),
  );
  return { passed: report.numPassedTests, failed: succeeded ? failed : Math.max(failed, 1), leftOut };
}

async function readReport(file: string): Promise<Report | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}
