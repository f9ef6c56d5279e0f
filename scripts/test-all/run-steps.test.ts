import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { ROOT } from '../root.ts';
import { tempDir } from '../testing/temp-dir.ts';
import type { Need } from './need.ts';
import { runSteps, type Step } from './run-steps.ts';

const TRUE = [process.execPath, '-e', ''];
const FALSE = [process.execPath, '-e', 'process.exit(1)'];
const VITEST = [process.execPath, join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run'];

async function run(
  steps: readonly Step[],
  options: { mayObtain?: boolean; strict?: boolean } = {},
): Promise<{ ok: boolean; lines: string[] }> {
  const lines: string[] = [];
  const ok = await runSteps(steps, {
    mayObtain: false,
    strict: false,
    output: 'ignore',
    ...options,
    say: (line) => lines.push(line),
  });
  return { ok, lines };
}

function fileNeed(file: string): Need {
  const script = (code: string): string[] => [process.execPath, '-e', `require('node:fs').${code}`];
  const quoted = JSON.stringify(file);
  return {
    name: 'the file',
    probe: script(`statSync(${quoted})`),
    obtain: [script(`writeFileSync(${quoted}, '')`)],
    reason: 'a test wants it',
  };
}

test('a step that fails does not keep the others from running; each counts one, on the last line', async () => {
  const { ok, lines } = await run([
    { name: 'one', command: TRUE },
    { name: 'two', command: FALSE },
    { name: 'three', command: TRUE },
    { name: 'four', command: ['/no/such/program'] },
  ]);
  expect(ok).toBe(false);
  expect(lines.join('\n')).toMatch(
    /— one: passed in \d+\.\d s[\s\S]*two: FAILED[\s\S]*three: passed[\s\S]*four: FAILED/,
  );
  expect(lines.slice(-3)).toEqual([
    'failed: two: see its output above',
    'failed: four: see its output above',
    '2 passed, 2 failed',
  ]);
});

test('a step after one that failed is left out and says why', async () => {
  const { ok, lines } = await run([
    { name: 'one', command: FALSE },
    { name: 'two', command: TRUE, after: 'one' },
  ]);
  expect(ok).toBe(false);
  expect(lines.slice(-3)).toEqual([
    'left out: two: one has not passed',
    'failed: one: see its output above',
    '0 passed, 1 failed',
  ]);
});

test('a need is obtained where that is allowed; else the step is left out, which fails where that is strict', async () => {
  await using dir = await tempDir();
  const step: Step = { name: 'one', command: TRUE, needs: [fileNeed(join(dir.path, 'file'))] };
  const relaxed = await run([step]);
  expect(relaxed.lines.slice(-2)).toEqual([
    'left out: one: the file is missing, a test wants it',
    '0 passed, 0 failed',
  ]);
  expect(relaxed.ok).toBe(true);
  const strict = await run([step], { strict: true });
  expect([strict.ok, strict.lines.at(-1)]).toEqual([false, '0 passed, 1 failed']);
  const obtained = await run([step], { mayObtain: true });
  expect([obtained.ok, obtained.lines.at(-1)]).toEqual([true, '1 passed, 0 failed']);
});

test('a need that cannot be obtained stays unmet', async () => {
  await using dir = await tempDir();
  const need = { ...fileNeed(join(dir.path, 'file')), obtain: [FALSE] };
  const { lines } = await run([{ name: 'one', command: TRUE, needs: [need] }], { mayObtain: true });
  expect(lines.at(-1)).toBe('0 passed, 0 failed');
});

test("vitest's tests are counted one by one: passed, failed, left out, and files that do not load", async () => {
  await using dir = await tempDir();
  await symlink(join(ROOT, 'node_modules'), join(dir.path, 'node_modules'));
  // Written in pieces, so that nobody takes them for tests of this repository that do not run.
  const skipped = `test.${'skip'}('c', () => {});`;
  await writeFile(
    join(dir.path, 'a.test.mjs'),
    `import { test } from 'vitest'; test('a', () => {}); test('b', () => { throw new Error('on purpose'); }); ${skipped}`,
  );
  await writeFile(join(dir.path, 'b.test.mjs'), `throw new Error('on purpose');`);
  const { ok, lines } = await run([{ name: 'unit', command: [...VITEST, '--root', dir.path], vitest: true }]);
  expect(ok).toBe(false);
  const [left, ...failed] = lines.slice(-4);
  expect(left).toBe('left out: c (skipped)');
  expect(failed.toSorted()).toEqual([
    '1 passed, 2 failed',
    expect.stringMatching(/^failed: unit: \S*a\.test\.mjs > b: Error: on purpose$/),
    expect.stringMatching(/^failed: unit: \S*b\.test\.mjs: on purpose$/),
  ]);
});

test('a vitest that fails without a failed test, or leaves no report, counts one failed', async () => {
  await using dir = await tempDir();
  const { lines } = await run([{ name: 'unit', command: FALSE, vitest: true }]);
  expect(lines.slice(-2)).toEqual(['failed: unit: the run ended without a report', '0 passed, 1 failed']);
  await symlink(join(ROOT, 'node_modules'), join(dir.path, 'node_modules'));
  await writeFile(join(dir.path, 'a.test.mjs'), `import { test } from 'vitest'; test('a', () => {});`);
  const { lines: unhandled } = await run([
    { name: 'unit', command: ['sh', '-c', `"$@"; exit 1`, 'sh', ...VITEST, '--root', dir.path], vitest: true },
  ]);
  expect(unhandled.slice(-2)).toEqual([
    'failed: unit: the run failed without a failed test: see its output above',
    '1 passed, 1 failed',
  ]);
});
