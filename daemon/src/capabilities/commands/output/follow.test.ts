import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OutputLog } from '../../../core/output/output-log.ts';
import { Command, newRecord } from '../run/command.ts';
import { follow } from './follow.ts';

test('a reader at the end of both streams waits for the end of the command', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'follow-'));
  try {
    const log = new OutputLog(directory, 'c');
    const over = Promise.withResolvers<void>();
    const record = newRecord({ id: 'c', command: 'true', startedTick: 0 });
    const command = new Command(record, log, { ended: over.promise });
    const events = follow(command, { stdout: 0, stderr: 0 }, new AbortController().signal);
    const first = events.next();
    log.seal();
    for (const [stream, event] of [
      ['stdout', await first],
      ['stderr', await events.next()],
    ] as const) {
      expect(event.value).toEqual({ type: 'eof', stream, offset: 0 });
    }
    const next = events.next();
    // By now the reader waits for the end alone.
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    over.resolve();
    const exit = { type: 'exit', record, ends: { stdout: 0, stderr: 0 } };
    expect([await next, await events.next()]).toEqual([
      { done: false, value: exit },
      { done: true, value: undefined },
    ]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test('a reader that keeps up with an output that is there leaves turns to the event loop', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'follow-'));
  try {
    const log = new OutputLog(directory, 'c');
    writeFileSync(log.stdout.pathOf(0), Buffer.alloc(8 * 1024 ** 2, 'x'));
    log.stdout.begin(0);
    log.stdout.advance(8 * 1024 ** 2);
    log.seal();
    let [turns, isOver] = [0, false];
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const command = new Command(newRecord({ id: 'c', command: 'true', startedTick: 0 }), log, {});
    for await (const _event of follow(command, { stdout: 0, stderr: 0 }, new AbortController().signal)) {
      // What a consumer does with a piece: 128 pieces of 4 ms, in reads of four pieces.
      for (const until = performance.now() + 4; performance.now() < until; );
    }
    isOver = true;
    expect(turns).toBeGreaterThan(16);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
