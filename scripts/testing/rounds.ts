import process from 'node:process';
import { expect } from 'vitest';

const ROUNDS = 4;
/** How much longer a round is than the one before. */
const FACTOR = 4;

/**
 * The first answer of a call that gets more seconds in each round, since a busy machine may need more than the
 * first ones. Prints the number of rounds, so that a machine that always needs the last one is noticed.
 */
export async function withGrowingTime<T>(
  firstSeconds: number,
  call: (seconds: number) => Promise<T | undefined>,
): Promise<T> {
  const name = expect.getState().currentTestName ?? 'a test';
  for (let round = 1; round <= ROUNDS; round += 1) {
    const answer = await call(firstSeconds * FACTOR ** (round - 1));
    if (answer === undefined) continue;
    process.stderr.write(`${name}: needed ${round} of ${ROUNDS} rounds\n`);
    return answer;
  }
  throw new Error(`no answer within ${firstSeconds * FACTOR ** (ROUNDS - 1)} s, the last of ${ROUNDS} rounds`);
}

/**
 * The smallest of four measurements, one after another: a busy machine delays some of them, and the product all.
 * `measure` checks the lower bound of each.
 */
export async function soonestOf(measure: () => Promise<number>): Promise<number> {
  let soonest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) soonest = Math.min(soonest, await measure());
  return soonest;
}
