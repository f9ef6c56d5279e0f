import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeRows } from '../../../../../scripts/testing/describe-rows.ts';
import { mayMount } from '../../../../../scripts/testing/may-mount.ts';
import type { Identity } from '../../account/identity.ts';
import { root } from '../process-host.fixture.ts';
import { TestAccount } from '../test-account.fixture.ts';
import { compiles, FixtureBuilds } from './fixture-builds.fixture.ts';
import { readState } from './held/keeper-state.ts';
import { idIn, KEEPERS, keeperProgram, RawClient, RunningKeeper, startFrame, stdinFrame } from './keeper.fixture.ts';
import { EVENT, type FrameReader, FrameWriter, REQUEST } from './keeper-frames.ts';

const SIGKILL = 9;
const SIGTERM = 15;
const mayHang = compiles && mayMount && existsSync('/dev/fuse');

/** SIGNAL of one target that runs as the keeper does. */
function signal(request: number, number: number, id: string, pid = 0, running = false): FrameWriter {
  const frame = new FrameWriter(REQUEST.signal).u32(request).u32(number).u32(1);
  return frame.text(id).u32(pid).flag(running).account(undefined);
}

function foreground(request: number): FrameWriter {
  return new FrameWriter(REQUEST.foreground).u32(request).u32(SIGTERM).text('none');
}

/** The next SIGNALLED: its request and its count. */
async function signalled(client: RawClient): Promise<[number, number]> {
  const frame = await client.until(EVENT.signalled);
  return [frame.u32(), frame.u32()];
}

async function started(client: RawClient, id: string): Promise<number> {
  return (await client.state(id)).pid;
}

let builds: FixtureBuilds;
beforeAll(() => {
  builds = new FixtureBuilds();
});
afterAll(() => builds[Symbol.dispose]());

describeRows(
  KEEPERS,
  ({ name }) => `what stalls a start does not stall ${name}`,
  ({ program }) => {
    let directory: string;
    let mounted: ChildProcess;
    beforeAll(async () => {
      if (!mayHang) return;
      directory = mkdtempSync(join(tmpdir(), 'hung-'));
      mkdirSync(join(directory, 'mount'));
      mounted = spawn(builds.of('hung-mount'), [join(directory, 'mount')], { stdio: ['pipe', 'pipe', 'inherit'] });
      await once(mounted.stdout ?? mounted, 'data');
    });
    afterAll(async () => {
      if (!mayHang) return;
      mounted.stdin?.end();
      await once(mounted, 'exit');
      rmSync(directory, { recursive: true });
    });

    test.runIf(mayHang)(
      'a program on a file system that does not answer fails after a bound, others start',
      async () => {
        await using keeper = await RunningKeeper.start(program);
        await using client = await RawClient.open(keeper.socket);
        client.send(startFrame('hung', '', { file: join(directory, 'mount/program') }), startFrame('fine', 'exit 3'));
        await started(client, 'fine');
        // Its id is held, and a signal finds its child.
        client.send(startFrame('hung', 'exit 0'));
        const held = await client.until(EVENT.failed);
        expect([held.text(), held.u8()]).toEqual(['hung', 1]);
        const late = await client.until(EVENT.failed);
        expect([late.text(), late.u8(), late.u32()]).toEqual(['hung', 8, 110]);
        client.send(startFrame('hung', 'exit 4'));
        expect(await started(client, 'hung')).toBeGreaterThan(0);
        expect(keeper.said).toBe('');
      },
    );

    test.runIf(mayHang)('a kill ends a process that has not begun, and SYNCED waits for it', async () => {
      await using keeper = await RunningKeeper.start(program);
      await using client = await RawClient.open(keeper.socket);
      client.send(startFrame('hung', '', { file: join(directory, 'mount/program') }));
      await using next = await RawClient.open(keeper.socket);
      next.send(signal(1, SIGKILL, 'hung'));
      const types: number[] = [];
      const seen =
        (type: number) =>
        (frame: FrameReader): boolean =>
          types.push(frame.type) > 0 && frame.type === type;
      const { end } = readState(await next.until(undefined, seen(EVENT.state)));
      expect(types).not.toContain(EVENT.synced);
      expect(end ?? (await next.ended('hung'))).toMatchObject({ signal: 'SIGKILL' });
    });
  },
);

/** A path to a directory that takes the system milliseconds to follow: a start lasts longer between account and execve. */
function slowPath(): string {
  const directory = mkdtempSync(join(tmpdir(), 'slow-'));
  chmodSync(directory, 0o755);
  const steps = './'.repeat(2000);
  for (let link = 0; link < 35; link += 1)
    symlinkSync(`${steps}${link === 0 ? '' : link - 1}`, join(directory, `${link}`));
  return join(directory, '34');
}

