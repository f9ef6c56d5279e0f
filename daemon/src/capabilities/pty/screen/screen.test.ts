import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { ByteLogWriter } from '../../../core/output/byte-log-writer.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import { History } from '../session/history.ts';
import { Screen } from './screen.ts';
import { ScreenThread } from './screen-thread.ts';

test('[pty.screen] output that was dropped is not waited for, before the first look and after it', async () => {
  await using thread = new ScreenThread();
  const { stdout } = new OutputLog('/nowhere', 'a', 'terminal');
  const history = new History(1024);
  history.append(stdout);
  using screen = new Screen(thread, history, {
    size: { cols: 80, rows: 24 },
    failed: () => {},
    state: { gaveUp: () => {} },
  });
  const bound = AbortSignal.timeout(60_000);
  for (const end of [10, 20, 30]) {
    stdout.skip(end);
    await screen.reach(end, bound);
    expect([screen.offset, bound.aborted]).toEqual([end, false]);
  }
});

test('[pty.screen] a look after the death of the thread shows the whole screen again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'screen-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  await using thread = new ScreenThread();
  const { stdout } = new OutputLog(directory, 'a', 'terminal');
  const history = new History(1024);
  history.append(stdout);
  new ByteLogWriter(stdout, 1024).write(Buffer.from('drawn'));
  using screen = new Screen(thread, history, {
    size: { cols: 80, rows: 24 },
    failed: () => {},
    state: { gaveUp: () => {} },
  });
  const shown = async (): Promise<string> => (await screen.look('text', AbortSignal.timeout(60_000))).output.trim();
  expect(await shown()).toBe('drawn');
  await thread[Symbol.asyncDispose]();
  expect(await shown()).toBe('drawn');
});

test('[pty.screen] the thread ends some time after its last session, and the next one has a new thread', async () => {
  await using thread = new ScreenThread({ idleMs: 50 });
  const started = once(process, 'worker') as Promise<[Worker]>;
  const [first, second] = [
    thread.open({ cols: 80, rows: 24 }, () => {}),
    thread.open({ cols: 80, rows: 24 }, () => {}),
  ];
  const [worker] = await started;
  const ended = once(worker, 'exit');
  await thread.write(second, Buffer.from('two'));
  thread.close(first);
  expect((await thread.look(second, 'text'))?.output.trim()).toBe('two');
  thread.close(second);
  await ended;
  expect(thread.generation).toBe(1);
  const third = thread.open({ cols: 80, rows: 24 }, () => {});
  await thread.write(third, Buffer.from('three'));
  expect((await thread.look(third, 'text'))?.output.trim()).toBe('three');
  expect(thread.generation).toBe(2);
});
