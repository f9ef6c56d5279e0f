import type { Goal, Row } from './benchmark.ts';

/** A row with a goal whose lower figure is the better one. */
export function lower(name: string, unit: string, goal: Goal): Row {
  return { name, unit, better: 'lower', goal };
}

/** A row whose own figure is bounded; `words`: what stands before the bound in the goal. */
export function bounded(name: string, unit: string, bound: number, words = 'at most'): Row {
  return lower(name, unit, { words: `${words} ${bound} ${unit}`, of: 'value', bound });
}
