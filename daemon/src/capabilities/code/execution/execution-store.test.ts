import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import type { ExecutionHead } from './execution-head.ts';
import { ExecutionStore } from './execution-store.ts';

const TEN_MINUTES_MS = 600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

function headOf(id: string): ExecutionHead {
  return {
    id,
    table: 'bash',
    language: 'bash',
    variant: '/bin/bash',
    code: 'true',
    sessionId: null,
    warnings: [],
    startedAt: new Date(),
    timeoutSeconds: 30,
  };
}

test('[code.kept] an execution is there for ten minutes after its end, and gone a minute later', async () => {
  await using place = await tempDir();
  using store = new ExecutionStore(place.path);
  const { execution } = store.create(headOf('a'));
  // However long it runs.
  vi.advanceTimersByTime(2 * TEN_MINUTES_MS);
  expect(store.get('a')).toBe(execution);
  execution.finish({ status: 'ok', executionCount: null, exitCode: 0, signal: null, oomKilled: null });
  await execution.ended;
  vi.advanceTimersByTime(TEN_MINUTES_MS - 1);
  expect(store.get('a').report().status).toBe('ok');
  vi.advanceTimersByTime(60_000 + 1);
  expect(() => store.get('a')).toThrow('no execution with id a');
  expect(readdirSync(place.path)).toEqual([]);
});

test('[code.kept] a restarted daemon reads what ended before, for the rest of its ten minutes', async () => {
  await using place = await tempDir();
  {
    using store = new ExecutionStore(place.path);
    const { execution } = store.create(headOf('a'));
    execution.write({ type: 'stream', name: 'stdout', text: 'printed\n' });
    execution.finish({ status: 'error', executionCount: null, exitCode: 3, signal: null, oomKilled: null });
    await execution.ended;
  }
  using next = new ExecutionStore(place.path);
  expect(next.recover()).toEqual([]);
  expect(next.get('a').report()).toMatchObject({ status: 'error', exitCode: 3, stdout: 'printed\n', code: 'true' });
  vi.advanceTimersByTime(TEN_MINUTES_MS + 60_000);
  expect(() => next.get('a')).toThrow('no execution with id a');
});
