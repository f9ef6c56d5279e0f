import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import process from 'node:process';
import { BaseSequencer, startVitest, type TestSpecification } from 'vitest/node';

/**
 * Runs the unit, system and clock tests until the first one fails, the nearest and smallest files first, and writes vitest's JSON report.
 * Arguments: file of the report, mutated file, name of the only test to run or an empty string, paths.
 */
const [report = '', mutatedFile = '', only = '', ...paths] = process.argv.slice(2);

/** Files of the same name come first, then those that mention a word of it. */
function distanceOf(test: string): number {
  const subject = basename(mutatedFile).replace(/\..*$/, '');
  if (basename(test).startsWith(`${subject}.`)) return 0;
  const text = readFileSync(test, 'utf8').toLowerCase();
  return subject.split('-').some((word) => word.length > 3 && text.includes(word)) ? 1 : 2;
}

class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranked = files.map((file) => {
      return { file, distance: distanceOf(file.moduleId), size: statSync(file.moduleId).size };
    });
    ranked.sort((a, b) => a.distance - b.distance || a.size - b.size);
    return ranked.map(({ file }) => file);
  }
}

const vitest = await startVitest('test', paths, {
  run: true,
  watch: false,
  project: ['unit', 'system', 'clock'],
  bail: 1,
  reporters: ['json'],
  outputFile: report,
  sequence: { sequencer: NearestFirst },
  ...(only !== '' && { testNamePattern: `^${only.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$` }),
});
await vitest.close();
