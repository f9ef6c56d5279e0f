import type { Goal, Measurement, Row } from './benchmark.ts';

/** A row with a goal whose lower figure is the better one. */
export function lower(name: string, unit: string, goal: Goal): Row {
  return { name, unit, better: 'lower', goal };
}

/** A row whose own figure is bounded; `words`: what stands before the bound in the goal. */
export function bounded(name: string, unit: string, bound: number, words = 'at most'): Row {
  return lower(name, unit, { words: `${words} ${bound} ${unit}`, of: 'value', bound });
}

/** What ends the name of a row whose peer is the floor of another row. */
const FLOOR = ', floor';

/** The name of the row in which a row stands beside its floor. */
export function floorName(name: string): string {
  return name + FLOOR;
}

/**
 * A measurement beside its floor: the plainest program that does the same job. It has the same rows, without goals.
 * @param peer names the program
 */
export function besideFloor(
  { rows, rounds, measureOurs }: Measurement,
  peer: string,
  measurePeer: Measurement['measurePeer'],
): Measurement {
  return {
    rows: rows.map(({ name, unit, better }) => ({ name: floorName(name), unit, better })),
    peer,
    ...(rounds !== undefined && { rounds }),
    measureOurs,
    measurePeer,
  };
}
