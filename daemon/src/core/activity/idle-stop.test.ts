import { createLogger } from '@sandbox/program/logger.ts';
import { expect, test } from 'vitest';
import { AgeClock } from '../clock/age-clock.ts';
import { Activity } from './activity.ts';
import { IdleStop } from './idle-stop.ts';

const logger = createLogger('test', 'silent', []);

/** Resolves with the time, in ms from the start, at which the sandbox is stopped. */
function stopAfter(
  activity: Activity,
  idleMs: number,
  isWaiting = () => false,
): { stopped: Promise<number>; use: Disposable } {
  const begun = performance.now();
  const { promise, resolve } = Promise.withResolvers<number>();
  const use = new IdleStop({ activity, logger, idleMs, isWaiting, stop: () => resolve(performance.now() - begun) });
  return { stopped: promise, use };
}

test('[idle.stop] a sandbox that nothing uses stops after the time, and not before', async () => {
  const { stopped } = stopAfter(new Activity(AgeClock.ofProcess()), 80);
  expect(await stopped).toBeGreaterThanOrEqual(78);
});

test('[idle.stop] a holder and each use begin the time again', async () => {
  const activity = new Activity(AgeClock.ofProcess());
  const holder = activity.hold('command', 'a');
  const { stopped } = stopAfter(activity, 80);
  let end = 0;
  setTimeout(() => {
    holder[Symbol.dispose]();
    setTimeout(() => {
      activity.note('file');
      end = performance.now();
    }, 40);
  }, 160);
  await stopped;
  expect(end).toBeGreaterThan(0);
  expect(performance.now() - end).toBeGreaterThanOrEqual(78);
});

test('[idle.stop] the time in a pool does not count', async () => {
  const activity = new Activity(AgeClock.ofProcess());
  let looks = 0;
  const { stopped } = stopAfter(activity, 30, () => ++looks < 4);
  expect(await stopped).toBeGreaterThanOrEqual(85);
});

test('[idle.stop] with 0 it is never stopped', async () => {
  const activity = new Activity(AgeClock.ofProcess());
  let isStopped = false;
  using _never = new IdleStop({ activity, logger, idleMs: 0, isWaiting: () => false, stop: () => (isStopped = true) });
  const { stopped } = stopAfter(activity, 60);
  await stopped;
  expect(isStopped).toBe(false);
});
