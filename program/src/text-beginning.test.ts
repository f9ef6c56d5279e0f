import { expect, test } from 'vitest';
import { heldMemory } from '../../scripts/testing/held-memory.ts';
import { textBeginning } from './text-beginning.ts';

test.each([
  ['', 3, ''],
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc'],
  ['"\\\n\0é€', 5, '"\\\n\0é'],
  ['a\ud83d\ude00', 2, 'a\ud83d'],
])('of %j the first %i characters are %j', (text, most, beginning) => {
  expect(textBeginning(text, most)).toBe(beginning);
});

test('[limits.text-beginnings] what is kept of a long text does not hold the rest in memory', () => {
  const before = heldMemory();
  const kept = Array.from({ length: 64 }, (_, n) => textBeginning(JSON.parse(`"${'x'.repeat(1024 ** 2)}${n}"`), 200));
  // With their texts they would take 64 MiB.
  expect(heldMemory() - before).toBeLessThan(8 * 1024 ** 2);
  expect(new Set(kept)).toEqual(new Set(['x'.repeat(200)]));
});
