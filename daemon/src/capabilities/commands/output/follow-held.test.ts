import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OutputLog } from '../../../core/output/output-log.ts';
import { Command, newRecord } from '../run/command.ts';
import { follow } from './follow.ts';

test.each(['stdout', 'stderr'] as const)('the first half of a character that ends %s is not lost', async (name) => {
  const directory = mkdtempSync(join(tmpdir(), 'follow-held-'));
  try {
    const log = new OutputLog(directory, 'c');
    const stream = log[name];
    writeFileSync(stream.pathOf(0), Buffer.from([0x61, 0xe6, 0x97]));
    stream.begin(0);
    stream.advance(3);
    log.seal();
    const pieces = [];
    const command = new Command(newRecord({ id: 'c', command: 'true', startedTick: 0 }), log, {});
    for await (const event of follow(command, { stdout: 0, stderr: 0 }, new AbortController().signal)) {
      if (event.type === 'bytes') pieces.push([event.stream, event.offset, event.bytes.toString('hex')]);
    }
    expect(pieces).toEqual([
      [name, 0, '61'],
      [name, 1, 'e697'],
    ]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
