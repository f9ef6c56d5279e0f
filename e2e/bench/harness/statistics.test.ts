import { expect, test } from 'vitest';
import { median, quantile, spreadOf } from './statistics.ts';

test.each([
  [[3], 3],
  [[9, 1, 2], 2],
  [[10, 1, 2, 100], 6],
  [[], Number.NaN],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected);
});

test.each([
  [0.5, 50],
  [0.99, 99],
  [1, 100],
  [0, 1],
])('the quantile %d of 1 to 100 is %d', (share, expected) => {
  expect(
    quantile(
      Array.from({ length: 100 }, (_, index) => 100 - index),
      share,
    ),
  ).toBe(expected);
});

test.each([
  [[3], { median: 3, min: 3, max: 3 }],
  [[9, 1, 2], { median: 2, min: 1, max: 9 }],
  [[1, Number.NaN, 2], { median: Number.NaN, min: Number.NaN, max: Number.NaN }],
])('the spread of %j is %o', (values, expected) => {
  expect(spreadOf(values)).toEqual(expected);
});
