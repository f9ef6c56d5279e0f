import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { hasKeeper } from '../../hosts.fixture.ts';
import { keeperInGroup, MemoryGroup } from '../../memory-group.fixture.ts';

const MB = 1_000_000;

describe.runIf(hasKeeper)('what a command used', () => {
  test('[cmd.usage] is its own memory and time, whatever the daemon holds', async () => {
    await using daemon = await TestApp.start();
    const held = Buffer.alloc(150 * MB, 1);
    const { usage: small } = await daemon.run('/bin/true', { shell: 'none' });
    expect(small).toMatchObject({ oom_killed: expect.toSatisfy((value) => value === false || value === null) });
    expect(small?.max_rss_bytes).toBeGreaterThan(100_000);
    expect(small?.max_rss_bytes).toBeLessThan(10 * MB);
    const { usage: large } = await daemon.run('x=$(head -c 30000000 /dev/zero | tr "\\0" a)');
    expect(large?.max_rss_bytes).toBeGreaterThan(30 * MB);
    expect(large?.max_rss_bytes).toBeLessThan(150 * MB);
    expect((large?.cpu_user_ms ?? 0) + (large?.cpu_system_ms ?? 0)).toBeGreaterThan(0);
    expect(held.length).toBe(150 * MB);
  });

  test('[cmd.oom-killed] oom_killed is true where the memory limit ended it, and false where a signal did', async ({
    skip,
  }) => {
    using group = MemoryGroup.make(`svc-test-${process.pid}`, 64 * MB);
    if (group === undefined) return skip('no memory limit can be set here');
    const directory = mkdtempSync(join(tmpdir(), 'sandboxd-oom-'));
    const keeper = await keeperInGroup(group, directory);
    try {
      await using daemon = await TestApp.start({ processHost: 'supervised' }, directory);
      const beside = await daemon.run('read line; exit 3', { mode: 'async' });
      const ours = await daemon.run('exec sleep 1000', { mode: 'async' });
      // tail keeps all of a line in memory until its input ends.
      const killed = await daemon.run('set -o pipefail; head -c 200000000 /dev/zero | tail | wc -c');
      expect(killed).toMatchObject({ exit_code: 137, usage: { oom_killed: true } });
      const ended = await daemon.run('kill -9 $$');
      expect(ended).toMatchObject({ status: 'killed', signal: 'SIGKILL', usage: { oom_killed: false } });
      // Both ran while the counter rose: one ends by itself, the other by a kill of ours.
      await daemon.post(`/v2/commands/${beside.command_id}/stdin`, { input: '\n' });
      await daemon.post(`/v2/commands/${ours.command_id}/kill`, { signal: 'SIGKILL' });
      for (const { command_id } of [beside, ours]) {
        const { data } = (await daemon.app.inject(`/v2/commands/${command_id}?wait=true`)).json();
        expect(data.command).toMatchObject({ ended_at: expect.any(String), usage: { oom_killed: false } });
      }
    } finally {
      const exited = once(keeper, 'exit');
      keeper.kill('SIGTERM');
      await exited;
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
