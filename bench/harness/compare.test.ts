import { expect, test } from 'vitest';
import type { Goal } from './benchmark.ts';
import { compare, isMet } from './compare.ts';

test('both sides are measured in turn, the first round is left out, and each row gets its own median', async () => {
  const order: string[] = [];
  const side = (name: string, figures: readonly (readonly number[])[]) => {
    let round = 0;
    return async () => {
      order.push(name);
      return figures[round++] ?? [];
    };
  };
  const row = (name: string) => ({ name, unit: 'ms', better: 'lower' }) as const;
  const outcomes = await compare({
    rows: [row('a'), row('b')],
    peer: 'a peer',
    rounds: 3,
    measureOurs: side('ours', [
      [900, 900],
      [3, 30],
      [1, 10],
      [2, 20],
    ]),
    measurePeer: side('peer', [
      [0, 0],
      [6, 60],
      [5, 50],
      [4, 40],
    ]),
  });
  expect(outcomes.map(({ ours, theirs }) => [ours, theirs])).toEqual([
    [2, 5],
    [20, 50],
  ]);
  expect(order).toEqual(['ours', 'peer', 'peer', 'ours', 'ours', 'peer', 'peer', 'ours']);
});

test.each([
  ['lower', 'ratio', 1.4, 2.8, 2, true],
  ['lower', 'ratio', 1.4, 2.9, 2, false],
  ['higher', 'ratio', 0.8, 7.9, 10, false],
  ['higher', 'ratio', 0.8, 8, 10, true],
  ['lower', 'difference', 0.5, 10.4, 10, true],
  ['lower', 'difference', 0.5, 10.6, 10, false],
  ['higher', 'value', 500, 501, 9000, true],
  ['higher', 'value', 500, 499, 1, false],
] as const)('a goal of %s %s and bound %d, with %d against %d: met is %s', (better, of, bound, ours, theirs, met) => {
  const goal: Goal = { words: '', of, bound };
  expect(isMet({ row: { name: '', unit: '', better, goal }, peer: '', ours, theirs })).toBe(met);
});

test('a row without a goal is neither met nor missed', () => {
  expect(isMet({ row: { name: '', unit: '', better: 'lower' }, peer: '', ours: 1, theirs: 2 })).toBeUndefined();
});
