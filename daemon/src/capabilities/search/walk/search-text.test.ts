import { expect, test } from 'vitest';
import { searchText } from './search-text.ts';

const TERMS = { regex: /x/gv, multiline: false, before: 2, after: 1 };

test('lines around a match end with the text, at both of its ends', () => {
  const around = searchText('x\nb\nx\nd\nx', 1, 10, TERMS).map(({ lineNumber, before, after }) => [
    lineNumber,
    before,
    after,
  ]);
  expect(around).toEqual([
    [1, [], ['b']],
    [3, ['x', 'b'], ['d']],
    [5, ['x', 'd'], []],
  ]);
  expect(searchText('a\nx\nc', 7, 10, TERMS)).toMatchObject([{ lineNumber: 8, before: ['a'], after: ['c'] }]);
});
