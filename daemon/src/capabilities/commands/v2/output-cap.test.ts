import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { linesOf, read } from '../output.fixture.ts';

describe('the cap', () => {
  test('[stream.first-offset] [out.first-offsets] [out.stream-dropped] [keep.stream-cap] the oldest bytes are dropped first, and every reader gets the first offset', async () => {
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

  test('[keep.total-cap] the output of all commands together is capped; the oldest ended commands go first', async () => {
    await using daemon = await TestApp.start({ outputTotalMaxBytes: 300_000 });
    const ids = [];
    for (let i = 0; i < 5; i += 1) ids.push((await daemon.run('head -c 100000 /dev/zero')).command_id);
    await expect.poll(async () => (await daemon.inject('/v2/commands')).json().data.commands.length).toBe(3);
    expect((await daemon.inject(`/v2/commands/${ids[1]}`)).statusCode).toBe(404);
    expect((await daemon.inject(`/v2/commands/${ids[2]}`)).statusCode).toBe(200);
    await expect.poll(() => readdir(join(daemon.directory, 'output'))).toHaveLength(3);
  });
});
