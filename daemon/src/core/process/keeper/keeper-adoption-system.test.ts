import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rejectionOf, root, textOf } from '../process-host.fixture.ts';
import { StartFailure } from '../process-host.ts';
import { TestAccount } from '../test-account.fixture.ts';
import { compiles, FixtureBuilds } from './fixture-builds.fixture.ts';
import { Forker } from './forker.fixture.ts';
import { idIn, keeperProgram, RunningKeeper, startIn } from './keeper.fixture.ts';
import type { KeeperHost } from './keeper-host.ts';

const EPERM = '1';

let builds: FixtureBuilds;
beforeAll(() => {
  builds = new FixtureBuilds();
});
afterAll(() => builds[Symbol.dispose]());

const forkerIn = (host: KeeperHost, directory: string): Promise<Forker> =>
  Forker.start(host, directory, builds.of('forker'));

async function isGone(pid: number): Promise<void> {
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
}

describe.runIf(compiles && keeperProgram !== undefined)('adoption', () => {
  test.runIf(root)('is refused for a process of another uid', async () => {
    using account = new TestAccount(`svc-fork-${process.pid}`);
    await using keeper = await RunningKeeper.start(keeperProgram ?? '');
    await using host = await keeper.host();
    const forker = await forkerIn(host, keeper.directory);
    const place = await forker.reserve('a');
    expect((await forker.ask(`fork ${place.id} 0 uid-${account.identity.uid} wait`))[1]).toBe(EPERM);
    expect((await forker.ask(`fork ${place.id} 0 usual exit-0`))[1]).toBe('0');
  });

  test.runIf(root)('works for a forker of another account', async () => {
    using account = new TestAccount(`svc-fork-${process.pid}`);
    await using keeper = await RunningKeeper.start(keeperProgram ?? '');
    await using host = await keeper.host();
    const { identity } = account;
    const forker = await Forker.start(host, keeper.directory, builds.of('forker'), { identity });
    const child = await forker.fork('a', 'echo', 'pipe');
    expect(readFileSync(`/proc/${child.pid}/status`, 'latin1')).toContain(`Uid:\t${identity.uid}\t`);
    await child.writeStdin(Buffer.from('text'));
    await child.endStdin();
    expect(await child.ended).toMatchObject({ exitCode: 7 });
    expect(await textOf(child.output.stdout)).toBe('text');
  });

  test('a descriptor that waits to be closed stalls its forker alone', async () => {
    await using keeper = await RunningKeeper.start(keeperProgram ?? '');
    await using host = await keeper.host();
    const forker = await forkerIn(host, keeper.directory);
    const place = await forker.reserve('a');
    expect(await forker.ask(`linger ${place.id}`)).toEqual(['linger', '0']);
    expect(await (await startIn(host, idIn(keeper.directory, 'b'), 'exit 3')).ended).toMatchObject({ exitCode: 3 });
    await forker.tell('exit 0');
    expect(await rejectionOf(place.adopted)).toBeInstanceOf(StartFailure);
  });

  test('a keeper that dies takes nothing along: what was forked is killed, its forker too', async () => {
    await using keeper = await RunningKeeper.start(keeperProgram ?? '');
    await using host = await keeper.host();
    const forker = await forkerIn(host, keeper.directory);
    const child = await forker.fork('a', 'wait');
    await using next = await restarted(keeper);
    expect(await child.ended).toMatchObject({ lost: true });
    await isGone(child.pid);
    await isGone(forker.process.pid);
    expect(next.alive).toBe(true);
  });

  test('a keeper that dies after the forker has ended: what was forked is found by the mark', async () => {
    await using keeper = await RunningKeeper.start(keeperProgram ?? '');
    await using host = await keeper.host();
    const forker = await forkerIn(host, keeper.directory);
    const child = await forker.fork('a', 'wait');
    await forker.tell('exit 0');
    await forker.process.ended;
    forker.process.acknowledgeExit();
    await using next = await restarted(keeper);
    expect(await child.ended).toMatchObject({ lost: true });
    await isGone(child.pid);
    expect(next.alive).toBe(true);
  });
});

/** Kills the keeper and starts another one in its place. */
async function restarted(keeper: RunningKeeper): Promise<RunningKeeper> {
  keeper.child.kill('SIGKILL');
  await once(keeper.child, 'exit');
  return RunningKeeper.start(keeperProgram ?? '', { directory: keeper.directory });
}
