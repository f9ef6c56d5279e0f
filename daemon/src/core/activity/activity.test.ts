import { pollUntil } from '@sandbox/api/wait.ts';
import { expect, test } from 'vitest';
import { AgeClock } from '../clock/age-clock.ts';
import { Activity } from './activity.ts';
import { RecentUse } from './recent-use.ts';

const state = (activity: Activity) => activity.report().state;
const idle = (activity: Activity) => pollUntil(() => state(activity) === 'idle', { everyMs: 5, ms: 30_000 });

test('it is busy from the first holder to the end of the last, and says since when', () => {
  const activity = new Activity(AgeClock.ofProcess());
  const begun = activity.report().since;
  expect(activity.report()).toMatchObject({ state: 'idle', holders: [], last: { command: null } });
  const first = activity.hold('command', 'a');
  const since = activity.report().since;
  expect(since.getTime()).toBeGreaterThanOrEqual(begun.getTime());
  const second = activity.hold('transfer', 'b');
  first[Symbol.dispose]();
  expect(activity.report()).toMatchObject({ state: 'busy', since, holders: [{ kind: 'transfer', id: 'b' }] });
  const before = Date.now();
  second[Symbol.dispose]();
  const after = activity.report();
  expect(after.state).toBe('idle');
  expect(after.since.getTime()).toBeGreaterThanOrEqual(before);
  second[Symbol.dispose]();
  expect(activity.report()).toEqual(after);
});

test('what an earlier daemon began holds since it began, oldest first', () => {
  const activity = new Activity(AgeClock.ofProcess());
  activity.hold('terminal', 'new');
  const since = new Date(Date.now() - 60_000);
  activity.hold('command', 'old', { at: since, tick: since.getTime() });
  expect(activity.report().since).toEqual(since);
  expect(activity.report().holders.map(({ id }) => id)).toEqual(['old', 'new']);
});

test('a use holds until it was quiet for the time, counted from the last touch', async () => {
  const activity = new Activity(AgeClock.ofProcess());
  const use = new RecentUse(activity, { kind: 'terminal', id: 't', quietMs: 60, isBusy: () => false });
  expect(state(activity)).toBe('idle');
  use.touch();
  const touches = performance.now() + 200;
  await pollUntil(
    () => {
      use.touch();
      expect(state(activity)).toBe('busy');
      return performance.now() > touches;
    },
    { everyMs: 5, ms: 30_000 },
  );
  const last = performance.now();
  await idle(activity);
  expect(performance.now() - last).toBeGreaterThanOrEqual(50);
  expect(activity.report().last.terminal).not.toBeNull();
});

test('a silent program holds as long as it runs', async () => {
  const activity = new Activity(AgeClock.ofProcess());
  let looks = 0;
  const use = new RecentUse(activity, { kind: 'terminal', id: 't', quietMs: 5, isBusy: () => ++looks < 5 });
  use.touch();
  await idle(activity);
  expect(looks).toBe(5);
});

test('what is over holds nothing and counts no touch', () => {
  const activity = new Activity(AgeClock.ofProcess());
  const use = new RecentUse(activity, { kind: 'terminal', id: 't', quietMs: 60_000, isBusy: () => true });
  use.touch();
  use[Symbol.dispose]();
  use.touch();
  expect(state(activity)).toBe('idle');
});
