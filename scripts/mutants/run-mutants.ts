import { listFaults, type Survivor } from './list-faults.ts';
import { type Candidate, candidatesOf, type MutantArea } from './mutant.ts';
import { complaints, type Result, resultLine, resultTable } from './result-table.ts';
import { TreeCopy } from './tree-copy.ts';
import { tryMutant } from './trial.ts';

/** The longest folder needs five minutes on a machine that does nothing else. */
const DEADLINE_MS = 15 * 60_000;

export interface RunTerms {
  readonly root: string;
  readonly areas: readonly MutantArea[];
  readonly survivors: readonly Survivor[];
  /** Areas or mutants; none: all. */
  readonly names: readonly string[];
  readonly jobs: number;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Judges the mutants one after the other in `jobs` copies of the tree. @returns whether the run succeeded */
export async function runMutants({ root, areas, survivors, names, jobs, say, signal }: RunTerms): Promise<boolean> {
  const all = candidatesOf(areas);
  const faults = [
    ...(await listFaults(root, areas, survivors)),
    ...names.filter((name) => !all.some((candidate) => isNamed(candidate, name))).map((name) => `${name}: unknown`),
  ];
  if (faults.length > 0) {
    faults.forEach(say);
    return false;
  }
  const queue = all.filter((candidate) => names.length === 0 || names.some((name) => isNamed(candidate, name)));
  const results: Result[] = [];
  const work = async (): Promise<void> => {
    await using copy = await TreeCopy.create();
    for (let candidate = queue.shift(); candidate; candidate = queue.shift()) {
      const begun = performance.now();
      const verdict = await tryMutant(copy, candidate, { deadlineMs: DEADLINE_MS, signal });
      const result = { candidate, verdict, seconds: (performance.now() - begun) / 1000 };
      results.push(result);
      say(resultLine(result));
    }
  };
  // Each removes its copy, also where another one fails.
  const ends = await Promise.allSettled(Array.from({ length: jobs }, work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  const failures = complaints(results, survivors);
  ['', ...resultTable(results), ...failures].forEach(say);
  return failures.length === 0;
}

function isNamed({ area, name }: Candidate, wanted: string): boolean {
  return name === wanted || area.name === wanted;
}
