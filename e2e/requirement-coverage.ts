import type { TestOutcome } from '../scripts/testing/run-report.ts';
import type { Requirement } from './requirements/requirement.ts';

const ID = String.raw`\[[a-z0-9]+(?:-[a-z0-9]+)*\.[a-z0-9-]+\]\s*`;
const IN_SOURCE = new RegExp(String.raw`[([]\s*(['"\`])((?:${ID})+)`, 'g');
const AT_START = new RegExp(`^(?:${ID})+`);

/** The ids in brackets at the beginning of the titles in a test file: `test('[a.b] [a.c] does so', …)`, or of a row of titles. */
export function idsInTitles(source: string): string[] {
  return [...source.matchAll(IN_SOURCE)].flatMap(([, , ids = '']) => idsIn(ids));
}

/** The ids at the beginning of the title of a test that was run, and of the groups around it. */
function idsOf({ titles }: TestOutcome): string[] {
  return titles.flatMap((title) => idsIn(AT_START.exec(title)?.[0] ?? ''));
}

function idsIn(text: string): string[] {
  return [...text.matchAll(/\[([^\]]+)\]/g)].map(([, id = '']) => id);
}

/**
 * What is wrong between the requirements and what runs have shown, one line each. A test that failed is a fault of its
 * run and not of the coverage; one that the machine cannot run excuses its ids; any other that did not run shows nothing.
 */
export function faultsOfRuns(requirements: readonly Requirement[], tests: readonly TestOutcome[]): string[] {
  const counted = tests.filter(({ state, lacks }) => state === 'passed' || state === 'failed' || lacks !== undefined);
  return coverageFaults(requirements, new Set(counted.flatMap(idsOf)));
}

/** What is wrong between the requirements and the ids that tests name, one line each. */
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
