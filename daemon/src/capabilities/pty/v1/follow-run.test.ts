import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import { OutputLogWriter } from '../../../core/output/output-log-writer.ts';
import { ExecRun } from '../exec/exec-run.ts';
import { History } from '../session/history.ts';
import { followRun } from './follow-run.ts';

/** Half of the cap. */
const SEGMENT_BYTES = 4096;
const NONCE = '0123456789abcdef';
const END = `\x1b]133;D;0;svc=${NONCE};/\x07`;

test('output that was dropped does not end the stream of a command that runs', async () => {
  await using directory = await tempDir();
  const log = new OutputLog(directory.path, 'a', 'terminal');
  const history = new History(1024 ** 2);
  history.append(log.stdout);
  const writer = new OutputLogWriter(log, 2 * SEGMENT_BYTES);
  const write = (text: string): void => writer.write('stdout', Buffer.from(text));
  const run = new ExecRun(history, { ps1: '', command: 'a', start: 0, end: null, exitCode: null });
  run.follow(NONCE, 0, () => false);
  write(`\x1b]133;C;svc=${NONCE}\x07first\n`);
  const stream = followRun(run, new AbortController().signal);
  expect((await stream.next()).value).toBe('first\n');
  const { end } = log.stdout;
  write('second\n');
  await run.moreScanned(end, new AbortController().signal);
  // Drops what is scanned, before anybody reads it.
  write(`${'x'.repeat(3 * SEGMENT_BYTES)}\nlast\n${END}$ `);
  let rest = '';
  for await (const text of stream) rest += text;
  expect(rest).toMatch(/^x+\nlast\n$/);
});
