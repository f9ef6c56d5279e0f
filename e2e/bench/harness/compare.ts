import type { Measurement, Row } from './benchmark.ts';

const ROUNDS = 5;

/** The figures of one round. */
export interface Round {
  readonly ours: number;
  readonly theirs: number;
}

/** A row with its results. */
export interface Outcome {
  readonly row: Row;
  readonly peer: string;
  readonly rounds: readonly Round[];
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
    const of = (figures: readonly number[] | undefined): number => figures?.[index] ?? Number.NaN;
    return {
      row,
      peer,
      rounds: ours.slice(1).map((figures, at) => ({ ours: of(figures), theirs: of(theirs[at + 1]) })),
    };
  });
}
