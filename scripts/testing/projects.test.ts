import { readFile } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { trackedFiles } from '../structure/tracked-files.ts';
import { CLOCK_TESTS, IMAGE_TESTS, LONG_TESTS, SYSTEM_TESTS, UNIT_TESTS } from './projects.ts';

const OWN = 'scripts/testing/projects.test.ts';

/** What a test does to the whole machine: accounts, mounts, limits of an account, groups of memory. */
const GLOBAL = /\bnew TestAccount\(|\bMemoryGroup\.make\(|'u?mount'|\bulimit -u\b|\/proc\/sys\/user\//;

async function unitTests(): Promise<string[]> {
  return (await trackedFiles()).filter((file) => UNIT_TESTS.some((pattern) => matchesGlob(file, pattern)));
}

test('every file of the lists is there, and none is in two projects', async () => {
  const [files, chosen] = [new Set(await unitTests()), [...SYSTEM_TESTS, ...CLOCK_TESTS]];
  expect(chosen.filter((file) => !files.has(file))).toEqual([]);
  expect(new Set(chosen).size).toBe(chosen.length);
  const tracked = new Set(await trackedFiles());
  expect([...IMAGE_TESTS, ...LONG_TESTS].filter((file) => !tracked.has(file))).toEqual([]);
});

test('a test that changes what the machine has once is in the system project', async () => {
  const rest = (await unitTests()).filter((file) => !(SYSTEM_TESTS as readonly string[]).includes(file));
  const texts = await Promise.all(rest.map((file) => readFile(join(ROOT, file), 'utf8')));
  expect(rest.filter((file, index) => file !== OWN && GLOBAL.test(texts[index] ?? ''))).toEqual([]);
});
