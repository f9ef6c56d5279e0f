import type { Requirement } from './requirements/requirement.ts';

const TITLE = /[([]\s*(['"`])((?:\[[a-z0-9]+(?:-[a-z0-9]+)*\.[a-z0-9-]+\]\s*)+)/g;

/** The ids in brackets at the beginning of the titles in a test file: `test('[a.b] [a.c] does so', …)`, or of a row of titles. */
export function idsInTitles(source: string): string[] {
  return [...source.matchAll(TITLE)].flatMap(([, , ids = '']) =>
    [...ids.matchAll(/\[([^\]]+)\]/g)].map(([, id = '']) => id),
  );
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
