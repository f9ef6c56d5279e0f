import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heldMemory } from '../../../../../scripts/testing/held-memory.ts';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { AgeClock } from '../../../core/clock/age-clock.ts';
import type { ExecutionHead } from './execution-head.ts';
import { ExecutionStore } from './execution-store.ts';

const clock = AgeClock.ofProcess();
const END = { status: 'ok', executionCount: 1, exitCode: 0, signal: null, oomKilled: null } as const;

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
    startedTick: clock.now(),
    timeoutSeconds: 30,
  };
}

test('[code.kept] an execution goes some time after its end, with its file', async () => {
  await using place = await tempDir();
  using store = new ExecutionStore(place.path, clock, 200);
  const { execution } = store.create(headOf('a'));
  execution.finish(END);
  await execution.ended;
  expect(store.get('a').report().status).toBe('ok');
  await expect.poll(() => readdirSync(place.path)).toEqual([]);
  expect(() => store.get('a')).toThrow('no execution with id a');
});

test('[code.kept] a restarted daemon reads what ended in the last ten minutes, and removes what ended before', async () => {
  await using place = await tempDir();
  {
    using store = new ExecutionStore(place.path, clock);
    for (const [id, seconds] of [
      ['earlier', 601],
      ['later', 590],
    ] as const) {
      const { execution } = store.create(headOf(id));
      execution.write({ type: 'stream', name: 'stdout', text: 'printed\n' });
      execution.finish({ ...END, status: 'error', exitCode: 3 });
      await execution.ended;
      const time = Date.now() / 1000 - seconds;
      for (const name of readdirSync(place.path))
        if (name.startsWith(id)) utimesSync(join(place.path, name), time, time);
    }
  }
  using next = new ExecutionStore(place.path, clock);
  expect(next.recover()).toEqual([]);
  expect(next.get('later').report()).toMatchObject({ exitCode: 3, stdout: 'printed\n', code: 'true' });
  expect(() => next.get('earlier')).toThrow('no execution with id earlier');
  expect(readdirSync(place.path).some((name) => name.startsWith('earlier'))).toBe(false);
});

test('executions that follow each other have a file each, and none is left of the one that was opened ahead', async () => {
  await using place = await tempDir();
  const ids = ['a', 'b', 'c', 'd'];
  const names = (): string[] => readdirSync(place.path).sort();
  {
    using store = new ExecutionStore(place.path, clock);
    for (const id of ids) {
      store.create(headOf(id)).execution.finish(END);
      await new Promise(setImmediate);
    }
    // One more, which waits for the next execution.
    expect(names()).toHaveLength(ids.length + 1);
  }
  expect(names()).toEqual(ids.map((id) => `${id}.ended`));
  // As a daemon that was killed leaves it.
  writeFileSync(join(place.path, 'ahead.running'), '');
  using next = new ExecutionStore(place.path, clock);
  expect(next.recover()).toEqual([]);
  expect(ids.map((id) => next.get(id).head.id)).toEqual(ids);
  expect(names()).toEqual(ids.map((id) => `${id}.ended`));
});

test('[limits.executions] the long code of ended executions is read from their files', async () => {
  await using directory = await tempDir();
  using store = new ExecutionStore(directory.path, clock);
  const codeOf = (n: number): string => Buffer.alloc(1024 ** 2, `${n}`).toString('latin1');
  const before = heldMemory();
  for (let n = 0; n < 64; n += 1) {
    const { execution } = store.create(headOf(`${n}`, codeOf(n)));
    execution.finish(END);
    await execution.ended;
  }
  // With their code they would take 64 MiB.
  expect(heldMemory() - before).toBeLessThan(16 * 1024 ** 2);
  expect(store.get('7').head.code === codeOf(7)).toBe(true);
});
