import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildKeeper, SANITIZED_KEEPER } from '../../../../../scripts/build/keeper.ts';
import { ROOT } from '../../../../../scripts/root.ts';
import { has } from '../../../../../scripts/testing/machine.ts';
import { countingController, DelegatedGroup } from './command-group.fixture.ts';
import { RawClient, RunningKeeper, startFrame } from './keeper.fixture.ts';

/** Reserves a huge page, which the limit refuses and the group counts. */
const REFUSED = 'python3 -c "import mmap; mmap.mmap(-1, 1 << 21, flags=0x40022)" 2>/dev/null';
/** Fills memory until the system ends it. */
const FILLED = 'exec tail /dev/zero';

/** Of `SANITIZED_KEEPER`, which is compiled in half the time so. */
const SANITIZED = SANITIZED_KEEPER.flags.map((flag) => (flag === '-O1' ? '-O0' : flag));

describe.runIf(has('command groups') && has('python3') && has('sanitizers'))('a control group of each command', () => {
  // It compiles a keeper, which takes long beside other work.
  test('counts what happened to that command alone', async () => {
    const controller = countingController();
    using group = controller && DelegatedGroup.make(`svc-test-${process.pid}`, controller);
    if (controller === undefined || group === undefined) throw new Error('no group can be made');
    const isMemory = controller.name === 'memory';
    const builds = mkdtempSync(join(tmpdir(), 'keeper-groups-'));
    try {
      if (isMemory) group.limitMemory(64 * 1024 * 1024);
      else group.refuseHugePages();
      const { name, events, event } = controller;
      const flags = [`-DKEEPER_CONTROLLER="${name}"`, `-DKEEPER_EVENTS="${events}"`, `-DKEEPER_EVENT="${event}"`];
      await buildKeeper(ROOT, { ...SANITIZED_KEEPER, name: 'keeper', flags: [...SANITIZED, ...flags] }, builds);
      const inGroup = ['sh', '-c', `echo $$ > ${group.path}/cgroup.procs && exec "$@"`, 'sh'];
      await using keeper = await RunningKeeper.start(join(builds, 'keeper'), { through: inGroup });
      await using client = await RawClient.open(keeper.socket);
      // It moved below, because a group that delegates a controller has no processes of its own.
      expect(group.groups).toEqual([`svc-keeper-${keeper.child.pid}`]);
      client.send(startFrame('waits', 'read line; exit 3', { stdin: true }));
      client.send(startFrame('counted', isMemory ? FILLED : `${REFUSED}; kill -9 $$`));
      expect(await client.ended('counted')).toMatchObject({ signal: 'SIGKILL', usage: { oomKilled: true } });
      client.send(startFrame('killed', 'kill -9 $$'));
      expect(await client.ended('killed')).toMatchObject({ signal: 'SIGKILL', usage: { oomKilled: false } });
      // Also where only a part of the command was ended.
      client.send(startFrame('part', isMemory ? `(${FILLED}); exit 0` : `${REFUSED}; exit 0`));
      expect(await client.ended('part')).toMatchObject({ exitCode: 0, usage: { oomKilled: true } });
      expect(keeper.said).toBe('');
    } finally {
      rmSync(builds, { recursive: true, force: true });
    }
  }, 300_000);
});
