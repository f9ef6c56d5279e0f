const ROUNDS = 4;
/** How much longer a round is than the one before. */
const FACTOR = 4;

/**
 * The first answer of a call that is given more seconds from round to round: a busy machine may need more than the
 * first ones. Prints how many rounds it took, so that a machine that always needs the last one is noticed.
 */
export async function withGrowingTime<T>(
  what: string,
  firstSeconds: number,
  call: (seconds: number) => Promise<T | undefined>,
): Promise<T> {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const answer = await call(firstSeconds * FACTOR ** (round - 1));
    if (answer === undefined) continue;
    process.stderr.write(`${what}: needed ${round} of ${ROUNDS} rounds\n`);
    return answer;
  }
  throw new Error(`${what}: not within ${firstSeconds * FACTOR ** (ROUNDS - 1)} s, the last of ${ROUNDS} rounds`);
}
