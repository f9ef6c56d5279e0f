import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { succeeds } from '../test-all/run-command.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { Burners } from './burners.ts';
import { FileRecords, type Report } from './file-records.ts';

export interface RepeatTerms {
  readonly root: string;
  /** Test files, relative to the root. */
  readonly files: readonly string[];
  readonly times: number;
  /** Processes beside the tests that keep a processor busy each. */
  readonly burners: number;
  /** Runs vitest. */
  readonly command: readonly string[];
  readonly say: (line: string) => void;
}

/** Runs the files again and again on a busy machine. @returns whether nothing failed */
export async function repeatTests({ root, files, times, burners, command, say }: RepeatTerms): Promise<boolean> {
  await using dir = await tempDir();
  await using _busy = new Burners(burners);
  const records = new FileRecords();
  for (let run = 1; run <= times; run += 1) {
    const report = join(dir.path, `${run}.json`);
    const begun = performance.now();
    const ok = await succeeds([...command, '--reporter=json', `--outputFile=${report}`, ...files], 'ignore');
    records.add(run, await read(report, ok), (path) => relative(root, path));
    say(`run ${run} of ${times}: ${ok ? 'passed' : 'FAILED'} (${((performance.now() - begun) / 1000).toFixed(0)} s)`);
  }
  ['', ...records.table(), ...records.failures].forEach(say);
  return records.failures.length === 0;
}

/** A run that failed has not succeeded, whatever its report says. */
async function read(file: string, ok: boolean): Promise<Report | undefined> {
  try {
    const report = JSON.parse(await readFile(file, 'utf8')) as Report;
    return { ...report, success: report.success && ok };
  } catch {
    return undefined;
  }
}
