import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TestApp } from '../../../app.fixture.ts';
import { AgeClock } from '../../../core/clock/age-clock.ts';
import { readLines } from '../../../core/records/line-journal.ts';
import { expect, test } from '../files.fixture.ts';
import { PartJournal } from './part-journal.ts';

const HOUR = 3600;
/** Seconds; more than a busy machine takes from setting a time to reading it. */
const MARGIN = 120;

function putPiece(daemon: TestApp, path: string, payload: string, range: string) {
  const headers = { 'content-range': `bytes ${range}` };
  return daemon.inject({ method: 'PUT', url: '/v2/fs/upload', query: { path }, payload, headers });
}

/** The part of the one upload into a directory. */
function partIn(directory: string): string {
  const [part = '', ...others] = readdirSync(directory).filter((name) => name.endsWith('.part'));
  expect(others).toEqual([]);
  return join(directory, part);
}

/** Sets the time of the last byte to so many seconds ago. */
function age(path: string, seconds: number): void {
  const time = Date.now() / 1000 - seconds;
  utimesSync(path, time, time);
}

/** Sets the time of the last call in all notes of a runtime directory to so many seconds ago. */
function ageNotes(runtime: string, seconds: number): void {
  const notes = join(runtime, 'parts/journal');
  const lines = readLines(notes).map((line) => line.replace(/\d+$/, (tick) => `${Number(tick) - seconds * 1000}`));
  writeFileSync(notes, lines.map((line) => `${line}\n`).join(''));
}

test('[fs.upload-resume-expiry] a part is removed an hour after its last byte; a later one can be continued', async ({
  dir,
}) => {
  const [runtime, old, young] = [join(dir, 'runtime'), join(dir, 'old'), join(dir, 'young')];
  for (const directory of [runtime, old, young]) mkdirSync(directory, { mode: 0o700 });
  {
    await using daemon = await TestApp.start({}, runtime);
    for (const directory of [old, young]) {
      const answer = await putPiece(daemon, join(directory, 'f'), 'hel', '0-2/5');
      expect(answer.json().data).toMatchObject({ complete: false, file_size: 3 });
    }
  }
  const [oldPart, youngPart] = [partIn(old), partIn(young)];
  age(oldPart, HOUR + 1);
  age(youngPart, HOUR - MARGIN);
  // The call in which the last byte of the young one came began earlier.
  ageNotes(runtime, HOUR + 1);
  await using daemon = await TestApp.start({}, runtime);
  await expect.poll(() => existsSync(oldPart)).toBe(false);
  expect(existsSync(youngPart)).toBe(true);
  const rest = await putPiece(daemon, join(young, 'f'), 'lo', '3-4/5');
  expect([rest.json().data.complete, readFileSync(join(young, 'f'), 'utf8')]).toEqual([true, 'hello']);
  const late = await putPiece(daemon, join(old, 'f'), 'lo', '3-4/5');
  expect([late.statusCode, late.json().data.size]).toEqual([409, 0]);
});

test('[fs.upload-resume-expiry] a part is removed when its time without a byte is over, not before', async ({
  dir,
}) => {
  const [notes, idle, busy] = [join(dir, 'notes'), join(dir, 'idle.part'), join(dir, 'busy.part')];
  writeFileSync(idle, 'x');
  writeFileSync(busy, 'x');
  const keptMs = 1000;
  const begun = performance.now();
  using journal = new PartJournal(notes, AgeClock.ofProcess(), keptMs);
  using _writing = journal.keep(busy);
  journal.keep(idle)[Symbol.dispose]();
  await expect.poll(() => existsSync(idle), { timeout: 30_000 }).toBe(false);
  expect(performance.now() - begun).toBeGreaterThanOrEqual(keptMs);
  expect([existsSync(busy), readLines(notes).length > 0]).toEqual([true, true]);
  journal.end(busy);
  expect(readLines(notes)).toEqual([]);
});

test('the time of a part that can no longer be reached ends without an error', async ({ dir }) => {
  const [notes, loop] = [join(dir, 'notes'), join(dir, 'loop')];
  symlinkSync('loop', loop);
  using journal = new PartJournal(notes, AgeClock.ofProcess(), 1);
  const kept = journal.keep(join(loop, 'x.part'));
  expect(readLines(notes)).toHaveLength(1);
  kept[Symbol.dispose]();
  await expect.poll(() => readLines(notes)).toEqual([]);
});

test('a part whose time ends later than a timer can wait is not looked at without a pause', async ({ dir }) => {
  const warnings: string[] = [];
  const noteWarning = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', noteWarning);
  using journal = new PartJournal(join(dir, 'notes'), AgeClock.ofProcess(), 2 ** 31);
  journal.keep(join(dir, 'x.part'))[Symbol.dispose]();
  await nextTurn();
  process.off('warning', noteWarning);
  expect(warnings).toEqual([]);
});
