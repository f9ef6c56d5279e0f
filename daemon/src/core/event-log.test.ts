import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { EventLog, isLoss, type LogEntry } from './event-log.ts';

const LONG_MS = 3_600_000;

interface Named {
  readonly name: string;
}

function names(entries: readonly LogEntry<Named>[]): string[] {
  return entries.map((entry) => (isLoss(entry) ? entry.reason : entry.name));
}

function logOf(count: number, limits: { entries: number; bytes?: number }): EventLog<Named> {
  const log = new EventLog<Named>({ ...limits, sizeOf: ({ name }) => name.length });
  for (const name of ['a', 'b', 'c', 'd', 'e'].slice(0, count)) log.add([{ name }]);
  return log;
}

test('[watch.kept] a log keeps the newest events, and a reader that fell behind gets a loss first', () => {
  const log = logOf(5, { entries: 3 });
  expect(names(log.after(0, 100))).toEqual(['too_many_events', 'c', 'd', 'e']);
  expect(log.after(0, 100).map(({ seq }) => seq)).toEqual([2, 3, 4, 5]);
  expect(names(log.after(2, 2))).toEqual(['c', 'd']);
  log.addLoss('queue_overflow');
  expect(log.after(5, 100).map(({ seq }) => seq)).toEqual([6]);
  expect(log.after(5, 100).every(isLoss)).toBe(true);
});

test('a log of events that have a size keeps so many bytes, and always the newest event', () => {
  const log = logOf(5, { entries: 100, bytes: 3 });
  expect([log.firstKept, log.last, names(log.after(2, 100))]).toEqual([3, 5, ['c', 'd', 'e']]);
  log.add([{ name: 'larger than that' }]);
  expect(names(log.after(4, 100))).toEqual(['too_many_events', 'larger than that']);
});

test('a wait ends by an event after its cursor, by the end of the log, by its time or by its signal', async () => {
  const log = logOf(2, { entries: 3 });
  await log.moreThan(1, { ms: LONG_MS });
  const waiting = log.moreThan(3, { ms: LONG_MS }).then(() => log.last);
  log.add([{ name: 'c' }]);
  await turn();
  log.add([{ name: 'd' }]);
  expect(await waiting).toBe(4);
  const started = performance.now();
  await log.moreThan(4, { ms: 20 });
  // A timer of Node may fire in the millisecond before its time.
  expect(performance.now() - started).toBeGreaterThanOrEqual(19);
  const abort = new AbortController();
  const aborted = log.moreThan(4, { signal: abort.signal });
  abort.abort();
  await aborted;
  const closed = log.moreThan(4, { ms: LONG_MS });
  log.close();
  await closed;
  await log.moreThan(4, { ms: LONG_MS });
});
