import type { Survivor } from './list-faults.ts';

/** Mutants that no test kills. A run fails on any other survivor. */
export const SURVIVORS: readonly Survivor[] = [
  {
    name: 'files/delete-follows-swapped-link',
    needs:
      'a directory that becomes a link between its failed unlink and its opening, such as a file system of the test',
  },
];
