import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { crowdedFolders } from './folders.ts';
import { importCycles } from './import-cycles.ts';
import { trackedFiles } from './tracked-files.ts';

async function productionSources(): Promise<Map<string, string>> {
  const files = (await trackedFiles()).filter(
    (file) =>
      /^(?:program|api|daemon|gateway|browser-mcp|computer-use|clients|scripts|e2e\/bench|images)\/.*\.ts$/.test(
        file,
      ) && !/\.test\.ts$/.test(file),
  );
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(ROOT, file), 'utf8')] as const)),
  );
}

test('no folder of a service holds more than 15 files of production code', async () => {
  const files = await trackedFiles();
  expect(files.length).toBeGreaterThan(500);
  expect(crowdedFolders(files)).toEqual([]);
});

test('tests and fixtures do not count, the sixteenth file of production code does', () => {
  const files = Array.from({ length: 15 }, (_, number) => `daemon/src/a/${number}.ts`);
  expect(crowdedFolders([...files, 'daemon/src/a/0.test.ts', 'daemon/src/a/b.fixture.ts'])).toEqual([]);
  expect(crowdedFolders([...files, 'daemon/src/a/more.ts'])).toEqual(['daemon/src/a: 16']);
});

test('no files import each other in a loop', async () => {
  const sources = await productionSources();
  expect(sources.size).toBeGreaterThan(300);
  expect(importCycles(sources)).toEqual([]);
});

test('a loop of imports is found whatever its length, also of types and of a file with itself', () => {
  const sources = new Map([
    ['daemon/src/a.ts', `import { b } from './b.ts'; import { d } from './d.ts';`],
    ['daemon/src/b.ts', `import type { C } from './c/c.ts';`],
    ['daemon/src/c/c.ts', `export * from '../a.ts';`],
    ['daemon/src/d.ts', `import 'node:fs';`],
    ['daemon/src/e.ts', `await import('./e.ts');`],
  ]);
  expect(importCycles(sources)).toEqual([
    ['daemon/src/a.ts', 'daemon/src/b.ts', 'daemon/src/c/c.ts'],
    ['daemon/src/e.ts'],
  ]);
});
