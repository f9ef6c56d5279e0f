import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mayMount } from '../../../../scripts/testing/may-mount.ts';
import { TestApp } from '../../app.fixture.ts';
import { bytesOf, linesOf } from './output.fixture.ts';

if (!mayMount)
  process.stdout.write(
    'left out: a full disk under the output needs root on Linux, outside a container, to mount a small one\n',
  );

test.runIf(mayMount)('[keep.full-disk] a full disk drops output and says so; commands go on', async () => {
  const disk = await mkdtemp(join(tmpdir(), 'sandboxd-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk]);
  try {
    await using daemon = await TestApp.start({}, disk);
    const full = await daemon.run('head -c 10M /dev/zero | tr "\\0" x; echo end >&2; exit 5');
    expect(full).toMatchObject({ status: 'completed', exit_code: 5, offset: 10 * 1024 ** 2, truncated: true });
    expect(full.stdout).toMatch(/bytes left out \.\.\.\]\n$/);
    const lines = linesOf((await daemon.inject(`/v2/commands/${full.command_id}?stream=true`)).body);
    const kept = bytesOf(lines, 'stdout').length;
    expect(kept).toBeGreaterThan(1_000_000);
    expect(kept).toBeLessThan(2 * 1024 ** 2);
    expect(lines).toContainEqual({ type: 'dropped', stream: 'stdout', first_offset: 10 * 1024 ** 2 });
    const ready = await daemon.inject('/ready');
    expect([ready.statusCode, ready.json().message]).toEqual([503, expect.stringMatching(/ENOSPC/)]);
    expect(await daemon.run('exit 6')).toMatchObject({ status: 'completed', exit_code: 6 });
    // The start gave up the output of the ended command, so that there is room again; its record says so.
    expect((await daemon.inject('/ready')).statusCode).toBe(200);
    const given = linesOf((await daemon.inject(`/v2/commands/${full.command_id}?stream=true`)).body);
    expect(bytesOf(given, 'stdout')).toHaveLength(0);
    expect(given).toContainEqual({ type: 'dropped', stream: 'stdout', first_offset: 10 * 1024 ** 2 });
    await rm(join(disk, 'output'), { recursive: true });
  } finally {
    execFileSync('umount', ['-l', disk]);
    await rmdir(disk);
  }
});
