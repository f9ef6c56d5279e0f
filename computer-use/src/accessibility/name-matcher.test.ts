import { expect, test } from 'vitest';
import { matchNames } from './name-matcher.ts';

test('[a11y.regex-bound] a pattern that would run for ever ends after its time', () => {
  const begun = performance.now();
  const match = () => matchNames(['a'.repeat(60)], '^(a+)+$b', 'regex');
  expect(match).toThrow('name takes longer than 250 ms');
  expect(performance.now() - begun).toBeLessThan(5_000);
});

test('[a11y.query] a substring matches in any case, a pattern as it is written', () => {
  const names = ['Save', 'save as', 'Größe'];
  expect(matchNames(names, 'SAVE', 'substring')).toEqual([true, true, false]);
  expect(matchNames(names, 'save', 'exact')).toEqual([false, false, false]);
  expect(matchNames(names, '^save', 'regex')).toEqual([false, true, false]);
  expect(matchNames(names, '\\p{Lu}r', 'regex')).toEqual([false, false, true]);
});
