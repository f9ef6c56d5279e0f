import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../../scripts/root.ts';
import { readPage } from '../harness/earlier-page.ts';
import { figuresPage, missedRows } from '../harness/figures-page.ts';
import { BENCHMARKS } from './index.ts';

const PAGE = await readFile(join(ROOT, 'docs/benchmarks.md'), 'utf8');

test('each missed goal of docs/benchmarks.md has a reason in its benchmark, and its floor beside it', () => {
  expect(readPage(PAGE).rows.length).toBeGreaterThan(50);
  const missed = missedRows(PAGE, BENCHMARKS);
  expect(missed.filter(({ reason, hasFloor }) => reason === undefined || !hasFloor)).toEqual([]);
});

test('each reason belongs to a row of docs/benchmarks.md', () => {
  const rows = new Set(readPage(PAGE).rows.map(([benchmark, name]) => `${benchmark}: ${name}`));
  const reasons = BENCHMARKS.flatMap(({ name, reasons = {} }) => Object.keys(reasons).map((row) => `${name}: ${row}`));
  expect(reasons.filter((reason) => !rows.has(reason))).toEqual([]);
});

test('docs/benchmarks.md has the descriptions and reasons of the benchmarks (npm run docs writes them)', () => {
  expect(figuresPage(PAGE, undefined, BENCHMARKS)).toBe(PAGE);
});
