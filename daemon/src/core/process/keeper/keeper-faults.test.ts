import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { alive } from '../../../../../scripts/testing/alive.ts';
import { root, sealed, textOf } from '../process-host.fixture.ts';
import { TestAccount } from '../test-account.fixture.ts';
import { idIn, keeperProgram, RunningKeeper, startIn } from './keeper.fixture.ts';
import { KeeperHost } from './keeper-host.ts';

if (keeperProgram === undefined) process.stderr.write('not tested: faults around the keeper, which was not built\n');

const COUNT_TO = (end: number): string => `for ((i = 0; i < ${end}; i++)); do echo $i; echo $i >&2; done`;
const counted = (end: number): string => Array.from({ length: end }, (_, i) => `${i}\n`).join('');

/** Another process that holds the connection; ends by SIGKILL. */
async function killedClient(directory: string, scripts: readonly string[]): Promise<void> {
  const fixture = join(import.meta.dirname, 'keeper-client.fixture.ts');
  const client = spawn(process.execPath, [fixture, directory, ...scripts], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [said] = await once(client.stdout, 'data');
  expect(String(said)).toBe('started\n');
  client.kill('SIGKILL');
  await once(client, 'exit');
}

describe.runIf(keeperProgram !== undefined)('faults around the keeper', () => {
  const program = keeperProgram ?? '';

  test('the daemon after one that was killed finds every byte, every exit code, stdin and kill', async () => {
    await using keeper = await RunningKeeper.start(program);
    const writers = Array.from({ length: 16 }, (_, index) => `${COUNT_TO(3000)}; exit ${index}`);
    const reader = 'while read line; do echo "got $line"; done; exit 40';
    await killedClient(keeper.directory, [...writers, reader, 'sleep 1000']);
    await using host = await keeper.host();
    const { processes } = host.recover(new Map());
    const id = (index: number): string => idIn(keeper.directory, index);
    for (const [index] of writers.entries()) {
      const hosted = processes.get(id(index));
      expect(await hosted?.ended).toMatchObject({ exitCode: index, background: false });
      if (hosted === undefined) continue;
      expect(await textOf(hosted.output.stdout)).toBe(counted(3000));
      expect(await textOf(hosted.output.stderr)).toBe(counted(3000));
    }
    const reading = processes.get(id(16));
    await reading?.writeStdin(Buffer.from('a\nb\n'));
    await reading?.endStdin();
    expect(await reading?.ended).toMatchObject({ exitCode: 40 });
    expect(reading && (await textOf(reading.output.stdout))).toBe('got a\ngot b\n');
    const sleeping = processes.get(id(17));
    expect(await host.signal([{ id: id(17), pid: 0, running: false }], 'SIGTERM')).toBe(1);
    expect(await sleeping?.ended).toMatchObject({ signal: 'SIGTERM' });
  });

  test('the end of a process without a connected daemon is known to the next daemon', async () => {
    await using keeper = await RunningKeeper.start(program);
    await killedClient(keeper.directory, ['exit 7']);
    await using host = await keeper.host();
    const end = await host.recover(new Map()).processes.get(idIn(keeper.directory, 0))?.ended;
    expect(end).toMatchObject({ exitCode: 7 });
    expect(end?.usage?.maxRssBytes).toBeGreaterThan(0);
  });

  test('when the keeper is killed, its processes are lost and killed, and the next start works', async () => {
    await using place = await RunningKeeper.start(program);
    place.child.kill('SIGTERM');
    await once(place.child, 'exit');
    const started = await KeeperHost.open({ directory: place.directory, program });
    await using host = started;
    const id = idIn(place.directory, 'left');
    const hosted = await startIn(host, id, 'echo ready; sleep 1000');
    await hosted.output.stdout.advanced(0);
    process.kill(host.keeperPid ?? 0, 'SIGKILL');
    expect(await hosted.ended).toMatchObject({ lost: true, exitCode: null });
    const next = await startIn(host, 'next', 'echo fine');
    expect(await next.ended).toMatchObject({ exitCode: 0 });
    const target = { id, pid: hosted.pid, running: false };
    while ((await host.living([target])) > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test('a start between the end of the keeper and the report of it goes to the next keeper', async () => {
    await using place = await RunningKeeper.start(program);
    place.child.kill('SIGTERM');
    await once(place.child, 'exit');
    await using host = await KeeperHost.open({ directory: place.directory, program });
    const pid = host.keeperPid ?? 0;
    // Reads come before immediates, and those before the close of a socket: the end was read and is not reported.
    await nextTurn();
    process.kill(pid, 'SIGKILL');
    while (alive(pid));
    await nextTurn();
    const next = await startIn(host, idIn(place.directory, 'next'), 'exit 4');
    expect(await next.ended).toMatchObject({ exitCode: 4 });
  });

  test('256 processes that run cost less than 4 MB, and so does what they wrote', async () => {
    await using keeper = await RunningKeeper.start(program);
    await using host = await keeper.host();
    const script = 'head -c 200000 /dev/zero; exec sleep 1000';
    const all = await Promise.all(
      Array.from({ length: 256 }, (_, i) => startIn(host, `m${i}`, script, { stdin: 'pipe' })),
    );
    for (const { output } of all) while (output.stdout.end < 200_000) await output.stdout.advanced(output.stdout.end);
    expect(keeper.memory).toBeLessThan(4 * 1024 * 1024);
    const before = keeper.memory;
    const big = await startIn(host, 'big', 'head -c 300000000 /dev/zero');
    await big.ended;
    expect(big.output.stdout.end).toBe(300_000_000);
    expect(keeper.memory - before).toBeLessThan(256 * 1024);
  });

  describe.skipIf(!root)('under a limit of processes (needs root)', () => {
    test('a fork bomb does not keep the keeper from answering, and is ended by a kill', async () => {
      using account = new TestAccount(`svc-bomb-${process.pid}`);
      await using keeper = await RunningKeeper.start(program);
      await using host = await keeper.host();
      const bomb = 'ulimit -u 80; b() { b | b & }; echo ready; b; sleep 1000';
      const id = idIn(keeper.directory, 'bomb');
      const hosted = await startIn(host, id, bomb, { identity: account.identity });
      await hosted.output.stdout.advanced(0);
      const other = await startIn(host, 'other', 'echo fine');
      expect(await other.ended).toMatchObject({ exitCode: 0 });
      const target = { id, pid: hosted.pid, running: true, identity: account.identity };
      expect(await host.signal([target], 'SIGKILL')).toBeGreaterThan(0);
      expect(await host.living([{ ...target, running: false }])).toBe(0);
      await sealed(hosted.output.stdout);
    });
  });
});
