import { expect, test } from 'vitest';
import { matchesOfLines } from './line-matches.ts';

test('a match that ends with a line break holds that line and not the next one', () => {
  expect(matchesOfLines('one\ntwo\nthree\n', 5, [{ start: 4, end: 8 }])).toEqual([
    { lineNumber: 6, lastLine: 6, line: 'two', match: 'two' },
  ]);
});

test('spans that share a line are one match, over all their lines', () => {
  const spans = [
    { start: 0, end: 1 },
    { start: 2, end: 5 },
  ];
  expect(matchesOfLines('one\ntwo\nthree\n', 1, spans)).toEqual([
    { lineNumber: 1, lastLine: 2, line: 'one\ntwo', match: 'o' },
  ]);
});
