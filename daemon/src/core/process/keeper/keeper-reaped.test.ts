import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { describeWithBuilds } from './fixture-builds.fixture.ts';
import { idIn, RunningKeeper, startIn } from './keeper.fixture.ts';

describeWithBuilds(
  (name) => `processes that ${name} has reaped`,
  (suite) => {
    test('are not signalled, also where a helper ends before its answer is read', async () => {
      const stale = join(suite.builds.directory, 'stale');
      const env = { ...suite.builds.preload('stale-kill'), STALE: stale };
      await using keeper = await RunningKeeper.start(suite.program, { env });
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
      const stray = join(suite.builds.directory, `stray of ${basename(suite.program)}`);
      const env = { ...suite.builds.preload('reused-pid'), STRAY: stray };
      await using keeper = await RunningKeeper.start(suite.program, {
        env,
        through: [suite.builds.of('deny-system-calls')],
      });
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
