import { expect, test } from 'vitest';
import { DAEMON_IMAGE, DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { AXES, type Condition } from './conditions.ts';
import { allPairs } from './pairs.ts';
import { tryCondition } from './try-condition.ts';

const RUNS = [DAEMON_IMAGE, DESKTOP_IMAGE].flatMap((image) =>
  allPairs().map((condition) => [`${image}: ${Object.values(condition).join('; ')}`, image, condition] as const),
);

test('the pairs are those of all values of two axes, in far fewer conditions than there are', () => {
  const pairs = allPairs();
  for (const [a, as] of Object.entries(AXES)) {
    for (const [b, bs] of Object.entries(AXES)) {
      if (a >= b) continue;
      const met = new Set(
        pairs.map((condition) => `${condition[a as keyof Condition]} ${condition[b as keyof Condition]}`),
      );
      expect([a, b, met.size]).toEqual([a, b, Object.keys(as).length * Object.keys(bs).length]);
    }
  }
  expect(pairs.length).toBeLessThan(30);
});

test.each(RUNS)('%s', async (_title, image, condition) => {
  expect(await tryCondition(image, condition)).toEqual([]);
});
