import type { Goal } from './benchmark.ts';
import type { Outcome, Round } from './compare.ts';

export type Judgement = 'met' | 'missed' | 'unclear';

/** Whether each round meets the goal, or none, or some (`unclear`); undefined without a goal. */
export function judge({ row: { better, goal }, rounds }: Outcome): Judgement | undefined {
  if (goal === undefined) return undefined;
  const meets = (round: Round): boolean => {
    const figure = comparedFigure(goal, round);
    return better === 'lower' ? figure <= goal.bound : figure >= goal.bound;
  };
  if (!rounds.some(meets)) return 'missed';
  return rounds.every(meets) ? 'met' : 'unclear';
}

function comparedFigure({ of }: Goal, { ours, theirs }: Round): number {
  if (of === 'ratio') return ours / theirs;
  return of === 'difference' ? ours - theirs : ours;
}
