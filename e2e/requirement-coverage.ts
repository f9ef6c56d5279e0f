import type { TestOutcome } from '../scripts/testing/run-report.ts';
import type { Requirement } from './requirements/requirement.ts';

const ID = String.raw`\[[a-z0-9]+(?:-[a-z0-9]+)*\.[a-z0-9-]+\]\s*`;
const IN_SOURCE = new RegExp(String.raw`[([]\s*(['"\`])((?:${ID})+)`, 'g');
const AT_START = new RegExp(`^(?:${ID})+`);

/** The ids at the beginning of the titles in a test file, `test('[a.b] [a.c] works', …)`, or of rows of titles. */
export function idsInTitles(source: string): string[] {
  return [...source.matchAll(IN_SOURCE)].flatMap(([, , ids = '']) => idsIn(ids));
}

/** The ids at the beginning of the title of a test in a run, and of its groups. */
function idsOf({ titles }: TestOutcome): string[] {
  return titles.flatMap((title) => idsIn(AT_START.exec(title)?.[0] ?? ''));
}

function idsIn(text: string): string[] {
  return [...text.matchAll(/\[([^\]]+)\]/g)].map(([, id = '']) => id);
}

/**
 * Lists mismatches between the requirements and the tests of runs, one line each. A failed test counts as coverage, as
 * does one that the machine lacks something for; any other test that did not run does not.
 */
export function faultsOfRuns(requirements: readonly Requirement[], tests: readonly TestOutcome[]): string[] {
  const counted = tests.filter(({ state, lacks }) => state === 'passed' || state === 'failed' || lacks !== undefined);
  return coverageFaults(requirements, new Set(counted.flatMap(idsOf)));
}

/** Lists mismatches between the requirements and the ids in test titles, one line each. */
export function coverageFaults(requirements: readonly Requirement[], tested: ReadonlySet<string>): string[] {
  const known = new Set(requirements.map(({ id }) => id));
  const untested = requirements.filter(({ id, waitsFor }) => !waitsFor && !tested.has(id));
  const early = requirements.filter(({ id, waitsFor }) => waitsFor && tested.has(id));
  const twice = requirements.filter(({ id }, index) => requirements.findIndex((other) => other.id === id) !== index);
  return [
    ...untested.map(({ id, source, behaviour }) => `no test: [${id}] ${behaviour} (${source})`),
    ...early.map(({ id, waitsFor }) => `has a test and still waits for ${waitsFor}: [${id}]`),
    ...twice.map(({ id }) => `named twice: [${id}]`),
    ...[...tested].filter((id) => !known.has(id)).map((id) => `no such requirement: [${id}]`),
  ];
}
