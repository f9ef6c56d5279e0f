import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { LongTimer, MAX_TIMER_MS, onAbort, pause, pollUntil, timerMs, Waiters, waitFor } from './wait.ts';

const never = new Promise<never>(() => {});
const LONG_MS = 3_600_000;

test('a wait ends by its event, by its time, or by its signal', async () => {
  const abort = new AbortController();
  const waiting = waitFor(never, { ms: LONG_MS, signal: abort.signal });
  abort.abort();
  expect(await waiting).toBe('aborted');
  expect(await waitFor(Promise.resolve(), { ms: LONG_MS })).toBe('settled');
  expect(await waitFor(never, { ms: 1 })).toBe('timeout');
});

test('a signal that has fired already ends a wait before its event is looked at', async () => {
  const signal = AbortSignal.abort();
  expect(await waitFor(Promise.resolve(), { signal })).toBe('aborted');
  expect(await pollUntil(() => true, { everyMs: 1, signal })).toBe('aborted');
  expect(await new Waiters().next({ signal })).toBe('aborted');
  await pause(LONG_MS, signal);
});

test('an event that rejects ends its wait with the reason', async () => {
  await expect(waitFor(Promise.reject(new Error('broken')), { ms: LONG_MS })).rejects.toThrow('broken');
});

test('input that arrived while the process stood still settles a wait, although its time is over', async () => {
  await using directory = await tempDir();
  const answered = join(directory.path, 'answered');
  const child = spawn('sh', ['-c', 'read line; echo "$line"; : > "$1"', 'sh', answered], { stdio: 'pipe' });
  child.stdin.write('line\n');
  const waiting = waitFor(once(child.stdout, 'data'), { ms: 1 });
  while (!existsSync(answered)) spawnSync('true');
  expect(await waiting).toBe('settled');
});

test('a wait leaves no listener behind', async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...args: Parameters<AbortSignal['addEventListener']>) => {
    listeners += 1;
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<AbortSignal['removeEventListener']>) => {
    listeners -= 1;
    removeEventListener.apply(signal, args);
  };
  const waiters = new Waiters();
  const next = waiters.next({ signal });
  waiters.wake();
  expect(await next).toBe('settled');
  expect(await waitFor(never, { ms: 1, signal })).toBe('timeout');
  await pause(1, signal);
  expect([listeners, waiters.count]).toEqual([0, 0]);
});

test('a handler of an abort runs once, at once where the signal has fired, and not after its disposal', () => {
  const calls: string[] = [];
  onAbort(AbortSignal.abort(), () => calls.push('fired'));
  const abort = new AbortController();
  onAbort(abort.signal, () => calls.push('kept'));
  onAbort(abort.signal, () => calls.push('disposed'))[Symbol.dispose]();
  abort.abort();
  expect(calls).toEqual(['fired', 'kept']);
});

test('a poll looks at once, again until it is done, and ends by its time', async () => {
  let looks = 0;
  expect(await pollUntil(() => ++looks === 3, { everyMs: 1, ms: LONG_MS })).toBe('settled');
  expect(looks).toBe(3);
  expect(await pollUntil(() => false, { everyMs: 1, ms: 5 })).toBe('timeout');
});

test('wake settles the present waits and no later one', async () => {
  const waiters = new Waiters();
  const first = [waiters.next({ ms: LONG_MS }), waiters.next({ ms: LONG_MS })];
  waiters.wake();
  expect(await Promise.all(first)).toEqual(['settled', 'settled']);
  expect(await waiters.next({ ms: 1 })).toBe('timeout');
});

test.each([
  [27.2416, 28],
  [9e173, MAX_TIMER_MS],
  [Number.POSITIVE_INFINITY, MAX_TIMER_MS],
  [-1, 0],
  [Number.NaN, 0],
])('%d milliseconds are a timer of %d', (ms, expected) => {
  expect(timerMs(ms)).toBe(expected);
});

test('a timer longer than the longest of Node does not fire at once', async () => {
  let fired = false;
  using _timer = new LongTimer(MAX_TIMER_MS * 2, () => {
    fired = true;
  });
  await pause(20);
  expect(fired).toBe(false);
  const { promise, resolve } = Promise.withResolvers<void>();
  using _short = new LongTimer(1, resolve);
  await promise;
});
