import { expect, test } from 'vitest';
import { compareInWalk } from './path-order.ts';

test('names come as a walk meets them: what a directory holds before a sibling that its name begins', () => {
  const walked = ['a', 'a/b', 'a/b/c', 'a/c', 'a b', 'a.txt', 'b'];
  expect(walked.toReversed().sort(compareInWalk)).toEqual(walked);
  expect([...walked].sort(compareInWalk)).toEqual(walked);
});
