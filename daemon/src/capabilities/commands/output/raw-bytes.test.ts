import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OutputLog } from '../../../core/output/output-log.ts';
import { rawRange } from './raw-bytes.ts';

test('a raw answer holds the bytes up to the next gap, and fails where bytes are dropped meanwhile', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'raw-bytes-'));
  try {
    const output = new OutputLog(directory, 'c');
    const log = output.stdout;
    for (const start of [0, 10, 30]) {
      await writeFile(log.pathOf(start), 'x'.repeat(10));
      log.begin(start);
      log.advance(start + 10);
    }
    expect([0, 5, 15, 20, 25, 35, 40, 99].map((offset) => log.contiguousFrom(offset))).toEqual([
      { start: 0, end: 20 },
      { start: 5, end: 20 },
      { start: 15, end: 20 },
      { start: 30, end: 40 },
      { start: 30, end: 40 },
      { start: 35, end: 40 },
      { start: 40, end: 40 },
      { start: 40, end: 40 },
    ]);
    const { first, next, bytes } = rawRange(output, { stream: 'stdout', offset: 0, limit: undefined });
    expect([first, next]).toEqual([0, 20]);
    expect((await bytes.next()).value).toHaveLength(10);
    await log.remove();
    await expect(bytes.next()).rejects.toThrow(/the bytes from 10 on are gone/);
  } finally {
    await rm(directory, { recursive: true });
  }
});
