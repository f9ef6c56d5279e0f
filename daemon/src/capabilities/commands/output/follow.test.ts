import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OutputLog } from '../../../core/output/output-log.ts';
import { follow } from './follow.ts';

test('a reader that has seen both streams end waits for the end of the command, and is woken by it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'follow-'));
  try {
    const log = new OutputLog(directory, 'c');
    const over = Promise.withResolvers<void>();
    const events = follow(log, { stdout: 0, stderr: 0 }, over.promise, new AbortController().signal);
    const next = events.next();
    log.seal();
    // So late that the reader waits for nothing but the end.
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    over.resolve();
    expect(await next).toEqual({ done: true, value: undefined });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
