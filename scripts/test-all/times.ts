import type { RunReport, TestOutcome } from '../testing/run-report.ts';

/** Seconds for all steps, on a machine with two processors. */
const ALL_SECONDS = 15 * 60;
/** Seconds of tests of one capability: two and a half minutes of two processors. */
const CAPABILITY_SECONDS = 2 * 150;

/** The duration of a step. */
export interface StepTime {
  readonly name: string;
  readonly lane: string;
  readonly seconds: number;
}

/** One line per lane and per capability, and a warning for each that took longer than its budget. */
export function timeLines(steps: readonly StepTime[], reports: readonly RunReport[], wholeSeconds: number): string[] {
  const lanes = Map.groupBy(steps, ({ lane }) => lane);
  const capabilities = Map.groupBy(
    reports.flatMap(({ tests }) => tests),
    partOf,
  );
  const parts = [...capabilities]
    .map(([name, tests]) => ({ name, seconds: secondsOf(tests) }))
    .sort((a, b) => b.seconds - a.seconds);
  return [
    ...[...lanes].map(([lane, each]) => {
      const items = each.map(({ name, seconds }) => `${name} ${seconds.toFixed(0)}`);
      return `lane ${lane}: ${sum(each).toFixed(0)} s (${items.join(', ')})`;
    }),
    ...(parts.length > 0
      ? [`seconds of tests: ${parts.map(({ name, seconds }) => `${name} ${seconds.toFixed(0)}`).join(', ')}`]
      : []),
    `all: ${wholeSeconds.toFixed(0)} s of ${ALL_SECONDS}`,
    ...parts.filter(isOver).map(({ name, seconds }) => tooLong(`the tests of ${name}`, seconds, CAPABILITY_SECONDS)),
    ...(wholeSeconds > ALL_SECONDS ? [tooLong('the run', wholeSeconds, ALL_SECONDS)] : []),
  ];
}

function isOver({ name, seconds }: { readonly name: string; readonly seconds: number }): boolean {
  return name.startsWith('capability ') && seconds > CAPABILITY_SECONDS;
}

function tooLong(what: string, seconds: number, budget: number): string {
  return `warning: ${what} took ${seconds.toFixed(0)} s, past the budget of ${budget} s`;
}

/** The part of the product that a test is for: a capability, otherwise the first folders of its file. */
function partOf({ file }: TestOutcome): string {
  const capability = /^daemon\/src\/capabilities\/([^/]+)\//.exec(file)?.[1];
  if (capability !== undefined) return `capability ${capability}`;
  return file.split('/').slice(0, 2).join('/');
}

function secondsOf(tests: readonly TestOutcome[]): number {
  return tests.reduce((total, { milliseconds = 0 }) => total + milliseconds, 0) / 1000;
}

function sum(steps: readonly StepTime[]): number {
  return steps.reduce((total, { seconds }) => total + seconds, 0);
}
