import { expect, test } from 'vitest';
import { counted } from './counted.ts';

test.each([
  [0, 'tab', '0 tabs'],
  [1, 'tab', '1 tab'],
  [2, 'tab', '2 tabs'],
  [1, 'match', '1 match'],
  [3, 'match', '3 matches'],
  [1, 'entry', '1 entry'],
  [5, 'entry', '5 entries'],
])('[manners.counted] %i %s is %s', (count, noun, text) => {
  expect(counted(count, noun)).toBe(text);
});
