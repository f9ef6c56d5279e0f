import { expect, test } from 'vitest';
import { RestartDelay } from './restart-delay.ts';

test('the first restart comes at once, later ones after longer, never after more than 5 s', () => {
  const delay = new RestartDelay();
  expect(Array.from({ length: 9 }, () => delay.next(10))).toEqual([0, 250, 500, 1000, 2000, 4000, 5000, 5000, 5000]);
});

test('30 s of life make a death the first again', () => {
  const delay = new RestartDelay();
  delay.next(10);
  expect([delay.next(29_999), delay.next(30_000), delay.next(10)]).toEqual([250, 0, 250]);
});
