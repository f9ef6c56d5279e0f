import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import type { Ended } from './run-within.ts';

/** What the tests said of a mutant. */
export type Verdict =
  | {
      readonly kind: 'killed';
      readonly file: string /** Undefined: the file as a whole failed. */;
      readonly test?: string;
    }
  /** The deadline passed. It counts as killed. */
  | { readonly kind: 'hung' }
  | { readonly kind: 'survived' }
  /** Nothing can be said: no test ran, or the tests fail without the mutant too. */
  | { readonly kind: 'unclear'; readonly reason: string };

/** The part of vitest's JSON report that is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly success: boolean;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly ancestorTitles: readonly string[];
      readonly title: string;
    }[];
  }[];
}

export async function verdictOf({ code, output }: Ended, reportFile: string, root: string): Promise<Verdict> {
  if (code === undefined) return { kind: 'hung' };
  const report = await readReport(reportFile);
  if (report === undefined) return { kind: 'unclear', reason: `the tests did not run: ${output.trim()}` };
  for (const { name, status, assertionResults } of report.testResults) {
    const file = relative(root, name);
    const failed = assertionResults.find((test) => test.status === 'failed');
    if (failed) return { kind: 'killed', file, test: [...failed.ancestorTitles, failed.title].join(' > ') };
    if (status === 'failed') return { kind: 'killed', file };
  }
  if (report.numPassedTests === 0) return { kind: 'unclear', reason: 'no test ran' };
  if (code === 0) return { kind: 'survived' };
  return { kind: 'unclear', reason: `the run failed without a failed test: ${output.trim()}` };
}

async function readReport(file: string): Promise<Report | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}
