import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { mutated, readMutants } from './mutant.ts';

test('the text of each mutant occurs once in its file: a change that moves code moves its mutants', () => {
  const mutants = readMutants();
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
  for (const mutant of mutants) mutated(readFileSync(join(ROOT, mutant.file), 'utf8'), mutant);
});

test.each([
  ['is absent', 'a > b', 'occurs 0 times in a.ts: "a > b"'],
  ['occurs twice', 'a', 'occurs 2 times in a.ts: "a"'],
  ['is empty', '', 'occurs 0 times in a.ts: ""'],
  ['equals its replacement', '!', 'the replacement changes nothing in a.ts: "!"'],
])('a text that %s is refused', (_what, text, message) => {
  expect(() => mutated('a < b; a!', { file: 'a.ts', text, replacement: '!' })).toThrow(message);
});

test('a mutant replaces its text and nothing else', () => {
  expect(mutated('a < b;\n', { file: 'a.ts', text: 'a < b', replacement: '$&' })).toBe('$&;\n');
});
