import { isMet, type Outcome } from './compare.ts';

/** The results of one benchmark in this run. */
export interface Result {
  readonly benchmark: string;
  readonly outcomes: readonly Outcome[];
}

export interface Run {
  /** `2026-01-31` */
  readonly date: string;
  /** One line. */
  readonly machine: string;
  readonly results: readonly Result[];
}

const HEAD = ['benchmark', 'figure', 'ours', 'peer', "peer's", 'ratio', 'goal', 'met', 'measured'];
const COLUMNS = 120;
const MACHINE = /^- \*\*([A-Z])\*\*: (.+)$/gm;
const FIGURES = /^\| (?!benchmark )(?=[a-z])(.+) \|$/gm;

/**
 * The page of figures: the rows of this run, those in `previous` of benchmarks that did not run, and
 * the machines that any row names. `benchmarks` is the list of all, in order; rows of others are removed.
 */
export function figuresPage(
  previous: string,
  run: Run,
  benchmarks: readonly { readonly name: string; readonly about: string }[],
): string {
  const known = new Map([...previous.matchAll(MACHINE)].map(([, letter = '', text = '']) => [letter, text]));
  const here = [...known].find(([, text]) => text === run.machine)?.[0] ?? freeLetter(known);
  known.set(here, run.machine);
  const earlier = [...previous.matchAll(FIGURES)].map(([, cells = '']) => cells.split(' | '));
  const rows = benchmarks.flatMap(({ name }) => {
    const result = run.results.find(({ benchmark }) => benchmark === name);
    if (!result) return earlier.filter(([benchmark]) => benchmark === name);
    return result.outcomes.map((outcome) => [name, ...cellsOf(outcome), `${run.date} on ${here}`]);
  });
  const named = [...known].filter(([letter]) => rows.some((cells) => cells.at(-1)?.endsWith(` on ${letter}`)));
  return page(rows, named.toSorted(), benchmarks);
}

/** A row of the table, for the terminal: name, figures, ratio, and whether the goal is met. */
export function lineOf(outcome: Outcome): string {
  const [name, ours, peer, theirs, ratio, goal, met] = cellsOf(outcome);
  const verdict = goal === '–' ? '' : `   ${met === 'yes' ? 'met' : 'MISSED'}: ${goal}`;
  return `${name}: ${ours}, ${peer}: ${theirs}, ${ratio}${verdict}`;
}

function cellsOf(outcome: Outcome): string[] {
  const { row, peer, ours, theirs } = outcome;
  const met = isMet(outcome);
  const difference = row.goal?.of === 'difference' ? ` (${signed(ours - theirs)} ${row.unit})` : '';
  return [
    row.name,
    `${shown(ours)} ${row.unit}`,
    peer,
    `${shown(theirs)} ${row.unit}`,
    `${theirs === 0 ? '–' : `${(ours / theirs).toFixed(2)}×`}${difference}`,
    row.goal?.words ?? '–',
    met === undefined ? '–' : met ? 'yes' : '**no**',
  ];
}

function page(
  rows: readonly (readonly string[])[],
  machines: readonly (readonly [string, string])[],
  benchmarks: readonly { readonly name: string; readonly about: string }[],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return `# Benchmarks

\`npm run bench\` measures all, \`npm run bench -- NAME…\` some, and writes this page. Each figure is the median of
several rounds that measured ours and the peer in turn on the same machine: the ratio applies to other machines, the
figures do not. Peer, client and load generator share the cores with the service.

${[line(HEAD), `|${'---|'.repeat(HEAD.length)}`, ...rows.map(line)].join('\n')}

Machines:

${machines.map(([letter, text]) => `- **${letter}**: ${text}`).join('\n')}

## What is compared

${benchmarks.map(({ name, about }) => wrapped(`**${name}**: ${about}`)).join('\n\n')}
`;
}

/** Breaks a paragraph at spaces into lines of at most 120 characters. */
function wrapped(paragraph: string): string {
  let column = 0;
  const words = paragraph.split(' ').map((word) => {
    const fits = column === 0 || column + 1 + word.length <= COLUMNS;
    const gap = column === 0 ? '' : fits ? ' ' : '\n';
    column = fits ? column + gap.length + word.length : word.length;
    return gap + word;
  });
  return words.join('');
}

function freeLetter(known: ReadonlyMap<string, string>): string {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  return letters.find((letter) => !known.has(letter)) ?? 'Z';
}

/** Three significant digits, thousands apart. */
function shown(value: number): string {
  if (!Number.isFinite(value)) return '?';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${shown(Math.abs(value))}`;
}
