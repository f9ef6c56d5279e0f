import type { Survivor } from './list-faults.ts';
import type { Candidate } from './mutant.ts';
import type { Verdict } from './verdict.ts';

export interface Result {
  readonly candidate: Candidate;
  readonly verdict: Verdict;
  readonly seconds: number;
}

/** One line of a result. */
export function resultLine({ candidate: { name }, verdict, seconds }: Result): string {
  return `${name}: ${wordsOf(verdict)} (${seconds.toFixed(0)} s)`;
}

function wordsOf(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'killed':
      return `killed by ${verdict.file}${verdict.test === undefined ? '' : ` > ${verdict.test}`}`;
    case 'hung':
      return 'killed: the tests hang';
    case 'survived':
      return 'SURVIVED';
    default:
      return `UNCLEAR: ${verdict.reason}`;
  }
}

/** Counts by area, with a last line for all. */
export function resultTable(results: readonly Result[]): string[] {
  const areas = new Map<string, Result[]>();
  for (const result of results) {
    const { name } = result.candidate.area;
    areas.set(name, [...(areas.get(name) ?? []), result]);
  }
  const rows = [...areas].map(([name, some]) => row(name, some));
  return [cells('area', ['mutants', 'killed', 'hung', 'survived', 'unclear', 'seconds']), ...rows, row('all', results)];
}

function row(name: string, results: readonly Result[]): string {
  const count = (kind: Verdict['kind']): string =>
    String(results.filter(({ verdict }) => verdict.kind === kind).length);
  const seconds = results.reduce((sum, result) => sum + result.seconds, 0).toFixed(0);
  const kinds = (['killed', 'hung', 'survived', 'unclear'] as const).map(count);
  return cells(name, [String(results.length), ...kinds, seconds]);
}

function cells(first: string, others: readonly string[]): string {
  return [first.padEnd(20), ...others.map((cell) => cell.padStart(9))].join('');
}

/** Why a run fails, a line each; none where every mutant was killed or is a known survivor. */
export function complaints(results: readonly Result[], survivors: readonly Survivor[]): string[] {
  const known = new Set(survivors.map(({ name }) => name));
  return results.flatMap(({ candidate: { name }, verdict }) => {
    if (verdict.kind === 'unclear') return [`${name}: nothing can be said of it`];
    if (verdict.kind === 'survived') return known.has(name) ? [] : [`${name}: no test fails`];
    return known.has(name) ? [`${name}: is killed now; take it off the list of survivors`] : [];
  });
}
