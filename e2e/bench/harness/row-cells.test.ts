import { expect, test } from 'vitest';
import type { Goal } from './benchmark.ts';
import type { Outcome } from './compare.ts';
import { rowCells, rowLine } from './row-cells.ts';

function outcome(pairs: readonly (readonly [number, number])[], goal?: Goal): Outcome {
  const row = { name: 'p50', unit: 'ms', better: 'lower', ...(goal && { goal }) } as const;
  return { row, peer: 'direct', rounds: pairs.map(([ours, theirs]) => ({ ours, theirs })) };
}

const THRICE = [
  [2, 2],
  [1, 2],
  [5, 4],
] as const;
const RATIO: Goal = { words: 'at most 1.4×', of: 'ratio', bound: 1.4 };

test('lowest and highest figure stand beside the median, those of the ratio are of single rounds', () => {
  expect(rowCells(outcome(THRICE, RATIO))).toEqual([
    'p50',
    '2 ms (1 to 5)',
    'direct',
    '2 ms (2 to 4)',
    '1.00× (0.50 to 1.25)',
    'at most 1.4×',
    'yes',
  ]);
});

test.each([
  [1.25, 'yes', 'met: at most'],
  [1, 'unclear', 'UNCLEAR: at most'],
  [0.4, '**no**', 'MISSED: at most'],
])('a goal of at most %d is %s where the ratios are 0.5 to 1.25', (bound, cell, words) => {
  const judged = outcome(THRICE, { words: 'at most', of: 'ratio', bound });
  expect(rowCells(judged).at(-1)).toBe(cell);
  expect(rowLine(judged)).toBe(`p50: 2 ms (1 to 5), direct: 2 ms (2 to 4), 1.00× (0.50 to 1.25)   ${words}`);
});

test('a row of one round says so and has no range', () => {
  expect(rowCells(outcome([[291, 2]], RATIO)).slice(1, 5)).toEqual(['291 ms (one round)', 'direct', '2 ms', '145.50×']);
});

test('a difference is shown where the goal is one', () => {
  const goal: Goal = { words: 'at most 0.12 ms more', of: 'difference', bound: 0.12 };
  expect(rowLine(outcome([[0.25, 0.1]], goal))).toBe(
    'p50: 0.25 ms (one round), direct: 0.1 ms, 2.50×, +0.15 ms   MISSED: at most 0.12 ms more',
  );
  expect(rowCells(outcome(THRICE, goal))[4]).toBe('1.00× (0.50 to 1.25), +0 ms (−1 to +1)');
});

test('a row without a goal has a dash, and so has the ratio to nothing', () => {
  expect(rowCells(outcome([[3, 0]])).slice(3)).toEqual(['0 ms', '–', '–', '–']);
  expect(rowLine(outcome([[3, 0]]))).toBe('p50: 3 ms (one round), direct: 0 ms, –');
});

test('a figure that is missing is shown as such', () => {
  expect(rowCells(outcome([[Number.NaN, 1], ...THRICE])).slice(1, 2)).toEqual(['? ms (? to ?)']);
});
