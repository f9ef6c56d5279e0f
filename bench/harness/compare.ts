import type { Goal, Measurement, Row } from './benchmark.ts';
import { median } from './statistics.ts';

const ROUNDS = 5;

/** A row with its results: medians of all rounds. */
export interface Outcome {
  readonly row: Row;
  readonly peer: string;
  readonly ours: number;
  readonly theirs: number;
}

/** Measures both sides in turn, with alternating order; the first round is a warm-up. */
export async function compare({ rows, peer, rounds = ROUNDS, ...sides }: Measurement): Promise<Outcome[]> {
  const ours: (readonly number[])[] = [];
  const theirs: (readonly number[])[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const turns = [
      async () => ours.push(await sides.measureOurs()),
      async () => theirs.push(await sides.measurePeer()),
    ] as const;
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
  }
  return rows.map((row, index) => {
    const of = (all: readonly (readonly number[])[]): number =>
      median(all.slice(1).map((figures) => figures[index] ?? Number.NaN));
    return { row, peer, ours: of(ours), theirs: of(theirs) };
  });
}

/** Whether the goal is met; undefined without one. */
export function isMet({ row: { better, goal }, ours, theirs }: Outcome): boolean | undefined {
  if (goal === undefined) return undefined;
  const figure = judged(goal, ours, theirs);
  return better === 'lower' ? figure <= goal.bound : figure >= goal.bound;
}

function judged({ of }: Goal, ours: number, theirs: number): number {
  if (of === 'ratio') return ours / theirs;
  return of === 'difference' ? ours - theirs : ours;
}
