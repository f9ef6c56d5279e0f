import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { textOf } from '../process-host.fixture.ts';
import { idIn, keeperProgram, RawClient, RunningKeeper, startFrame, startIn } from './keeper.fixture.ts';
import { FrameWriter, KEEPER_VERSION, REQUEST } from './keeper-frames.ts';
import { KeeperHost } from './keeper-host.ts';

const run = promisify(execFile);
const SLOW_COUNT = 'for ((i = 0; i < 2000; i++)); do echo $i; ((i % 100)) || sleep 0.2; done; exit 9';
const COUNTED = Array.from({ length: 2000 }, (_, i) => `${i}\n`).join('');

/** Waits until the directory has that many JSON files. */
async function entriesIn(directory: string, count: number): Promise<void> {
  const watcher = watch(directory);
  try {
    for (;;) {
      const changed = once(watcher, 'change');
      if (readdirSync(directory).filter((name) => name.endsWith('.json')).length >= count) return;
      await changed;
    }
  } finally {
    watcher.close();
  }
}

async function client(directory: string, scripts: readonly string[]): Promise<ReturnType<typeof spawn>> {
  const fixture = join(import.meta.dirname, 'keeper-client.fixture.ts');
  const child = spawn(process.execPath, [fixture, directory, ...scripts], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

async function end(child: ReturnType<typeof spawn>): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe.runIf(keeperProgram !== undefined)('the life of a keeper', () => {
  const program = keeperProgram ?? '';

  test('a detached keeper listens at once, and ends when it is not needed', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'keeper-'));
    const socket = join(directory, `keeper-v${KEEPER_VERSION}.sock`);
    const watcher = watch(directory);
    await run(program, ['serve', '--detach', '--idle', '600000', directory]);
    expect(existsSync(socket)).toBe(true);
    {
      await using client = await RawClient.open(socket);
      client.send(new FrameWriter(REQUEST.shutdown).u32(0));
      while (existsSync(socket)) await once(watcher, 'change');
    }
    await run(program, ['serve', '--detach', '--idle', '100', directory]);
    while (existsSync(socket)) await once(watcher, 'change');
    watcher.close();
    rmSync(directory, { recursive: true });
  });

  test('a second keeper in the same directory refuses with a clear line', async () => {
    await using keeper = await RunningKeeper.start(program);
    await expect(run(program, ['serve', keeper.directory])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('another keeper serves here'),
    });
    await using host = await keeper.host();
    const hosted = await startIn(host, 'a', 'echo fine');
    expect(await hosted.ended).toMatchObject({ exitCode: 0 });
  });

  test('a keeper that is ending does not prevent the next one from starting', async () => {
    await using keeper = await RunningKeeper.start(program);
    await using client = await RawClient.open(keeper.socket);
    client.send(startFrame('stubborn', 'trap "" TERM; echo ready; while :; do sleep 1000; done'));
    await client.state('stubborn', ({ streams }) => streams.some(({ end }) => end > 0));
    const exited = once(keeper.child, 'exit');
    client.send(new FrameWriter(REQUEST.shutdown).u32(600));
    while (existsSync(keeper.socket)) await new Promise((resolve) => setImmediate(resolve));
    await using host = await KeeperHost.open({ directory: keeper.directory, program });
    // It may still be ending: it releases the directory just before.
    expect(await exited).toEqual([0, null]);
    const next = await startIn(host, 'next', 'exit 6');
    expect(await next.ended).toMatchObject({ exitCode: 6 });
  });

  test('a shorter grace hastens an end that has begun', async () => {
    await using keeper = await RunningKeeper.start(program);
    await using client = await RawClient.open(keeper.socket);
    client.send(startFrame('stubborn', 'trap "" TERM; echo ready; while :; do sleep 1000; done'));
    await client.state('stubborn', ({ streams }) => streams.some(({ end }) => end > 0));
    const exited = once(keeper.child, 'exit');
    client.send(new FrameWriter(REQUEST.shutdown).u32(600_000), new FrameWriter(REQUEST.shutdown).u32(0));
    expect(await exited).toEqual([0, null]);
  });

  test('a runtime directory that is removed loses output, but no process', async () => {
    await using keeper = await RunningKeeper.start(program);
    await using host = await keeper.host();
    const before = await startIn(host, 'before', 'read line; echo "$line"; exit 3', { stdin: 'pipe' });
    rmSync(keeper.directory, { recursive: true });
    await before.writeStdin(Buffer.from('late\n'));
    expect(await before.ended).toMatchObject({ exitCode: 3 });
    expect(before.output.stdout).toMatchObject({ end: 5, retainedBytes: 0 });
    const after = await startIn(host, 'after', 'exit 4');
    expect(await after.ended).toMatchObject({ exitCode: 4 });
  });

  test('a suspended daemon blocks no process, and no byte is lost', async () => {
    await using keeper = await RunningKeeper.start(program);
    const go = join(keeper.directory, 'go');
    const waiting = `until [ -e ${go} ]; do sleep 0.1; done`;
    const scripts = Array.from({ length: 64 }, (_, i) => `${waiting}; head -c 300000 /dev/zero; exit ${i}`);
    const stopped = await client(keeper.directory, scripts);
    stopped.kill('SIGSTOP');
    writeFileSync(go, '');
    await entriesIn(join(keeper.directory, 'ended'), 64);
    await end(stopped);
    await using host = await keeper.host();
    const { processes } = host.recover(new Map());
    for (let i = 0; i < 64; i++) {
      expect(await processes.get(idIn(keeper.directory, i))?.ended).toMatchObject({ exitCode: i });
      expect(processes.get(idIn(keeper.directory, i))?.output.stdout).toMatchObject({
        end: 300_000,
        retainedBytes: 300_000,
      });
    }
  });

  test('twenty daemons that are killed in a row under load lose no byte', async () => {
    await using keeper = await RunningKeeper.start(program);
    await end(
      await client(
        keeper.directory,
        Array.from({ length: 8 }, () => SLOW_COUNT),
      ),
    );
    for (let count = 0; count < 19; count++) await end(await client(keeper.directory, []));
    await using host = await keeper.host();
    const { processes } = host.recover(new Map());
    for (let i = 0; i < 8; i++) {
      const hosted = processes.get(idIn(keeper.directory, i));
      expect(await hosted?.ended).toMatchObject({ exitCode: 9, background: false });
      expect(hosted && (await textOf(hosted.output.stdout))).toBe(COUNTED);
    }
  }, 180_000);

  test('where descriptors run out, a start fails with that reason, and processes run on', async () => {
    await using keeper = await RunningKeeper.start(program);
    await run('prlimit', ['--pid', String(keeper.child.pid), '--nofile=40:']);
    await using host = await keeper.host();
    const first = await startIn(host, 'first', 'read line; echo "$line"', { stdin: 'pipe' });
    const others = await Promise.allSettled(
      Array.from({ length: 30 }, (_, i) => startIn(host, idIn(keeper.directory, i), 'sleep 1000', { stdin: 'pipe' })),
    );
    const refused = others.filter((result) => result.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(String(refused[0]?.reason)).toContain('too many open files');
    const running = others.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    await host.signal(
      running.map(({ id, pid }) => ({ id, pid, running: true })),
      'SIGKILL',
    );
    await Promise.all(running.map(({ ended }) => ended));
    await first.writeStdin(Buffer.from('fine\n'));
    await first.ended;
    expect(await textOf(first.output.stdout)).toBe('fine\n');
  });
});
