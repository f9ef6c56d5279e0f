import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { buildServices } from '../../scripts/build/services.ts';
import { ROOT } from '../../scripts/root.ts';
import { mayInstall, unmet } from '../../scripts/test-all/need.ts';
import { BENCHMARKS } from './benchmarks/index.ts';
import type { Benchmark } from './harness/benchmark.ts';
import { compare, type Outcome } from './harness/compare.ts';
import { figuresPage, missedRows, type Result } from './harness/figures-page.ts';
import { describeMachine } from './harness/machine.ts';
import { rowLine } from './harness/row-cells.ts';

const PAGE = join(ROOT, 'docs/benchmarks.md');

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function secondsSince(begun: number): number {
  return (performance.now() - begun) / 1000;
}

/** @returns undefined if the machine lacks a requirement */
async function runOne({ name, needs = [], prepare }: Benchmark): Promise<Result | undefined> {
  const missing = await unmet(needs, mayInstall());
  if (missing.length > 0) {
    for (const need of missing) say(`${name}: left out, because ${need.name} is missing: ${need.reason}`);
    return undefined;
  }
  const begun = performance.now();
  await using stack = new AsyncDisposableStack();
  const outcomes: Outcome[] = [];
  for (const measurement of await prepare(stack)) {
    const compared = await compare(measurement);
    for (const outcome of compared) say(`${name}: ${rowLine(outcome)}`);
    outcomes.push(...compared);
  }
  const seconds = secondsSince(begun);
  say(`${name}: took ${seconds.toFixed(0)} s`);
  return { benchmark: name, seconds, outcomes };
}

async function main(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name));
  if (unknown.length > 0) {
    process.stderr.write(
      `no benchmark is called ${unknown.join(', ')}: there are ${BENCHMARKS.map(({ name }) => name).join(', ')}\n`,
    );
    return 2;
  }
  const begun = performance.now();
  await buildServices(ROOT, say);
  const results: Result[] = [];
  let failed = false;
  for (const benchmark of BENCHMARKS) {
    if (names.length > 0 && !names.includes(benchmark.name)) continue;
    const result = await runOne(benchmark).catch((error: unknown) => {
      failed = true;
      process.stderr.write(`${benchmark.name}: ${error instanceof Error ? error.stack : String(error)}\n`);
      return undefined;
    });
    if (result) results.push(result);
  }
  const previous = await readFile(PAGE, 'utf8').catch(() => '');
  const date = new Date().toISOString().slice(0, 10);
  const page = figuresPage(previous, { date, machine: await describeMachine(), results }, BENCHMARKS);
  await writeFile(PAGE, page);
  for (const { benchmark, name, reason } of missedRows(page, BENCHMARKS)) {
    if (reason === undefined) say(`${benchmark}: ${name}: missed, and its benchmark has no reason for that`);
  }
  say(`the run took ${secondsSince(begun).toFixed(0)} s`);
  return failed ? 1 : 0;
}

process.exit(await main(process.argv.slice(2)));
