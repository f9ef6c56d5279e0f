import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { rejectionOf, targetOf, textOf } from '../process-host.fixture.ts';
import { idIn, keeperProgram, RunningKeeper, startIn } from './keeper.fixture.ts';
import { KeeperConnection } from './keeper-connection.ts';
import { EVENT, FrameWriter, KEEPER_VERSION } from './keeper-frames.ts';
import { KeeperHost } from './keeper-host.ts';

const HINT = { hint: expect.stringContaining('never ended automatically') };

/** Seconds until the promise rejects, and its reason. */
async function refusal(promise: Promise<unknown>): Promise<{ seconds: number; reason: unknown }> {
  const begun = performance.now();
  const reason = await rejectionOf(promise);
  return { seconds: (performance.now() - begun) / 1000, reason };
}

// Each waits for a deadline of the daemon, all at the same time.
describe.runIf(keeperProgram !== undefined).concurrent('a keeper that is stopped', () => {
  test('is not joined: HELLO without an answer ends after 5 s', async () => {
    await using keeper = await RunningKeeper.start(keeperProgram ?? '');
    keeper.child.kill('SIGSTOP');
    const { seconds, reason } = await refusal(keeper.host());
    keeper.child.kill('SIGCONT');
    expect(reason).toMatchObject({ name: 'SilentKeeper' });
    expect(seconds).toBeGreaterThan(4.9);
  });

  test('is not joined where it does not announce what it holds within 15 s', async () => {
    await using directory = await tempDir();
    const clients: Socket[] = [];
    const welcome = new FrameWriter(EVENT.welcome).u32(KEEPER_VERSION).u32(1).u32(0).flag(true).text('build').finish();
    const server = createServer((socket) => {
      clients.push(socket.on('error', () => {}));
      socket.once('data', () => socket.write(welcome));
    });
    server.listen(join(directory.path, `keeper-v${KEEPER_VERSION}.sock`));
    await once(server, 'listening');
    const { seconds, reason } = await refusal(KeeperHost.open({ directory: directory.path }));
    expect(reason).toMatchObject({ name: 'SilentKeeper' });
    expect(seconds).toBeGreaterThan(14.9);
    for (const client of clients) client.destroy();
    server.close();
  });

  test('fails a signal after 15 s; the processes run on', async () => {
    await using keeper = await RunningKeeper.start(keeperProgram ?? '');
    await using host = await keeper.host();
    const running = await startIn(host, idIn(keeper.directory, 'a'), 'exec sleep 1000');
    keeper.child.kill('SIGSTOP');
    const { seconds, reason } = await refusal(host.signal([targetOf(running, true)], 'SIGUSR1'));
    expect(reason).toMatchObject({ kind: 'unavailable', details: HINT });
    expect(seconds).toBeGreaterThan(14.9);
    keeper.child.kill('SIGCONT');
    expect(await running.ended).toMatchObject({ signal: 'SIGUSR1' });
  });

  test('fails a start before it is sent where 16 MiB wait for it; those before take effect', async () => {
    await using keeper = await RunningKeeper.start(keeperProgram ?? '');
    await using host = await keeper.host();
    keeper.child.kill('SIGSTOP');
    const script = `${'#'.repeat(9 * 1024 * 1024)}\n`;
    const large = { args: ['/dev/fd/3'], script: `${script}echo started`, env: { PATH: '/usr/bin:/bin' } };
    const sent = ['a', 'b'].map((name) => startIn(host, idIn(keeper.directory, name), '', large));
    expect(await host.figures()).toBeUndefined();
    const { seconds, reason } = await refusal(startIn(host, idIn(keeper.directory, 'c'), 'true'));
    expect(reason).toMatchObject({ kind: 'unavailable', details: HINT });
    expect(seconds).toBeGreaterThan(4.9);
    keeper.child.kill('SIGCONT');
    for (const started of await Promise.all(sent)) {
      await started.ended;
      expect(await textOf(started.output.stdout)).toBe('started\n');
    }
    expect(host.ids().has(idIn(keeper.directory, 'c'))).toBe(false);
  });
});

test.runIf(keeperProgram !== undefined)('a keeper is not silent if the daemon was stopped meanwhile', async () => {
  await using keeper = await RunningKeeper.start(keeperProgram ?? '');
  const path = join(keeper.directory, `keeper-v${KEEPER_VERSION}.sock`);
  const joined = KeeperConnection.open(path, { onFrame: () => {}, onClose: () => {} });
  // Longer than the deadline of HELLO: its timer is due before anything is read.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5100);
  const connection = await joined;
  expect(connection.welcome.pid).toBe(keeper.child.pid);
  connection.close();
});
