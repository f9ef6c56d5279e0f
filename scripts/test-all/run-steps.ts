import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunReport, readRunReport } from '../testing/run-report.ts';
import { type Need, unmet } from './need.ts';
import { succeeds } from './run-command.ts';
import { type Tally, tallyOf, tallyOfOne } from './tally.ts';

interface CommandStep {
  readonly name: string;
  readonly command: readonly string[];
  /** The command is vitest; each of its tests counts. */
  readonly vitest?: boolean;
  readonly needs?: readonly Need[];
  /** A step that must succeed first. */
  readonly after?: string;
}

/** A check of the reports of earlier vitest runs. */
interface CheckStep {
  readonly name: string;
  /** Steps that must have written a report, successful or not. */
  readonly reportsOf: readonly string[];
  /** One line per fault. */
  readonly check: (reports: readonly RunReport[]) => readonly string[];
}

export type Step = CommandStep | CheckStep;

export interface Options {
  /** Missing needs may be installed. */
  readonly mayObtain: boolean;
  /** Skipped steps count as failed. */
  readonly strict: boolean;
  readonly say: (line: string) => void;
  /** Directory for the output of the steps. */
  readonly output: 'inherit' | 'ignore';
}

/** Results of the steps so far. */
interface Past {
  readonly succeeded: Set<string>;
  readonly reports: Map<string, RunReport>;
}

/** Runs every possible step, also after failures, and prints the results; `passed` on the last line. */
export async function runSteps(steps: readonly Step[], { mayObtain, strict, say, output }: Options): Promise<boolean> {
  const tallies: Tally[] = [];
  const past: Past = { succeeded: new Set(), reports: new Map() };
  for (const step of steps) {
    const hindrance = await hindranceOf(step, past, mayObtain);
    if (hindrance) {
      say(`\n— ${step.name}: left out`);
      tallies.push({ passed: 0, failures: [], leftOut: [`${step.name}: ${hindrance}`], notes: [] });
      continue;
    }
    say(`\n— ${step.name}`);
    const started = performance.now();
    const tally = await runStep(step, past, output);
    const ok = tally.failures.length === 0;
    say(`— ${step.name}: ${ok ? 'passed' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    if (ok) past.succeeded.add(step.name);
    tallies.push({ ...tally, failures: tally.failures.map((failure) => `${step.name}: ${failure}`) });
  }
  return summary(tallies, strict, say);
}

async function hindranceOf(step: Step, past: Past, mayObtain: boolean): Promise<string | undefined> {
  if ('check' in step) {
    const silent = step.reportsOf.filter((name) => !past.reports.has(name));
    return silent.length > 0 ? `no report of ${silent.join(', ')}` : undefined;
  }
  const { needs = [], after } = step;
  if (after !== undefined && !past.succeeded.has(after)) return `${after} has not passed`;
  const missing = await unmet(needs, mayObtain);
  return missing.map(({ name, reason }) => `${name} is missing, ${reason}`).join('; ') || undefined;
}

async function runStep(step: Step, { reports }: Past, output: Options['output']): Promise<Tally> {
  if ('check' in step) {
    return tallyOfOne(step.check(step.reportsOf.flatMap((name) => reports.get(name) ?? [])));
  }
  const { name, command, vitest } = step;
  if (!vitest) return tallyOfOne((await succeeds(command, output)) ? [] : ['see its output above']);
  const directory = await mkdtemp(join(tmpdir(), 'test-all-'));
  try {
    const file = join(directory, 'report.json');
    const ok = await succeeds([...command, `--outputFile.run=${file}`], output);
    const report = await readRunReport(file);
    if (report) reports.set(name, report);
    return tallyOf(report, ok);
  } finally {
    await rm(directory, { recursive: true });
  }
}

function summary(tallies: readonly Tally[], strict: boolean, say: Options['say']): boolean {
  const leftOut = tallies.flatMap((tally) => tally.leftOut);
  say('');
  for (const line of tallies.flatMap(({ notes }) => notes)) say(line);
  for (const line of leftOut) say(`left out${strict ? ', which fails here' : ''}: ${line}`);
  const failures = tallies.flatMap((tally) => tally.failures);
  for (const line of failures) say(`failed: ${line}`);
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
  const failed = failures.length + (strict ? leftOut.length : 0);
  say(`${passed} passed, ${failed} failed`);
  return failed === 0;
}
