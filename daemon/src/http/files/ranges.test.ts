import { expect, test } from 'vitest';
import { contentRangeOf, rangeOf } from './ranges.ts';

test.each([
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=2-9', { start: 2, end: 10 }],
  ['bytes=2-10', { start: 2, end: 10 }],
  ['bytes=9-', { start: 9, end: 10 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=-3', { start: 7, end: 10 }],
  ['bytes=-11', { start: 0, end: 10 }],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=3-2', undefined],
  ['bytes=-', undefined],
  ['bytes=0-1,3-4', undefined],
  ['items=0-1', undefined],
  [undefined, undefined],
])('of ten bytes the range %s is %j', (header, range) => {
  expect(rangeOf(header, 10)).toEqual(range);
});

test.each([
  ['bytes 0-9/10', { range: { start: 0, end: 10 }, total: 10 }],
  ['bytes 0-9/*', { range: { start: 0, end: 10 }, total: undefined }],
  ['bytes */10', { range: undefined, total: 10 }],
  ['bytes 0-10/10', undefined],
  ['bytes 3-2/10', undefined],
  ['bytes */*', undefined],
])('the piece %s is %j', (header, piece) => {
  expect(contentRangeOf(header)).toEqual(piece);
});
