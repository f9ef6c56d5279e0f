import type { Survivor } from './list-faults.ts';

/** Mutants that no test kills. A run fails on any other survivor. */
export const SURVIVORS: readonly Survivor[] = [];
