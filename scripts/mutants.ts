import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import process from 'node:process';
import { type Mutant, readMutants } from './mutants/mutant.ts';
import { TreeCopy } from './mutants/tree-copy.ts';
import { ROOT } from './root.ts';

/** Seconds for the tests of one mutant; the longest folder needs five minutes on an idle machine. */
const DEADLINE_SECONDS = 15 * 60;
/** Exit codes of timeout(1) after its deadline, by SIGTERM and by SIGKILL. */
const TIMED_OUT = [124, 137];

interface Result {
  readonly code: number;
  /** The first test file that failed. */
  readonly failed: string | undefined;
}

/** Runs test files in the copy until the first test fails. */
async function runTests(copy: string, tests: readonly string[]): Promise<Result> {
  const report = join(copy, 'dist/mutants.json');
  await rm(report, { force: true });
  const projects = ['unit', 'system', 'clock'].flatMap((name) => ['--project', name]);
  const output = ['--bail', '1', '--reporter=json', `--outputFile=${report}`];
  const vitest = [process.execPath, join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...projects, ...output];
  const child = spawn('timeout', ['--kill-after=5', String(DEADLINE_SECONDS), ...vitest, ...tests], {
    cwd: copy,
    stdio: 'ignore',
  });
  const [code] = await once(child, 'exit');
  type Report = { readonly testResults: readonly { readonly name: string; readonly status: string }[] };
  const { testResults } = await readFile(report, 'utf8').then(
    (text) => JSON.parse(text) as Report,
    () => ({ testResults: [] }),
  );
  const failed = testResults.find(({ status }) => status === 'failed')?.name;
  return { code: code ?? 1, failed: failed && relative(copy, failed) };
}

/** Returns "killed by FILE", "killed: the tests hang" or a fault. A file that fails without the mutant kills nothing. */
async function judge(copy: TreeCopy, mutant: Mutant): Promise<{ readonly ok: boolean; readonly text: string }> {
  const result = await (async () => {
    await using _applied = await copy.apply(mutant);
    return await runTests(copy.path, mutant.tests);
  })();
  if (TIMED_OUT.includes(result.code)) return { ok: true, text: 'killed: the tests hang' };
  if (result.code === 0) return { ok: false, text: 'SURVIVED' };
  if (result.failed === undefined) return { ok: false, text: 'UNCLEAR: the run failed without a failed test' };
  const without = await runTests(copy.path, [result.failed]);
  if (without.code !== 0) return { ok: false, text: `UNCLEAR: ${result.failed} fails without the mutant too` };
  return { ok: true, text: `killed by ${result.failed}` };
}

const wanted = process.argv.slice(2);
const mutants = readMutants().filter(({ id }) => wanted.length === 0 || wanted.includes(id));
if (mutants.length < wanted.length) throw new Error('unknown mutant: the ids are in scripts/mutants/mutants.jsonl');
await using copy = await TreeCopy.create();
let killed = 0;
for (const mutant of mutants) {
  const { ok, text } = await judge(copy, mutant);
  if (ok) killed += 1;
  process.stdout.write(`${mutant.id}: ${text}\n`);
}
process.stdout.write(`${killed} of ${mutants.length} mutants killed\n`);
process.exitCode = killed === mutants.length ? 0 : 1;
