import { expect, test } from 'vitest';
import { compare } from './compare.ts';

test('both sides are measured in turn, the first round is left out, and each row gets its own figures', async () => {
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
  expect(outcomes.map(({ rounds }) => rounds.map(({ ours, theirs }) => [ours, theirs]))).toEqual([
    [
      [3, 6],
      [1, 5],
      [2, 4],
    ],
    [
      [30, 60],
      [10, 50],
      [20, 40],
    ],
  ]);
  expect(order).toEqual(['ours', 'peer', 'peer', 'ours', 'ours', 'peer', 'peer', 'ours']);
});

test('a figure that a side does not return is not a number, not zero', async () => {
  const outcomes = await compare({
    rows: [{ name: 'a', unit: 'ms', better: 'lower' }],
    peer: 'a peer',
    rounds: 1,
    measureOurs: async () => [],
    measurePeer: async () => [1],
  });
  expect(outcomes.map(({ rounds }) => rounds)).toEqual([[{ ours: Number.NaN, theirs: 1 }]]);
});
