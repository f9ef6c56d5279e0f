import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { OutputLog } from '../../core/output/output-log.ts';
import { rawBytes } from './output/raw-bytes.ts';
import { linesOf, read } from './output.fixture.ts';

describe('the cap', () => {
  test('[stream.first-offset] [out.first-offsets] [out.stream-dropped] [keep.stream-cap] the oldest bytes go first, and every reader is told', async () => {
    await using daemon = await TestApp.start({ commandOutputMaxBytes: 100_000 });
    const { command_id, truncated, stdout } = await daemon.run('seq 1 100000');
    expect(truncated).toBe(true);
    expect(stdout).toMatch(/^\n\[\.\.\. \d+ bytes left out \.\.\.\]\n/);
    const whole = Array.from({ length: 100_000 }, (_, i) => `${i + 1}\n`).join('');
    const { offset, first_offset, stdout: text } = await read(daemon, command_id);
    expect(offset).toBe(whole.length);
    expect(offset - first_offset).toBeLessThanOrEqual(100_000);
    expect(offset - first_offset).toBeGreaterThanOrEqual(50_000);
    expect(text).toBe(whole.slice(first_offset));
    const [dropped, piece] = linesOf((await daemon.inject(`/v2/commands/${command_id}?stream=true`)).body);
    expect(dropped).toEqual({ type: 'dropped', stream: 'stdout', first_offset });
    expect(piece).toMatchObject({ type: 'stdout', offset: first_offset });
    const raw = await daemon.inject({
      url: `/v2/commands/${command_id}`,
      headers: { accept: 'application/octet-stream' },
    });
    expect(raw.headers['x-first-offset']).toBe(String(first_offset));
    expect(raw.body).toBe(whole.slice(first_offset));
  });

  test('[keep.total-cap] together they keep so many bytes; the oldest ended commands go first', async () => {
    await using daemon = await TestApp.start({ outputTotalMaxBytes: 300_000 });
    const ids = [];
    for (let i = 0; i < 5; i += 1) ids.push((await daemon.run('head -c 100000 /dev/zero')).command_id);
    await expect.poll(async () => (await daemon.inject('/v2/commands')).json().data.commands.length).toBe(3);
    expect((await daemon.inject(`/v2/commands/${ids[1]}`)).statusCode).toBe(404);
    expect((await daemon.inject(`/v2/commands/${ids[2]}`)).statusCode).toBe(200);
    await expect.poll(() => readdir(join(daemon.directory, 'output'))).toHaveLength(3);
  });
});

test('a raw answer holds the bytes up to the next gap, and one whose bytes go meanwhile is cut', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'raw-bytes-'));
  try {
    const log = new OutputLog(directory, 'c').stdout;
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
    const pieces = rawBytes(log, 0, 20);
    expect((await pieces.next()).value).toHaveLength(10);
    await log.remove();
    await expect(pieces.next()).rejects.toThrow(/the bytes from 10 on are gone/);
  } finally {
    await rm(directory, { recursive: true });
  }
});
