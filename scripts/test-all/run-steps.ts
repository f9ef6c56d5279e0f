import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Need, unmet } from './need.ts';
import { succeeds } from './run-command.ts';
import { type Tally, tallyOf } from './tally.ts';

export interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** The command is vitest: its tests are counted one by one. */
  readonly vitest?: boolean;
  readonly needs?: readonly Need[];
  /** A step that must have succeeded before. */
  readonly after?: string;
}

export interface Options {
  /** Missing needs may be obtained. */
  readonly mayObtain: boolean;
  /** Whatever is left out counts as failed. */
  readonly strict: boolean;
  readonly say: (line: string) => void;
  /** Where the output of the steps goes. */
  readonly output: 'inherit' | 'ignore';
}

/** Runs every step that can be run, whatever became of the others, and says how it went; `passed` on the last line. */
export async function runSteps(steps: readonly Step[], { mayObtain, strict, say, output }: Options): Promise<boolean> {
  const tallies: Tally[] = [];
  const succeeded = new Set<string>();
  for (const step of steps) {
    const hindrance = await hindranceOf(step, succeeded, mayObtain);
    if (hindrance) {
      say(`\n— ${step.name}: left out`);
      tallies.push({ passed: 0, failures: [], leftOut: [`${step.name}: ${hindrance}`] });
      continue;
    }
    say(`\n— ${step.name}`);
    const started = performance.now();
    const tally = await runStep(step, output);
    const ok = tally.failures.length === 0;
    say(`— ${step.name}: ${ok ? 'passed' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    if (ok) succeeded.add(step.name);
    tallies.push({ ...tally, failures: tally.failures.map((failure) => `${step.name}: ${failure}`) });
  }
  return summary(tallies, strict, say);
}

async function hindranceOf(
  { needs = [], after }: Step,
  succeeded: ReadonlySet<string>,
  mayObtain: boolean,
): Promise<string | undefined> {
  if (after !== undefined && !succeeded.has(after)) return `${after} has not passed`;
  const missing = await unmet(needs, mayObtain);
  return missing.map(({ name, reason }) => `${name} is missing, ${reason}`).join('; ') || undefined;
}

async function runStep({ command, vitest }: Step, output: Options['output']): Promise<Tally> {
  if (!vitest) {
    const ok = await succeeds(command, output);
    return { passed: ok ? 1 : 0, failures: ok ? [] : ['see its output above'], leftOut: [] };
  }
  const directory = await mkdtemp(join(tmpdir(), 'test-all-'));
  try {
    const report = join(directory, 'report.json');
    const ok = await succeeds(
      [...command, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
      output,
    );
    return await tallyOf(report, ok);
  } finally {
    await rm(directory, { recursive: true });
  }
}

function summary(tallies: readonly Tally[], strict: boolean, say: Options['say']): boolean {
  const leftOut = tallies.flatMap((tally) => tally.leftOut);
  say('');
  for (const line of leftOut) say(`left out${strict ? ', which fails here' : ''}: ${line}`);
  const failures = tallies.flatMap((tally) => tally.failures);
  for (const line of failures) say(`failed: ${line}`);
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
  const failed = failures.length + (strict ? leftOut.length : 0);
  say(`${passed} passed, ${failed} failed`);
  return failed === 0;
}
