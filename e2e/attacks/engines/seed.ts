const FIXED = 44;

/** The seed of this run: fixed, unless the environment variable ATTACK_SEED sets another. */
export const SEED = Number(process.env['ATTACK_SEED'] ?? FIXED);
export const IS_WHOLE = process.env['TEST_EXTENT'] === 'whole';

/** A generator of whole numbers below `bound`, the same for the same seed. */
export type Numbers = (bound: number) => number;

export function numbersOf(seed: number): Numbers {
  let state = seed >>> 0;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
