import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { ROOT } from '../root.ts';

/** What became of the tests of a step. */
export interface Tally {
  readonly passed: number;
  /** A line for each thing that failed. */
  readonly failures: readonly string[];
  /** Titles of tests that did not run. */
  readonly leftOut: readonly string[];
}

/** The part of vitest's JSON report that is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly testResults: readonly TestFile[];
}

interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly TestResult[];
}

interface TestResult {
  readonly status: string;
  readonly fullName: string;
  readonly failureMessages: readonly string[];
}

/**
 * Counts the tests in a vitest report. A file that could not be loaded counts as one failed test; so does a run that
 * failed, or wrote no report, without a failed test (a coverage floor, a crash).
 */
export async function tallyOf(reportFile: string, succeeded: boolean): Promise<Tally> {
  const report = await readReport(reportFile);
  if (!report) return { passed: 0, failures: ['the run ended without a report'], leftOut: [] };
  const failures = report.testResults.flatMap(failuresOf);
  const leftOut = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== 'passed' && status !== 'failed')
      .map(({ fullName, status }) => `${fullName} (${status})`),
  );
  if (!succeeded && failures.length === 0) failures.push('the run failed without a failed test: see its output above');
  return { passed: report.numPassedTests, failures, leftOut };
}

function failuresOf({ name, status, message, assertionResults }: TestFile): string[] {
  const file = relative(ROOT, name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && failed.length === 0) return [`${file}: ${firstLine(message)}`];
  return failed.map(({ fullName, failureMessages }) => `${file} > ${fullName}: ${firstLine(failureMessages[0])}`);
}

function firstLine(message = ''): string {
  return message.trim().split('\n', 1)[0] || 'no message';
}

async function readReport(file: string): Promise<Report | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}
