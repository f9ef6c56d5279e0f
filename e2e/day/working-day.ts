import { expect } from 'vitest';
import { CALLERS, type Caller, type CallerName, type CellAnswer, type ServiceAddress } from './callers.ts';
import { type DayCell, dayCells, FIRST, MISSING } from './cells.ts';

/** A place where an analyst begins the day. */
export interface DayPlace extends ServiceAddress {
  /** How the user types an installation: `pip install`. */
  readonly install: string;
  /** A list in Python: the command that installs tqdm from a cell. */
  readonly installFromCell: string;
  /** pandas and matplotlib were there before the service. */
  readonly isPrepared?: boolean;
  /** The Python belongs to the system, whose pip refuses. */
  readonly refuses?: boolean;
  /** The Python has no ipykernel, without which /v1/jupyter runs nothing. */
  readonly lacksKernel?: boolean;
}

const PACKAGES = 'pandas matplotlib';
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** Cells of a day, and how long the slowest took. */
interface DayReport {
  readonly cells: number;
  readonly seconds: number;
  readonly slowest: string;
}

/** Runs the day by one route; each cell is asserted. */
export async function workingDay(place: DayPlace, route: CallerName): Promise<DayReport> {
  const caller = CALLERS[route](place);
  const times: [string, number][] = [];
  const timed = async <T>(name: string, doing: () => Promise<T>): Promise<T> => {
    const begun = performance.now();
    const done = await doing();
    times.push([name, (performance.now() - begun) / 1000]);
    return done;
  };
  const { error: _, ...found } = MISSING;
  const missing = place.isPrepared ? found : MISSING;
  if (place.lacksKernel && route === '/v1/jupyter') await expectNoKernel(place);
  else for (const cell of [FIRST, missing]) await timed(cell.name, () => runCell(caller, cell, [], 'analysis'));
  await timed('installation', () => install(caller, place));
  // A session that began in the Python of the system stays there.
  const session = place.refuses ? 'in-the-venv' : 'analysis';
  const cells = dayCells(place.installFromCell);
  for (const cell of cells) await timed(cell.name, () => runCell(caller, cell, cells, session));
  const seconds = times.reduce((sum, [, time]) => sum + time, 0);
  const [name, longest] = times.toSorted(([, a], [, b]) => b - a)[0] ?? ['', 0];
  return { cells: cells.length + 2, seconds, slowest: `${name} ${longest.toFixed(1)} s` };
}

/** The hint of the refused installation that follows installs ipykernel too. */
async function expectNoKernel({ url, key }: DayPlace): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const body = JSON.stringify({ code: FIRST.code });
  const answer = await fetch(`${url}/v1/jupyter/execute`, { method: 'POST', headers, body });
  const { hint } = (await answer.json()) as { readonly hint: unknown };
  expect([answer.status, hint]).toEqual([501, expect.stringContaining('ipykernel')]);
}

async function install(caller: Caller, { install, refuses }: DayPlace): Promise<void> {
  const answer = await caller.command(`${install} -q ${PACKAGES}`);
  if (!refuses) {
    expect([answer.exitCode, answer.exitCode === 0 ? '' : answer.text, answer.hint]).toEqual([0, '', null]);
    return;
  }
  expect(answer.exitCode).not.toBe(0);
  expect(answer.text).toContain('externally-managed-environment');
  expect(answer.hint).toContain('--break-system-packages');
  const [, named = ''] = /: (python3 -m venv .+?PACKAGES)/.exec(answer.hint ?? '') ?? [];
  const followed = await caller.command(named.replace('PACKAGES', `-q ${PACKAGES}`));
  expect([followed.exitCode, followed.exitCode === 0 ? '' : followed.text]).toEqual([0, '']);
}

async function runCell(caller: Caller, cell: DayCell, all: readonly DayCell[], session: string): Promise<void> {
  const before = caller.hasSessions ? [] : all.filter(({ name }) => cell.needs?.includes(name));
  const code = [...before.map((needed) => needed.code), cell.code].join('\n');
  const place = cell.isElsewhere ? 'elsewhere' : session;
  const named = `${cell.name}: `;
  if (cell.progress) {
    const pieces = await caller.pieces(code, place);
    const [begin, end] = cell.progress;
    expect(named + pieces.join('')).toContain(end);
    for (const part of cell.shows ?? []) expect(named + pieces.join('')).toContain(part);
    const first = pieces.find((piece) => piece.includes(begin)) ?? '';
    if (pieces.length > 1) expect(named + first).not.toContain(end);
    return;
  }
  const answer = cell.isEndless
    ? await caller.interrupted(code, place, cell.shows?.[0] ?? '')
    : await caller.cell(code, place);
  expectAnswer(cell, answer, caller.hasHtml);
}

function expectAnswer(cell: DayCell, { status, text, html, pictures }: CellAnswer, hasHtml: boolean): void {
  const isOk = cell.error === undefined && !cell.isEndless;
  expect([cell.name, status === 'ok', isOk && status !== 'ok' ? text : '']).toEqual([cell.name, isOk, '']);
  for (const part of [...(cell.shows ?? []), ...(cell.error === undefined ? [] : [cell.error])]) {
    expect(`${cell.name}: ${text}`).toContain(part);
  }
  if (hasHtml) expect([cell.name, html.includes('<table')]).toEqual([cell.name, cell.isTable ?? false]);
  expect([cell.name, pictures.length]).toEqual([cell.name, cell.pictures ?? 0]);
  for (const picture of pictures) {
    expect(picture.subarray(0, 8)).toEqual(PNG);
    expect(picture.length).toBeGreaterThan(2000);
  }
}
