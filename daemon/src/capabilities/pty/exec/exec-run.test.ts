import { expect, test } from 'vitest';
import { History } from '../session/history.ts';
import type { ConsoleRecord } from '../session/session-record.ts';
import { ExecRun } from './exec-run.ts';

const newConsole = (): ConsoleRecord => ({ ps1: '$ ', command: 'true', start: 0, end: null, exitCode: null });

test('[pty.exec-answered] a command whose session has closed ends, also where the shell reports no end', async () => {
  const history = new History(1024);
  history.close();
  const run = new ExecRun(history, newConsole()).follow('nonce', 0, () => false);
  await run.done;
  expect(run.status).toBe('terminated');
});

test('[pty.exec-answered] a command ends with its shell where output before the end of the shell was lost', async () => {
  const history = new History(1024);
  const run = new ExecRun(history, newConsole()).follow('nonce', 0, () => false);
  run.shellEnded(100, { exitCode: 3, signal: null, lost: false } as Parameters<ExecRun['shellEnded']>[1]);
  history.close();
  await run.done;
  expect([run.status, run.console.exitCode]).toEqual(['completed', 3]);
});
