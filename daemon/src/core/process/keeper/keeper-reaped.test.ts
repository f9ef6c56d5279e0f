import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRows } from '../../../../../scripts/testing/describe-rows.ts';
import { compiles, FixtureBuilds } from './fixture-builds.fixture.ts';
import { idIn, KEEPERS, RunningKeeper, startIn } from './keeper.fixture.ts';

let builds: FixtureBuilds;
beforeAll(() => {
  builds = new FixtureBuilds();
});
afterAll(() => builds[Symbol.dispose]());

describeRows(
  KEEPERS.map((row) => ({ ...row, isThere: row.isThere && compiles })),
  ({ name }) => `processes that ${name} has reaped`,
  ({ program }) => {
    test('are not signalled, also where a helper ends before its answer is read', async () => {
      const shim = builds.of('stale-kill', '-shared', '-fPIC');
      const stale = join(builds.directory, 'stale');
      const env = { LD_PRELOAD: shim, STALE: stale, ASAN_OPTIONS: 'verify_asan_link_order=0' };
      await using keeper = await RunningKeeper.start(program, { env });
      await using host = await keeper.host();
      for (let round = 0; round < 5; round++) {
        const { id, pid, ended } = await startIn(host, idIn(keeper.directory, round), 'exec sleep 1000');
        expect(await host.signal([{ id, pid, running: true }], 'SIGKILL')).toBe(1);
        expect(await ended).toMatchObject({ signal: 'SIGKILL' });
      }
      expect(existsSync(stale)).toBe(false);
      expect(keeper.said).toBe('');
    });

    test('are not signalled by their pid, which is in use again, where the system has no pidfd', async () => {
      const stray = join(builds.directory, `stray of ${basename(program)}`);
      const env = {
        LD_PRELOAD: builds.of('reused-pid', '-shared', '-fPIC'),
        STRAY: stray,
        ASAN_OPTIONS: 'verify_asan_link_order=0',
      };
      await using keeper = await RunningKeeper.start(program, { env, through: [builds.of('deny-system-calls')] });
      await using host = await keeper.host();
      const script = 'setsid -w sleep 1000 & trap "kill $!" TERM; echo ready; wait; wait';
      const { id, pid, ended, output } = await startIn(host, idIn(keeper.directory, 'a'), script);
      await output.stdout.advanced(0);
      await host.signal([{ id, pid, running: true }], 'SIGTERM');
      await ended;
      expect(existsSync(stray)).toBe(false);
      expect(keeper.said).toBe('');
    });
  },
);
