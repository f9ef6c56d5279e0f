import { expect, test } from 'vitest';
import type { Goal } from './benchmark.ts';
import { judge } from './judgement.ts';

test.each([
  ['lower', 'ratio', 1.4, [2.8], [2], 'met'],
  ['lower', 'ratio', 1.4, [2.9], [2], 'missed'],
  ['higher', 'ratio', 0.8, [7.9], [10], 'missed'],
  ['higher', 'ratio', 0.8, [8], [10], 'met'],
  ['lower', 'difference', 0.5, [10.4], [10], 'met'],
  ['lower', 'difference', 0.5, [10.6], [10], 'missed'],
  ['higher', 'value', 500, [501], [9000], 'met'],
  ['higher', 'value', 500, [499], [1], 'missed'],
  ['lower', 'value', 5, [1, 5, 4], [9, 9, 9], 'met'],
  ['lower', 'value', 5, [1, 5.1, 4], [9, 9, 9], 'unclear'],
  ['lower', 'value', 5, [50, 4.9, 60], [9, 9, 9], 'unclear'],
  ['lower', 'value', 5, [6, 5.1, 7], [9, 9, 9], 'missed'],
  // Each side has a wide range of its own, the ratio of each round is the same.
  ['lower', 'ratio', 1.5, [1, 9, 3], [1, 9, 3], 'met'],
  ['lower', 'value', 5, [1, Number.NaN], [9, 9], 'unclear'],
  ['lower', 'value', 5, [Number.NaN], [9], 'missed'],
] as const)('a goal of %s %s and bound %d with %j against %j is %s', (better, of, bound, ours, theirs, expected) => {
  const goal: Goal = { words: '', of, bound };
  const rounds = ours.map((figure, at) => ({ ours: figure, theirs: theirs[at] ?? Number.NaN }));
  expect(judge({ row: { name: '', unit: '', better, goal }, peer: '', rounds })).toBe(expected);
});

test('a row without a goal has no judgement', () => {
  const row = { name: '', unit: '', better: 'lower' } as const;
  expect(judge({ row, peer: '', rounds: [{ ours: 1, theirs: 2 }] })).toBeUndefined();
});
