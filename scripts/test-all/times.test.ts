import { expect, test } from 'vitest';
import type { TestOutcome } from '../testing/run-report.ts';
import { timeLines } from './times.ts';

const PTY = 'daemon/src/capabilities/pty/v2/a.test.ts';

function outcome(file: string, seconds: number): TestOutcome {
  return { project: 'unit', file, titles: ['a'], state: 'passed', milliseconds: seconds * 1000 };
}

function reportOf(...tests: TestOutcome[]) {
  return [{ tests, failures: [] }];
}

test('lanes, capabilities and the whole run have a line each, the longest first', () => {
  const steps = [
    { name: 'types', lane: 'checks', seconds: 7.4 },
    { name: 'unit', lane: 'tests', seconds: 300 },
    { name: 'lint', lane: 'checks', seconds: 3 },
  ];
  const reports = reportOf(outcome('gateway/src/a.test.ts', 5), outcome(PTY, 100), outcome(PTY, 200));
  expect(timeLines(steps, reports, 900)).toEqual([
    'lane checks: 10 s (types 7, lint 3)',
    'lane tests: 300 s (unit 300)',
    'seconds of tests: capability pty 300, gateway/src 5',
    'all: 900 s of 900',
  ]);
});

test('a run and a capability past their budgets get a warning, other parts do not', () => {
  const reports = reportOf(outcome(PTY, 301), outcome('e2e/images/a.test.ts', 1000));
  expect(timeLines([], reports, 901).slice(-2)).toEqual([
    'warning: the tests of capability pty took 301 s, past the budget of 300 s',
    'warning: the run took 901 s, past the budget of 900 s',
  ]);
});
