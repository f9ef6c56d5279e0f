import type { Benchmark } from './benchmark.ts';
import type { Outcome } from './compare.ts';
import { readPage } from './earlier-page.ts';
import { FIGURE_COLUMNS, FLOOR_PEER, MISSED, rowCells } from './row-cells.ts';
import { floorName } from './rows.ts';

/** The results of one benchmark in this run. */
export interface Result {
  readonly benchmark: string;
  /** Its duration, preparation included. */
  readonly seconds: number;
  readonly outcomes: readonly Outcome[];
}

export interface Run {
  /** `2026-01-31` */
  readonly date: string;
  /** One line. */
  readonly machine: string;
  readonly results: readonly Result[];
}

/** What the page takes from a benchmark itself. */
type Described = Pick<Benchmark, 'name' | 'about' | 'reasons'>;

const HEAD = ['benchmark', ...FIGURE_COLUMNS, 'measured'];
const [PEER, MET] = [HEAD.indexOf('peer'), HEAD.indexOf('met')];
const COLUMNS = 120;

/**
 * The page of figures: the rows and durations of this run, if any, those in `previous` of benchmarks that did not run,
 * and the machines that any row names. `benchmarks` is the list of all, in order; rows of others are removed.
 */
export function figuresPage(previous: string, run: Run | undefined, benchmarks: readonly Described[]): string {
  const earlier = readPage(previous);
  const known = new Map(earlier.machines);
  const measured = run && `${run.date} on ${letterOf(run.machine, known)}`;
  const results = new Map(run?.results.map((result) => [result.benchmark, result]));
  const rows = benchmarks.flatMap(({ name }) => {
    const result = results.get(name);
    if (!result) return earlier.rows.filter(([benchmark]) => benchmark === name);
    return result.outcomes.map((outcome) => [name, ...rowCells(outcome), measured ?? '']);
  });
  const seconds = benchmarks.flatMap(({ name }) => {
    const took = results.get(name)?.seconds ?? earlier.seconds.get(name);
    return took === undefined ? [] : [[name, Math.round(took)] as const];
  });
  const named = [...known].filter(([letter]) => rows.some((cells) => cells.at(-1)?.endsWith(` on ${letter}`)));
  return page({ rows, seconds, machines: named.toSorted() }, benchmarks);
}

/** A row of the page with a missed goal. */
export interface MissedRow {
  readonly benchmark: string;
  readonly name: string;
  /** Undefined if the benchmark gives none. */
  readonly reason: string | undefined;
  /** Whether the plainest program for the same job was measured beside it. */
  readonly hasFloor: boolean;
}

/** The rows of a page with missed goals, in order. */
export function missedRows(page: string, benchmarks: readonly Described[]): MissedRow[] {
  return missedOf(readPage(page).rows, benchmarks);
}

function missedOf(rows: readonly (readonly string[])[], benchmarks: readonly Described[]): MissedRow[] {
  const reasons = new Map(benchmarks.map((benchmark) => [benchmark.name, benchmark.reasons ?? {}]));
  const names = new Set(rows.map(([benchmark, name]) => `${benchmark} ${name}`));
  return rows
    .filter((cells) => cells[MET] === MISSED)
    .map((cells) => {
      const [benchmark = '', name = ''] = cells;
      const hasFloor = cells[PEER]?.endsWith(FLOOR_PEER) || names.has(`${benchmark} ${floorName(name)}`);
      return { benchmark, name, reason: reasons.get(benchmark)?.[name], hasFloor };
    });
}

interface Content {
  readonly rows: readonly (readonly string[])[];
  readonly seconds: readonly (readonly [string, number])[];
  readonly machines: readonly (readonly [string, string])[];
}

function page({ rows, seconds, machines }: Content, benchmarks: readonly Described[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const missed = missedOf(rows, benchmarks);
  return `# Benchmarks

\`npm run bench\` measures all, \`npm run bench -- NAME…\` some, and writes this page. Each round measures ours and the
peer in turn on the same machine: the ratio applies to other machines, the figures do not. A figure is the median of
several rounds, with the lowest and the highest in parentheses; the ratio is formed in each round. A goal is met (yes)
or missed (**no**) where every round says so, otherwise it is unclear. A row of one round says so. Where a goal is
missed, the plainest program that does the same job stands beside it: in the row of that name that ends with “floor”,
or as the peer. Peer, client and load generator share the cores with the service.

${[line(HEAD), `|${'---|'.repeat(HEAD.length)}`, ...rows.map(line)].join('\n')}

Machines:

${machines.map(([letter, text]) => `- **${letter}**: ${text}`).join('\n')}

## Missed goals

${missed.length === 0 ? 'None.' : missed.map((row) => wrapped(missedText(row), '  ')).join('\n')}

## Duration

${durations(seconds, benchmarks.length)}

## What is compared

${benchmarks.map(({ name, about }) => wrapped(`**${name}**: ${about}`)).join('\n\n')}
`;
}

function missedText({ benchmark, name, reason }: MissedRow): string {
  return `- **${benchmark}**, ${name}: ${reason ?? 'the reason is unknown.'}`;
}

function durations(seconds: readonly (readonly [string, number])[], count: number): string {
  if (seconds.length === 0) return 'No duration was measured.';
  const all = seconds.reduce((sum, [, each]) => sum + each, 0);
  const which = seconds.length === count ? `All ${count} benchmarks` : `${seconds.length} of ${count} benchmarks`;
  const head = `${which} took ${all} s (${Math.round(all / 60)} min), with preparation, without builds of the services:`;
  return [head, '', ...seconds.map(([name, each]) => `- ${name}: ${each} s`)].join('\n');
}

/** Breaks a paragraph at spaces into lines of at most 120 characters; all but the first begin with the indent. */
function wrapped(paragraph: string, indent = ''): string {
  let column = 0;
  const words = paragraph.split(' ').map((word) => {
    const fits = column === 0 || column + 1 + word.length <= COLUMNS;
    const gap = column === 0 ? '' : fits ? ' ' : `\n${indent}`;
    column = fits ? column + gap.length + word.length : indent.length + word.length;
    return gap + word;
  });
  return words.join('');
}

/** The letter of a machine; a new one gets a free letter, and is added. */
function letterOf(machine: string, known: Map<string, string>): string {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const listed = [...known].find(([, text]) => text === machine)?.[0];
  const letter = listed ?? letters.find((free) => !known.has(free)) ?? 'Z';
  known.set(letter, machine);
  return letter;
}
