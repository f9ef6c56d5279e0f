import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  using screen = new Screen(thread, history, { cols: 80, rows: 24 }, () => {});
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
  using screen = new Screen(thread, history, { cols: 80, rows: 24 }, () => {});
  const shown = async (): Promise<string> => (await screen.look('text', AbortSignal.timeout(60_000))).output.trim();
  expect(await shown()).toBe('drawn');
  await thread[Symbol.asyncDispose]();
  await expect(shown()).rejects.toThrow('the screen is being redrawn');
  expect(await shown()).toBe('drawn');
});
