import type { Outcome } from './compare.ts';
import { type Judgement, judge } from './judgement.ts';
import { spreadOf } from './statistics.ts';

/** The columns of the table that `rowCells` fills, in order. */
export const FIGURE_COLUMNS = ['figure', 'ours', 'peer', "peer's", 'ratio', 'goal', 'met'] as const;

/** The cell of a missed goal. */
export const MISSED = '**no**';
/** Ends the name of a peer that is the plainest program for the job. */
export const FLOOR_PEER = ' (floor)';
const NONE = '–';
const MET: Readonly<Record<Judgement, string>> = { met: 'yes', missed: MISSED, unclear: 'unclear' };
const SHOUTED: Readonly<Record<Judgement, string>> = { met: 'met', missed: 'MISSED', unclear: 'UNCLEAR' };

/** The cells of a row: medians with their ranges, and the judgement. */
export function rowCells(outcome: Outcome): string[] {
  const { row, peer, rounds } = outcome;
  const judgement = judge(outcome);
  const ours = rounds.map((round) => round.ours);
  const theirs = rounds.map((round) => round.theirs);
  return [
    row.name,
    `${figure(ours, row.unit)}${rounds.length === 1 ? ' (one round)' : ''}`,
    row.peerIsFloor ? `${peer}${FLOOR_PEER}` : peer,
    figure(theirs, row.unit),
    [ratio(outcome), ...(row.goal?.of === 'difference' ? [difference(outcome)] : [])].join(', '),
    row.goal?.words ?? NONE,
    judgement === undefined ? NONE : MET[judgement],
  ];
}

/** A row for the terminal: name, figures, ratio, and whether the goal is met. */
export function rowLine(outcome: Outcome): string {
  const [name, ours, peer, theirs, compared] = rowCells(outcome);
  const judgement = judge(outcome);
  const verdict = judgement === undefined ? '' : `   ${SHOUTED[judgement]}: ${outcome.row.goal?.words}`;
  return `${name}: ${ours}, ${peer}: ${theirs}, ${compared}${verdict}`;
}

function figure(values: readonly number[], unit: string): string {
  return withRange(values, shown, ` ${unit}`);
}

function ratio({ rounds }: Outcome): string {
  if (rounds.some(({ theirs }) => theirs === 0)) return NONE;
  const values = rounds.map(({ ours, theirs }) => ours / theirs);
  return withRange(values, (value) => value.toFixed(2), '×');
}

function difference({ row, rounds }: Outcome): string {
  const values = rounds.map(({ ours, theirs }) => ours - theirs);
  return withRange(values, signed, ` ${row.unit}`);
}

/** The median, and the range if there is more than one round. */
function withRange(values: readonly number[], shownAs: (value: number) => string, unit: string): string {
  const { median, min, max } = spreadOf(values);
  const range = values.length > 1 ? ` (${shownAs(min)} to ${shownAs(max)})` : '';
  return `${shownAs(median)}${unit}${range}`;
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
