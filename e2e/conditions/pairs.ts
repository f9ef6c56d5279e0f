import { AXES, type Condition } from './conditions.ts';

const NAMES = Object.keys(AXES) as (keyof Condition)[];

/** Conditions in which each value of an axis meets each value of every other one, found greedily: the same each time. */
export function allPairs(): Condition[] {
  const open = new Set(everyCondition().flatMap(pairsOf));
  const chosen: Condition[] = [];
  while (open.size > 0) {
    const counts = everyCondition().map((condition) => pairsOf(condition).filter((pair) => open.has(pair)).length);
    const best = everyCondition()[counts.indexOf(Math.max(...counts))];
    if (!best) break;
    chosen.push(best);
    for (const pair of pairsOf(best)) open.delete(pair);
  }
  return chosen;
}

let every: Condition[] | undefined;

function everyCondition(): Condition[] {
  every ??= NAMES.reduce<Partial<Condition>[]>(
    (all, axis) => all.flatMap((begun) => Object.keys(AXES[axis]).map((value) => ({ ...begun, [axis]: value }))),
    [{}],
  ) as Condition[];
  return every;
}

function pairsOf(condition: Condition): string[] {
  return NAMES.flatMap((a, i) => NAMES.slice(i + 1).map((b) => `${a}=${condition[a]} ${b}=${condition[b]}`));
}
