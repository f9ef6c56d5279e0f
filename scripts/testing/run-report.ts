import { readFile } from 'node:fs/promises';

/** What became of one test. */
export interface TestOutcome {
  readonly project: string;
  /** Path from the root of the run. */
  readonly file: string;
  /** Titles of the groups around it, outermost first, and its own. */
  readonly titles: readonly string[];
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
  /** Skipped because the machine lacks this. */
  readonly lacks?: string;
}

/** What a run of vitest leaves for the checks after it. */
export interface RunReport {
  readonly tests: readonly TestOutcome[];
  /** A line for each thing that failed: tests, files, unexpected skips, too few tests. */
  readonly failures: readonly string[];
  /** What a developer may do about it, and need not. */
  readonly notes: readonly string[];
}

/** `file > group > title`, by which a test is named in reports and in the list of expected skips. */
export function nameOf({ file, titles }: Pick<TestOutcome, 'file' | 'titles'>): string {
  return [file, ...titles].join(' > ');
}

/** The report in a file; undefined where the run left none. */
export async function readRunReport(file: string): Promise<RunReport | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as RunReport;
  } catch {
    return undefined;
  }
}
