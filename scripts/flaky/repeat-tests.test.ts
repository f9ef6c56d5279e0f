import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { alive } from '../testing/alive.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { Burners } from './burners.ts';
import { repeatTests } from './repeat-tests.ts';

const VITEST = [process.execPath, join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run'];
/** Fails where it ran before. */
const ONCE = `import { existsSync, writeFileSync } from 'node:fs'; import { test } from 'vitest';
test('first', () => { if (existsSync('seen')) throw new Error('seen before'); writeFileSync('seen', ''); });`;

async function repeated(content: string, files = ['a.test.mjs']): Promise<{ ok: boolean; lines: string[] }> {
  await using dir = await tempDir();
  await symlink(join(ROOT, 'node_modules'), join(dir.path, 'node_modules'));
  await writeFile(join(dir.path, 'a.test.mjs'), content.replaceAll(`'seen'`, JSON.stringify(join(dir.path, 'seen'))));
  const lines: string[] = [];
  const command = [...VITEST, '--root', dir.path];
  const say = (line: string): void => void lines.push(line);
  const ok = await repeatTests({ root: dir.path, files, times: 2, burners: 1, command, say });
  return { ok, lines };
}

test('a failure in any of the runs fails all, and is named with its run', async () => {
  const { ok, lines } = await repeated(ONCE);
  expect(ok).toBe(false);
  expect(lines.slice(0, 2)).toEqual([
    expect.stringMatching(/^run 1 of 2: passed/),
    expect.stringMatching(/^run 2 of 2: FAILED/),
  ]);
  expect(lines.slice(-2)).toEqual([
    expect.stringMatching(/^a\.test\.mjs +2 +1 +\d+\.\d s$/),
    'run 2: a.test.mjs > first: Error: seen before',
  ]);
});

test('runs that pass are a table', async () => {
  const { ok, lines } = await repeated(`import { test } from 'vitest'; test('a', () => {});`);
  expect(ok).toBe(true);
  expect(lines.at(-1)).toMatch(/^a\.test\.mjs +2 +0 +\d+\.\d s$/);
});

test('files that are not found, and errors of no test, fail', async () => {
  expect((await repeated('', ['b.test.mjs'])).ok).toBe(false);
  const { ok, lines } = await repeated(
    `import { test } from 'vitest'; test('a', () => { void Promise.reject(new Error('lost')); });`,
  );
  expect(ok).toBe(false);
  expect(lines.at(-1)).toBe('run 2: failed without a failed test');
});

test('busy processes end with their owner', async () => {
  const burners = new Burners(2);
  const pids = burners.pids;
  expect(pids.map(alive)).toEqual([true, true]);
  await burners[Symbol.asyncDispose]();
  expect(pids.map(alive)).toEqual([false, false]);
});