/** START of `sleep` as the account. */
function startAs(id: string, identity: Identity, cwd: string): FrameWriter {
  const frame = new FrameWriter(REQUEST.start).text(id).u8(0).u8(1).u16(0).u16(0).u64(1_048_576).u32(1_048_576);
  frame.account(identity).text(cwd).text('/bin/sleep').texts(['sleep', '1000']);
  return frame
    .texts(['PATH=/usr/bin:/bin', `SVC_COMMAND_ID=${id}`])
    .flag(false)
    .u8(0)
    .text('');
}

describeRows(
  KEEPERS,
  ({ name }) => `an account that stops whatever it may signal, beside ${name}`,
  ({ program }) => {
    const [COUNT, BATCHES] = [40, 4];

    test.runIf(root)('stalls its own starts alone, which end after a bound (needs root)', async () => {
      using account = new TestAccount(`svc-stop-${process.pid}`);
      const { uid, gid } = account.identity;
      const as = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
      const stopping = spawn('setpriv', [...as, 'bash', '-c', 'echo; while :; do kill -STOP -1; done'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      await once(stopping.stdout, 'data');
      const cwd = slowPath();
      await using keeper = await RunningKeeper.start(program);
      await using client = await RawClient.open(keeper.socket);
      /** Stages of starts that failed, 0 of those that did not. */
      const stages = new Map<string, number>();
      // On a busy machine none may be hit.
      for (let batch = 1; batch <= BATCHES && ![...stages.values()].includes(8); batch += 1) {
        const ids = Array.from({ length: COUNT }, (_, i) => idIn(keeper.directory, `${batch}-${i}`));
        client.send(...ids.map((id) => startAs(id, account.identity, cwd)), startFrame(`fine-${batch}`, 'exit 3'));
        await client.until(undefined, (frame) => {
          if (frame.type === EVENT.state) stages.set(readState(frame).id, 0);
          else if (frame.type === EVENT.failed) stages.set(frame.text(), frame.u8());
          return stages.size === batch * (COUNT + 1);
        });
        expect(stages.get(`fine-${batch}`)).toBe(0);
      }
      expect([...new Set(stages.values())].sort()).toEqual(expect.arrayContaining([0, 8]));
      stopping.kill('SIGKILL');
      await once(stopping, 'exit');
      rmSync(dirname(cwd), { recursive: true });
    });
  },
);

describe.runIf(compiles && keeperProgram !== undefined)('signals', () => {
  const program = keeperProgram ?? '';
  const preload = (more: Readonly<Record<string, string>>): { env: Readonly<Record<string, string>> } => ({
    env: { LD_PRELOAD: builds.of('watched-proc', '-shared', '-fPIC'), ...more },
  });

  test('an environment that cannot be read delays no other request, and its search has an end', async () => {
    await using keeper = await RunningKeeper.start(program, preload({ HUNG: '1' }));
    await using client = await RawClient.open(keeper.socket);
    client.send(startFrame(idIn(keeper.directory, 'a'), 'exec sleep 1000'));
    const pid = await started(client, idIn(keeper.directory, 'a'));
    for (let request = 1; request <= 40; request++) client.send(signal(request, 0, 'none'));
    client.send(signal(41, SIGTERM, idIn(keeper.directory, 'a'), pid, true), foreground(42));
    client.send(startFrame('b', 'exit 0'));
    expect(await signalled(client)).toEqual([42, 0]);
    const answers = new Map<number, number>();
    // On a busy machine answers may come before the end.
    for (let hasEnded = false; !hasEnded || answers.size < 41; ) {
      const frame = await client.until(undefined, ({ type }) => type === EVENT.signalled || type === EVENT.state);
      if (frame.type === EVENT.signalled) answers.set(frame.u32(), frame.u32());
      else hasEnded ||= readState(frame).end !== undefined;
    }
    expect(answers.get(41)).toBe(1);
  });

  test('a client that is gone is noticed while its requests are under way', async () => {
    await using keeper = await RunningKeeper.start(program, preload({ HUNG: '1' }));
    const descriptors = `/proc/${keeper.child.pid}/fd`;
    const sockets = (): number =>
      readdirSync(descriptors).filter((fd) => readlinkSync(join(descriptors, fd)).startsWith('socket:')).length;
    const before = sockets();
    const client = await RawClient.open(keeper.socket);
    // At 16 at a time they take a minute.
    for (let request = 1; request <= 1000; request++) client.send(signal(request, 0, 'none'));
    await new Promise<void>((resolve) => client.socket.end(resolve));
    client.socket.destroy();
    await expect.poll(sockets).toBe(before);
    await using next = await RawClient.open(keeper.socket);
    next.send(foreground(1));
    expect(await signalled(next)).toEqual([1, 0]);
  });

  test('a client that has more than 1,024 requests under way is disconnected', async () => {
    await using keeper = await RunningKeeper.start(program, preload({ HUNG: '1' }));
    const client = await RawClient.open(keeper.socket);
    const closed = once(client.socket, 'close');
    client.socket.on('error', () => {});
    for (let request = 1; request <= 1025; request++) client.send(signal(request, 0, 'none'));
    await client.until(EVENT.signalled).catch(() => undefined);
    await closed;
    await using next = await RawClient.open(keeper.socket);
    next.send(foreground(1));
    expect(await signalled(next)).toEqual([1, 0]);
  });

  test('a young process with an empty environment does not make others be scanned again', async () => {
    const scans = join(mkdtempSync(join(tmpdir(), 'scans-')), 'scans');
    await using keeper = await RunningKeeper.start(program, preload({ SCANS: scans }));
    await using client = await RawClient.open(keeper.socket);
    const id = idIn(keeper.directory, 'a');
    client.send(startFrame(id, 'exec sleep 1000'));
    const pid = await started(client, id);
    const empty = spawn('env', ['-i', 'sleep', '1000']);
    await once(empty, 'spawn');
    await expect.poll(() => readFileSync(`/proc/${empty.pid}/cmdline`, 'latin1')).toMatch(/^sleep/);
    client.send(signal(1, SIGTERM, id, pid, true));
    expect(await signalled(client)).toEqual([1, 1]);
    expect(readFileSync(scans, 'latin1').length).toBeLessThan(4);
    empty.kill();
    await once(empty, 'exit');
  });

  test('a session whose number was that of an ended process is not signalled for it', async () => {
    await using keeper = await RunningKeeper.start(program);
    await using client = await RawClient.open(keeper.socket);
    const id = idIn(keeper.directory, 'later');
    client.send(startFrame(id, 'sleep 1000 & echo; exit 0'));
    const pid = await started(client, id);
    await client.ended();
    // As if `earlier` had had that pid and ended before: the leader is gone, and the rest has the mark of `later`.
    client.send(signal(1, SIGKILL, idIn(keeper.directory, 'earlier'), pid, false));
    expect(await signalled(client)).toEqual([1, 0]);
    client.send(signal(2, SIGKILL, id, pid, false));
    expect(await signalled(client)).toEqual([2, 1]);
  });

  test.runIf(root)('a process that the keeper may not signal does not count', async () => {
    using account = new TestAccount(`svc-count-${process.pid}`);
    await using keeper = await RunningKeeper.start(program, { through: ['setpriv', '--bounding-set=-kill'] });
    await using client = await RawClient.open(keeper.socket);
    const id = idIn(keeper.directory, 'a');
    const { uid, gid } = account.identity;
    client.send(startFrame(id, `setpriv --reuid=${uid} --regid=${gid} --clear-groups sleep 1000 & wait`));
    const pid = await started(client, id);
    const owners = (): string => execFileSync('ps', ['-s', String(pid), '-o', 'uid=,comm='], { encoding: 'latin1' });
    await expect.poll(owners).toMatch(new RegExp(`${uid} sleep`));
    client.send(signal(1, SIGTERM, id, pid, true));
    expect(await signalled(client)).toEqual([1, 1]);
    execFileSync('pkill', ['-KILL', '-s', String(pid)]);
  });
});

describeRows(
  KEEPERS,
  ({ name }) => `output of ${name} where descriptors run out`,
  ({ program }) => {
    test('is not lost: the process waits until there are some', async () => {
      await using keeper = await RunningKeeper.start(program);
      await using client = await RawClient.open(keeper.socket);
      client.send(startFrame('a', 'read line; head -c 300000 /dev/zero; echo end; echo err >&2', { stdin: true }));
      await started(client, 'a');
      const limit = (soft: string): Buffer =>
        execFileSync('prlimit', ['--pid', String(keeper.child.pid), `--nofile=${soft}:`]);
      limit('5');
      client.send(stdinFrame('a', 0, '\n'), foreground(1));
      await signalled(client);
      client.send(foreground(2));
      await signalled(client);
      limit('256');
      await client.ended();
      expect(readFileSync(join(keeper.directory, 'output/a.stdout.0'))).toHaveLength(300_004);
      expect(readFileSync(join(keeper.directory, 'output/a.stderr.0'), 'latin1')).toBe('err\n');
    });
  },
);
