import { statSync } from 'node:fs';
import { basename } from 'node:path';
import process from 'node:process';
import { BaseSequencer, startVitest, type TestSpecification } from 'vitest/node';

/**
 * Runs unit tests until the first one fails, the nearest and smallest files first, and writes vitest's JSON report.
 * Arguments: file of the report, mutated file, name of the only test to run or an empty string, paths.
 */
const [report = '', mutatedFile = '', only = '', ...paths] = process.argv.slice(2);

class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const subject = basename(mutatedFile).replace(/\..*$/, '');
    const distance = ({ moduleId }: TestSpecification): number =>
      basename(moduleId).startsWith(`${subject}.`) ? 0 : 1;
    const size = ({ moduleId }: TestSpecification): number => statSync(moduleId).size;
    return files.toSorted((a, b) => distance(a) - distance(b) || size(a) - size(b));
  }
}

const vitest = await startVitest('test', paths, {
  run: true,
  watch: false,
  project: ['unit'],
  bail: 1,
  reporters: ['json'],
  outputFile: report,
  sequence: { sequencer: NearestFirst },
  ...(only !== '' && { testNamePattern: `^${only.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$` }),
});
await vitest.close();
