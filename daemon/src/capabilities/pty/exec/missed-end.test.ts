import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import { OutputLogWriter } from '../../../core/output/output-log-writer.ts';
import { Screen } from '../screen/screen.ts';
import { ScreenThread } from '../screen/screen-thread.ts';
import { History } from '../session/history.ts';
import { ExecRun } from './exec-run.ts';
import { noticeMissedEnd } from './missed-end.ts';
import { Prompt } from './prompt.ts';

const PROMPT = 'host$ ';

/** A command whose end mark is lost, in a terminal that shows the next prompt. */
class LostEnd implements Disposable {
  readonly screen: Screen;
  readonly run: ExecRun;
  readonly #history = new History(1024 ** 2);

  constructor(directory: string, thread: ScreenThread) {
    const log = new OutputLog(directory, 'a', 'terminal');
    this.#history.append(log.stdout);
    new OutputLogWriter(log, 1024 ** 2).write('stdout', Buffer.from(PROMPT));
    this.screen = new Screen(thread, this.#history, {
      size: { cols: 80, rows: 24 },
      failed: () => {},
      state: { gaveUp: () => {} },
    });
    this.run = new ExecRun(this.#history, { ps1: PROMPT, command: 'a', start: 0, end: null, exitCode: null });
  }

  notice(): Promise<void> {
    const prompt = new Prompt(this.#history, this.screen);
    return noticeMissedEnd(this.run, { history: this.#history, prompt, released: () => true }, 0);
  }

  [Symbol.dispose](): void {
    this.screen[Symbol.dispose]();
  }
}

test('a lost end is noticed although the thread of the screen dies during the look', async () => {
  await using directory = await tempDir();
  await using thread = new ScreenThread();
  using lost = new LostEnd(directory.path, thread);
  await lost.screen.reach(PROMPT.length, AbortSignal.timeout(60_000));
  // The look waits behind it.
  void thread.write(
    thread.open({ cols: 80, rows: 24 }, () => {}),
    Buffer.alloc(64 * 1024 ** 2, 'a'),
  );
  const noticed = lost.notice();
  await thread[Symbol.asyncDispose]();
  await noticed;
  expect(lost.run.status).toBe('completed');
});

test('a disposed screen does not keep the event loop busy while its command runs', async () => {
  await using directory = await tempDir();
  await using thread = new ScreenThread();
  using lost = new LostEnd(directory.path, thread);
  lost.screen[Symbol.dispose]();
  const noticed = lost.notice();
  await nextTurn();
  expect(lost.run.status).toBe('running');
  lost.run.terminate();
  await noticed;
});
