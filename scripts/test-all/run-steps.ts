import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunReport, readRunReport } from '../testing/run-report.ts';
import { installTogether, type Need, unmet } from './need.ts';
import { type Output, StepOutput } from './step-output.ts';
import { type Tally, tallyOf, tallyOfOne } from './tally.ts';
import { type StepTime, timeLines } from './times.ts';

interface CommonStep {
  readonly name: string;
  /** Steps of a lane run one after another; lanes run at the same time. Default: `main`. */
  readonly lane?: string;
}

interface CommandStep extends CommonStep {
  readonly command: readonly string[];
  /** The command is vitest; each of its tests counts. */
  readonly vitest?: boolean;
  /** A file with the report of a vitest that the command ran elsewhere; its tests count too. */
  readonly innerReport?: string;
  readonly needs?: readonly Need[];
  /** Needs that are installed with the others and whose absence leaves nothing out. */
  readonly mayUse?: readonly Need[];
  /** An earlier step of any lane that must succeed first. */
  readonly after?: string;
}

/** A check of the reports of vitest runs. */
interface CheckStep extends CommonStep {
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
  readonly output: Output;
}

/** Runs every possible step, also after failures, and prints the results; `passed` on the last line. */
export async function runSteps(steps: readonly Step[], options: Options): Promise<boolean> {
  const started = performance.now();
  const run = new Run(steps, options);
  await run.all();
  const { tallies, reports, times } = run;
  const lines = timeLines(times, [...reports.values()], secondsSince(started));
  return summary(tallies, lines, options);
}

/** One run of all steps. */
class Run {
  readonly reports = new Map<string, RunReport>();
  readonly #times = new Map<string, StepTime>();
  readonly #steps: readonly Step[];
  readonly #options: Options;
  readonly #succeeded = new Set<string>();
  /** Settles when the step has ended. */
  readonly #ended = new Map<string, PromiseWithResolvers<void>>();
  readonly #tallies = new Map<string, Tally>();
  #installed: Promise<void> = Promise.resolve();

  constructor(steps: readonly Step[], options: Options) {
    this.#steps = steps;
    this.#options = options;
    for (const step of steps) {
      // So that no two steps wait for each other.
      const later = this.#earlier(step).find((name) => !this.#ended.has(name));
      if (later !== undefined) throw new Error(`${step.name} waits for ${later}, which is not listed before it`);
      this.#ended.set(step.name, Promise.withResolvers());
    }
  }

  /** In the order of the steps. */
  get tallies(): Tally[] {
    return this.#steps.flatMap(({ name }) => this.#tallies.get(name) ?? []);
  }

  /** In the order of the steps. */
  get times(): StepTime[] {
    return this.#steps.flatMap(({ name }) => this.#times.get(name) ?? []);
  }

  async all(): Promise<void> {
    const { mayObtain, say } = this.#options;
    const needs = this.#steps.flatMap((step) =>
      'check' in step ? [] : [...(step.needs ?? []), ...(step.mayUse ?? [])],
    );
    if (mayObtain) this.#installed = installTogether(needs, say);
    const lanes = Map.groupBy(this.#steps, laneOf);
    await Promise.all([...lanes.values()].map((lane) => this.#lane(lane)));
  }

  async #lane(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      await Promise.all(this.#earlier(step).map((name) => this.#ended.get(name)?.promise));
      await this.#step(step);
      this.#ended.get(step.name)?.resolve();
    }
  }

  /** Names of the steps that this one waits for. */
  #earlier(step: Step): string[] {
    const before = 'check' in step ? step.reportsOf : [step.after];
    return before.filter((name) => name !== undefined);
  }

  async #step(step: Step): Promise<void> {
    const { say } = this.#options;
    const hindrance = await this.#hindranceOf(step);
    if (hindrance) {
      say(`\n— ${step.name}: left out`);
      this.#tallies.set(step.name, {
        passed: 0,
        failures: [],
        leftOut: [`${step.name}: ${hindrance}`],
        notes: [],
      });
      return;
    }
    say(`\n— ${step.name}`);
    const started = performance.now();
    const tally = await this.#tallyOf(step);
    const ok = tally.failures.length === 0;
    const seconds = secondsSince(started);
    this.#times.set(step.name, { name: step.name, lane: laneOf(step), seconds });
    say(`— ${step.name}: ${ok ? 'passed' : 'FAILED'} in ${seconds.toFixed(1)} s`);
    if (ok) this.#succeeded.add(step.name);
    this.#tallies.set(step.name, { ...tally, failures: tally.failures.map((failure) => `${step.name}: ${failure}`) });
  }

  async #hindranceOf(step: Step): Promise<string | undefined> {
    if ('check' in step) {
      const silent = step.reportsOf.filter((name) => !this.reports.has(name));
      return silent.length > 0 ? `no report of ${silent.join(', ')}` : undefined;
    }
    const { needs = [], mayUse = [], after } = step;
    if (after !== undefined && !this.#succeeded.has(after)) return `${after} has not passed`;
    if (needs.length + mayUse.length > 0) await this.#installed;
    const missing = await unmet(needs, this.#options.mayObtain);
    return missing.map(({ name, reason }) => `${name} is missing, ${reason}`).join('; ') || undefined;
  }

  async #tallyOf(step: Step): Promise<Tally> {
    if ('check' in step) {
      return tallyOfOne(step.check(step.reportsOf.flatMap((name) => this.reports.get(name) ?? [])));
    }
    const { name, command, vitest, innerReport } = step;
    const output = new StepOutput(name, this.#options);
    if (!vitest) return tallyOfOne((await output.of(command)) ? [] : ['see its output above']);
    const directory = await mkdtemp(join(tmpdir(), 'test-all-'));
    try {
      const file = join(directory, 'report.json');
      if (innerReport !== undefined) await rm(innerReport, { force: true });
      const ok = await output.of([...command, `--outputFile.run=${file}`]);
      const report = withInner(
        await readRunReport(file),
        innerReport === undefined ? undefined : await readRunReport(innerReport),
      );
      if (report) this.reports.set(name, report);
      return tallyOf(report, ok);
    } finally {
      await rm(directory, { recursive: true });
    }
  }
}

/** Its failures are failures of the test that ran it, so only its tests are added. */
function withInner(report: RunReport | undefined, inner: RunReport | undefined): RunReport | undefined {
  if (!report || !inner) return report;
  return { ...report, tests: [...report.tests, ...inner.tests] };
}

function laneOf({ lane = 'main' }: Step): string {
  return lane;
}

function secondsSince(started: number): number {
  return (performance.now() - started) / 1000;
}

function summary(tallies: readonly Tally[], times: readonly string[], { strict, say }: Options): boolean {
  const leftOut = tallies.flatMap((tally) => tally.leftOut);
  say('');
  for (const line of times) say(line);
  for (const line of tallies.flatMap(({ notes }) => notes)) say(line);
  for (const line of leftOut) say(`left out${strict ? ', which fails here' : ''}: ${line}`);
  const failures = tallies.flatMap((tally) => tally.failures);
  for (const line of failures) say(`failed: ${line}`);
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
  const failed = failures.length + (strict ? leftOut.length : 0);
  say(`${passed} passed, ${failed} failed`);
  return failed === 0;
}
