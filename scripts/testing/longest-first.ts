import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONG_TESTS } from './projects.ts';

/** The order of vitest, except that files which are known to take long begin. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number =>
      LONG_TESTS.some((file) => moduleId.endsWith(file)) ? 0 : 1;
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
