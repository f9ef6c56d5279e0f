import { join } from 'node:path';
import process from 'node:process';
import { beforeAll, describe, expect, test } from 'vitest';
import { tempDir } from '../testing/temp-dir.ts';
import type { Need } from './need.ts';
import { runSteps, type Step } from './run-steps.ts';
import { FAILS, PASSES, testFiles } from './test-files.fixture.ts';

const TRUE = [process.execPath, '-e', ''];
const FALSE = [process.execPath, '-e', 'process.exit(1)'];

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

const waitsFor = (file: string): string[] => ['sh', '-c', 'until [ -e "$0" ]; do sleep 0.02; done', file];
const makes = (file: string): string[] => ['touch', file];

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

test('lanes run at the same time, the steps of a lane one after another', async () => {
  await using dir = await tempDir();
  const [first, second] = [join(dir.path, 'first'), join(dir.path, 'second')];
  const { ok, lines } = await run([
    { name: 'one', lane: 'a', command: waitsFor(first) },
    { name: 'two', lane: 'a', command: makes(second) },
    { name: 'three', lane: 'b', command: makes(first) },
    { name: 'four', lane: 'b', command: waitsFor(second) },
  ]);
  expect(ok).toBe(true);
  const told = lines.filter((line) => line.startsWith('lane ')).map((line) => line.replaceAll(/\d+/g, '0'));
  expect(told).toEqual(['lane a: 0 s (one 0, two 0)', 'lane b: 0 s (three 0, four 0)']);
});

test('a step waits for an earlier one of another lane, and is left out where that fails', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'file');
  const { lines } = await run([
    { name: 'one', lane: 'a', command: ['sh', '-c', `sleep 0.3; touch "$0"`, file] },
    { name: 'two', lane: 'b', command: ['test', '-e', file], after: 'one' },
    { name: 'three', lane: 'c', command: ['false'] },
    { name: 'four', lane: 'd', command: TRUE, after: 'three' },
  ]);
  expect(lines.slice(-3)).toEqual([
    'left out: four: three has not passed',
    'failed: three: see its output above',
    '2 passed, 1 failed',
  ]);
  await expect(
    run([
      { name: 'one', command: TRUE, after: 'two' },
      { name: 'two', command: TRUE },
    ]),
  ).rejects.toThrow('one waits for two, which is not listed before it');
});

test('the output of a step is printed whole when it has ended, and is in a file while it runs', async () => {
  await using dir = await tempDir();
  const seen: string[] = [];
  const file = join(dir.path, 'step-one.log');
  const script = `echo begun; until grep -q begun "$0"; do sleep 0.02; done; echo ended`;
  await runSteps([{ name: 'step one', command: ['sh', '-c', script, file] }], {
    mayObtain: false,
    strict: false,
    output: { directory: dir.path },
    say: (line) => seen.push(line),
  });
  expect(seen).toContain('begun\nended');
});

