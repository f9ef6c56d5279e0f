import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { AREAS } from './areas.ts';
import { listFaults } from './list-faults.ts';
import { candidatesOf, type Mutant, mutated } from './mutant.ts';
import { SURVIVORS } from './survivors.ts';

test('the text of every mutant occurs exactly once in its file: a change that moves code moves its mutants', async () => {
  expect(await listFaults(ROOT, AREAS, SURVIVORS)).toEqual([]);
});

test('there are sixty mutants at least, five in each area, and nine of ten are not on the list of survivors', () => {
  expect(candidatesOf(AREAS).length).toBeGreaterThanOrEqual(60);
  expect(AREAS.filter(({ mutants }) => mutants.length < 5).map(({ name }) => name)).toEqual([]);
  expect(SURVIVORS.length).toBeLessThanOrEqual(candidatesOf(AREAS).length / 10);
});

test('a mutant replaces its text and nothing else', () => {
  expect(mutated('a < b;\n', { file: 'a.ts', text: 'a < b', replacement: 'a <= b' })).toBe('a <= b;\n');
});

test.each([
  ['is absent', 'a > b', 'the text does not occur in a.ts: "a > b"'],
  ['is there twice', 'a', 'the text occurs more than once in a.ts: "a"'],
  ['overlaps itself', 'xx', 'the text occurs more than once in a.ts: "xx"'],
  ['is empty', '', 'the text does not occur in a.ts: ""'],
  ['stays as it is', '!', 'the replacement changes nothing in a.ts: "!"'],
])('a text that %s is refused', (_what, text, message) => {
  expect(() => mutated('a < b; a; xxx', { file: 'a.ts', text, replacement: '!' })).toThrow(message);
});

test('the lists are refused for a name that is taken, a file that is not there, and an unknown survivor', async () => {
  await using dir = await tempDir();
  await writeFile(join(dir.path, 'a.ts'), 'a < b');
  const mutant: Mutant = { id: 'one', file: 'a.ts', text: '<', replacement: '>' };
  const area = { name: 'x', tests: ['x'], mutants: [mutant, mutant, { ...mutant, id: 'two', file: 'b.ts' }] };
  expect(await listFaults(dir.path, [area], [{ name: 'x/three', needs: 'a test' }])).toEqual([
    'x/one: the name is taken',
    expect.stringMatching(/^x\/two: ENOENT/),
    'x/three: no such mutant',
  ]);
});
