import { expect, test } from 'vitest';
import { ROWS_MAX, rowRange } from './row-range.ts';

const of = (count: number, top: number, height: number) => rowRange(count, { top, height, rowHeight: 36 });

test.each([
  [10_000, 0, 600, 0, 29],
  [10_000, 36_000, 600, 988, 1029],
  [10_000, 359_400, 600, 9971, 10_000],
  [5, 0, 600, 0, 5],
  [0, 0, 600, 0, 0],
])(
  '[app.many-files] of %i rows at %i px in %i px those from %i to %i are in the document',
  (count, top, height, first, end) => {
    expect(of(count, top, height)).toEqual({ first, end });
  },
);

test('[app.many-files] in the tallest window the rows are bounded, also where the list became shorter', () => {
  const { first, end } = of(10_000, 100_000, 100_000);
  expect(end - first).toBe(ROWS_MAX);
  expect(of(10_000, 360_000 - 5800, 5800)).toMatchObject({ end: 10_000 });
  expect(of(3, 36_000, 600)).toEqual({ first: 0, end: 3 });
});