test('the tests that a run started elsewhere count too', async () => {
  await using runs = await testFiles({ 'a.test.mjs': [PASSES] });
  await using dir = await tempDir();
  const innerReport = join(dir.path, 'inner.json');
  const inner = { file: 'inner.test.ts', titles: ['inner'], project: 'image' };
  const report = JSON.stringify({
    tests: [
      { ...inner, state: 'passed' },
      { ...inner, state: 'skipped', lacks: 'root' },
    ],
    failures: [],
  });
  const command = ['sh', '-c', `echo "$0" > ${innerReport}; exec "$@"`, report, ...runs.step.command];
  const { lines } = await run([{ ...runs.step, command, innerReport }]);
  expect(lines.at(-1)).toBe('2 passed, 0 failed');
  expect(lines).toContain('skipped as expected, this machine lacks root: inner.test.ts > inner');
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

test('a check reads the reports of steps, failed ones too, and is left out where one has left none', async () => {
  await using runs = await testFiles({ 'a.test.mjs': [PASSES, FAILS] });
  const seen: string[] = [];
  const check: Step = {
    name: 'check',
    reportsOf: ['unit'],
    check: (reports) => {
      seen.push(...reports.flatMap(({ tests }) => tests.map(({ titles, state }) => `${titles.join()} ${state}`)));
      return ['no test: [a.b]'];
    },
  };
  const { lines } = await run([runs.step, check]);
  expect(seen).toEqual(['a passed', 'b failed']);
  expect(lines.slice(-2)).toEqual(['failed: check: no test: [a.b]', '1 passed, 2 failed']);
  const { lines: without } = await run([{ name: 'unit', command: FALSE, vitest: true }, check]);
  expect(without).toContain('left out: check: no report of unit');
});

test("vitest's tests are counted one by one: passed, failed, and files and groups that fail", async () => {
  await using runs = await testFiles({
    'a.test.mjs': [PASSES, FAILS],
    'b.test.mjs': [`throw new Error('on purpose');`],
    'c.test.mjs': [
      `describe('d', () => { beforeAll(() => { throw new Error('too early'); }); test('e', () => {}); });`,
    ],
  });
  const { ok, lines } = await run([runs.step]);
  expect(ok).toBe(false);
  expect(lines.slice(-4).toSorted()).toEqual([
    '1 passed, 3 failed',
    'failed: unit: a.test.mjs > b: Error: on purpose',
    'failed: unit: b.test.mjs: Error: on purpose',
    'failed: unit: c.test.mjs > d: Error: too early',
  ]);
});

// Split, so that no check takes them for skipped tests of this repository.
const SKIPPED = `test.${'skip'}('c', () => {});`;
const OFF_WHILE_IT_RUNS = `test('d', ({ skip }) => skip('for some reason'));`;

test('a skipped test fails the run, unless it is expected where the machine lacks something', async () => {
  await using runs = await testFiles({ 'a.test.mjs': [PASSES, SKIPPED, OFF_WHILE_IT_RUNS] });
  const { ok, lines } = await run([runs.step]);
  expect(ok).toBe(false);
  expect(lines.slice(-3)).toEqual([
    'failed: unit: skipped, and nothing says that it may be: a.test.mjs > c',
    'failed: unit: skipped, and nothing says that it may be: a.test.mjs > d',
    '1 passed, 2 failed',
  ]);
  await using expected = await testFiles(
    { 'a.test.mjs': [PASSES, SKIPPED] },
    { expected: [{ lacks: 'root', because: '', tests: ['a.test.mjs > c'] }], lacks: ['root'] },
  );
  const { lines: fine } = await run([expected.step], { strict: true });
  expect(fine.slice(-2)).toEqual([
    'skipped as expected, this machine lacks root: a.test.mjs > c',
    '1 passed, 0 failed',
  ]);
  await using elsewhere = await testFiles(
    { 'a.test.mjs': [PASSES, SKIPPED] },
    { expected: [{ lacks: 'root', because: '', tests: ['a.test.mjs > c'] }], lacks: ['linux'] },
  );
  expect((await run([elsewhere.step])).lines.at(-1)).toBe('1 passed, 1 failed');
});

test('an expected skip that names no test of a file that ran fails the run', async () => {
  await using runs = await testFiles(
    { 'a.test.mjs': [PASSES] },
    { expected: [{ lacks: 'root', because: '', tests: ['a.test.mjs > gone', 'other.test.mjs > x'] }], lacks: [] },
  );
  expect((await run([runs.step])).lines.slice(-2)).toEqual([
    'failed: unit: expected to be skipped, and no such test: a.test.mjs > gone',
    '1 passed, 1 failed',
  ]);
});

describe('a table without rows fails the run', () => {
  const TABLES = [
    'test.each([])',
    'test.for([])',
    'describe.each([])',
    'test.runIf(true).each([])',
    'test.skipIf(true).for([])',
    'test.extend({}).each([])',
  ];
  let lines: readonly string[] = [];

  // One run for all: each table is a file of its own.
  beforeAll(async () => {
    const files = TABLES.map((table, index) => [`${index}.test.mjs`, [PASSES, `${table}('%s', () => {});`]] as const);
    await using runs = await testFiles(Object.fromEntries(files));
    ({ lines } = await run([runs.step]));
  });

  test.each(TABLES.map((table, index) => [table, index] as const))('%s', (_table, index) => {
    const failed = `failed: unit: ${index}.test.mjs: Error: an empty table: `;
    expect(lines.filter((line) => line.startsWith(failed) && line.endsWith(' defines no test'))).toHaveLength(1);
    expect(lines.at(-1)).toBe(`0 passed, ${TABLES.length} failed`);
  });
});

test('a vitest that fails without a failed test, or leaves no report, counts one failed', async () => {
  const { lines } = await run([{ name: 'unit', command: FALSE, vitest: true }]);
  expect(lines.slice(-2)).toEqual(['failed: unit: the run ended without a report', '0 passed, 1 failed']);
  await using runs = await testFiles({ 'a.test.mjs': [PASSES] });
  const { lines: unhandled } = await run([
    { ...runs.step, command: ['sh', '-c', `"$@"; exit 1`, 'sh', ...runs.step.command] },
  ]);
  expect(unhandled.slice(-2)).toEqual([
    'failed: unit: the run failed without a failed test: see its output above',
    '1 passed, 1 failed',
  ]);
});
