import { readFile } from 'node:fs/promises';

/** The report of the tests that run in the image, from the root of the repository. */
export const IMAGE_REPORT = 'dist/e2e-reports/image.json';

/** The result of one test. */
export interface TestOutcome {
  readonly project: string;
  /** Path from the root of the run. */
  readonly file: string;
  /** Titles of the groups around it, outermost first, and its own. */
  readonly titles: readonly string[];
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
  /** Skipped because the machine lacks this. */
  readonly lacks?: string;
  /** Undefined for a test that did not run. */
  readonly milliseconds?: number;
}

/** The report of a vitest run for later checks. */
export interface RunReport {
  readonly tests: readonly TestOutcome[];
  /** One line per failure: tests, files, unexpected skips. */
  readonly failures: readonly string[];
}

/** `file > group > title`, the name of a test in reports and in the list of expected skips. */
export function nameOf({ file, titles }: Pick<TestOutcome, 'file' | 'titles'>): string {
  return [file, ...titles].join(' > ');
}

/** The report in a file; undefined if the run wrote none. */
export async function readRunReport(file: string): Promise<RunReport | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as RunReport;
  } catch {
    return undefined;
  }
}
