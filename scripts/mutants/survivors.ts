import type { Survivor } from './list-faults.ts';

/** Mutants that no test kills. A run fails on any other survivor. */
export const SURVIVORS: readonly Survivor[] = [
  {
    name: 'http/key-compared-byte-by-byte',
    needs: 'a measurement of nanoseconds over millions of comparisons, on a machine that does nothing else',
  },
];
