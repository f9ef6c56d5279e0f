import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { AgeClock } from './age-clock.ts';

const HOUR = 3_600_000;
/** Milliseconds; more than a busy machine takes between two lines, and less than what a fault adds. */
const MARGIN = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const setWallClock = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

/** As after a reboot, or in a container on another machine. */
function forgetBoot(directory: string, boot: string | null = 'another'): void {
  const file = join(directory, 'clock.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), boot }));
}

test.each([3 * HOUR, -3 * HOUR])('[clock.jump] a wall clock that is set by %i ms does not move it', (ms) => {
  const clock = AgeClock.ofProcess();
  const begun = clock.now();
  setWallClock(ms);
  expect(clock.since(begun)).toBeLessThan(MARGIN);
  expect(clock.now()).toBeGreaterThanOrEqual(begun);
});

test.each([3 * HOUR, -3 * HOUR])(
  '[clock.restart] the next daemon continues it, whatever the wall clock does: %i ms',
  async (ms) => {
    await using place = await tempDir();
    await using first = AgeClock.open(place.path);
    const begun = first.now();
    setWallClock(ms);
    // As after a kill: nothing was written at the end.
    await using next = AgeClock.open(place.path);
    expect(next.now()).toBeGreaterThanOrEqual(begun);
    expect(next.since(begun)).toBeLessThan(MARGIN);
  },
);

test.each(['another', null])(
  '[clock.reboot] after a reboot (%s) the difference of the wall clock counts',
  async (boot) => {
    await using place = await tempDir();
    const first = AgeClock.open(place.path);
    const begun = first.now();
    // It was set, which the first daemon saw: only the hour after that is an age.
    setWallClock(-3 * HOUR);
    await first[Symbol.asyncDispose]();
    forgetBoot(place.path, boot);
    setWallClock(HOUR);
    await using next = AgeClock.open(place.path);
    expect(Math.abs(next.since(begun) - HOUR)).toBeLessThan(MARGIN);
  },
);

test('[clock.reboot] after a reboot with an earlier wall clock ages begin again, and are never negative', async () => {
  await using place = await tempDir();
  const first = AgeClock.open(place.path);
  await first[Symbol.asyncDispose]();
  const begun = first.now();
  forgetBoot(place.path);
  setWallClock(-30 * 365 * 24 * HOUR);
  await using next = AgeClock.open(place.path);
  expect(next.since(begun + HOUR)).toBe(0);
  const restored = next.restored(begun + HOUR, new Date());
  expect(next.since(restored)).toBeLessThan(MARGIN);
  expect(Math.abs(next.now() - begun)).toBeLessThan(MARGIN);
});

test('[clock.reboot] a record without a tick is dated by the wall clock, one without a date counts as new', () => {
  const clock = AgeClock.ofProcess();
  expect(Math.abs(clock.since(clock.restored(undefined, new Date(Date.now() - HOUR))) - HOUR)).toBeLessThan(MARGIN);
  expect(clock.since(clock.restored(undefined, 'no date'))).toBeLessThan(MARGIN);
  expect(clock.since(clock.restored(Number.NaN, 'no date'))).toBeLessThan(MARGIN);
});

test.each([3 * HOUR, -3 * HOUR])(
  '[clock.jump] a date that is shown has its age by the wall clock of now: %i ms',
  (ms) => {
    const clock = AgeClock.ofProcess();
    const moment = clock.moment();
    expect(clock.dateOf(moment)).toBe(moment.at);
    setWallClock(ms);
    expect(Math.abs(Date.now() - clock.dateOf(moment).getTime())).toBeLessThan(MARGIN);
    expect(clock.dateOf(moment)).toEqual(clock.dateOf(moment));
    const later = clock.moment();
    expect(clock.dateOf(later)).toBe(later.at);
  },
);

test.each(['', '{', '[]', 'null', '{"boot":1,"base":"x","ahead":null,"tick":0}'])(
  'a file that is not one of a clock, %j, is replaced',
  async (content) => {
    await using place = await tempDir();
    writeFileSync(join(place.path, 'clock.json'), content);
    const first = AgeClock.open(place.path);
    expect(Math.abs(first.now() - Date.now())).toBeLessThan(MARGIN);
    await using next = AgeClock.open(place.path);
    expect(next.now() - first.now()).toBeLessThan(MARGIN);
  },
);

test('a directory that takes no file costs the continuity alone', () => {
  const clock = AgeClock.open('/nowhere');
  const begun = clock.now();
  expect(clock.since(begun)).toBeLessThan(MARGIN);
});
