import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { heldMemory } from '../../../../../scripts/testing/held-memory.ts';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import type { ExecutionHead } from './execution-head.ts';
import { ExecutionStore } from './execution-store.ts';

const TEN_MINUTES_MS = 600_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

function headOf(id: string, code = 'true'): ExecutionHead {
  return {
    id,
    table: 'bash',
    language: 'bash',
    variant: '/bin/bash',
    code,
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

test('[limits.executions] the long code of ended executions is read from their files', async () => {
  await using directory = await tempDir();
  using store = new ExecutionStore(directory.path);
  const codeOf = (n: number): string => Buffer.alloc(1024 ** 2, `${n}`).toString('latin1');
  const before = heldMemory();
  for (let n = 0; n < 64; n += 1) {
    const { execution } = store.create(headOf(`${n}`, codeOf(n)));
    execution.finish({ status: 'ok', executionCount: 1, exitCode: 0, signal: null, oomKilled: null });
    await execution.ended;
  }
  // With their code they would take 64 MiB.
  expect(heldMemory() - before).toBeLessThan(16 * 1024 ** 2);
  expect(store.get('7').head.code === codeOf(7)).toBe(true);
});
