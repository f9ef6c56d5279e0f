import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { endProgramsBelow } from './end-programs.ts';
import type { Candidate } from './mutant.ts';
import { runWithin } from './run-within.ts';
import type { TreeCopy } from './tree-copy.ts';
import { type Verdict, verdictOf } from './verdict.ts';

const JUDGE = [process.execPath, 'scripts/mutants/judge.ts'];

export interface TrialTerms {
  /** Of the tests of one mutant, in milliseconds. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Takes the arguments of `judge.ts`. */
  readonly judge?: readonly string[];
}

interface Asked {
  readonly file: string;
  readonly paths: readonly string[];
  readonly only?: string | undefined;
}

/** Runs the tests of an area with one mutant. A test that fails without it too kills nothing. */
export async function tryMutant(copy: TreeCopy, { area, mutant }: Candidate, terms: TrialTerms): Promise<Verdict> {
  const verdict = await withMutant(copy, { area, mutant }, terms);
  if (verdict.kind !== 'killed') return verdict;
  const { file, test } = verdict;
  const without = await ask(copy, { file: mutant.file, paths: [file], only: test }, terms);
  if (without.kind === 'survived') return verdict;
  return { kind: 'unclear', reason: `fails without the mutant too: ${file}${test === undefined ? '' : ` > ${test}`}` };
}

async function withMutant(copy: TreeCopy, { area, mutant }: Omit<Candidate, 'name'>, terms: TrialTerms) {
  await using _applied = await copy.apply(mutant);
  return await ask(copy, { file: mutant.file, paths: area.tests }, terms);
}

async function ask(
  { path }: TreeCopy,
  { file, paths, only = '' }: Asked,
  { deadlineMs, signal, judge = JUDGE }: TrialTerms,
): Promise<Verdict> {
  const report = join(path, 'dist', 'mutant-report.json');
  await rm(report, { force: true });
  const ended = await runWithin([...judge, report, file, only, ...paths], { cwd: path, deadlineMs, signal });
  await endProgramsBelow(path);
  return verdictOf(ended, report, path);
}
