import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ByteLogWriter } from '../../../core/output/byte-log-writer.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import { History } from '../session/history.ts';
import { Screen } from './screen.ts';
import { type ScreenFailure, ScreenThread } from './screen-thread.ts';

const size = { cols: 80, rows: 24 };
const bound = AbortSignal.timeout(80_000);

function drawn(thread: ScreenThread, output: string, failure?: ScreenFailure) {
  const directory = mkdtempSync(join(tmpdir(), 'screen-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const { stdout } = new OutputLog(directory, 'a', 'terminal');
  const history = new History(1024);
  history.append(stdout);
  new ByteLogWriter(stdout, 1024).write(Buffer.from(output));
  const failures: string[] = [];
  const state = { failure, gaveUp: (kind: string) => failures.push(kind) };
  const screen = new Screen(thread, history, { size, failed: () => {}, state });
  onTestFinished(() => screen[Symbol.dispose]());
  return { screen, failures };
}

test('[pty.screen-quarantine] output that the engine does not end with costs its own screen; others are drawn again', async () => {
  await using thread = new ScreenThread({
    deadlineMs: 300,
    program: join(import.meta.dirname, 'stuck-worker.fixture.ts'),
  });
  const innocent = drawn(thread, 'innocent');
  expect((await innocent.screen.look('text', bound)).output.trim()).toBe('innocent');
  const hostile = drawn(thread, 'spin');
  await expect(hostile.screen.look('text', bound)).rejects.toThrow('no screen: its output took too long to draw');
  expect(hostile.failures).toEqual(['time']);
  await innocent.screen.reach(8, bound);
  expect((await innocent.screen.look('text', bound)).output.trim()).toBe('innocent');
  const { generation } = thread;
  await expect(hostile.screen.look('text', bound)).rejects.toThrow('no screen');
  expect([innocent.failures, thread.generation]).toEqual([[], generation]);
});

test('[pty.screen-quarantine] a screen that an earlier daemon gave up is not drawn again', async () => {
  await using thread = new ScreenThread();
  const { screen } = drawn(thread, 'spin', 'memory');
  await expect(screen.look('text', bound)).rejects.toThrow('no screen: its output needs too much memory');
  expect(thread.generation).toBe(0);
});
