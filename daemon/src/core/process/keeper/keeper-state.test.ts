import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildKeeper, KEEPER } from '../../../../../scripts/build/keeper.ts';
import { describeRows } from '../../../../../scripts/testing/describe-rows.ts';
import { rejectionOf, root, textOf } from '../process-host.fixture.ts';
import { readState } from './held/keeper-state.ts';
import {
  idIn,
  KEEPERS,
  keeperProgram,
  RawClient,
  RunningKeeper,
  startFrame,
  startIn,
  stdinFrame,
} from './keeper.fixture.ts';
import { EVENT, FrameWriter, KEEPER_VERSION, REQUEST } from './keeper-frames.ts';
import { KeeperHost } from './keeper-host.ts';
import { endKeeper, endOutdated } from './keeper-launch.ts';

const MIB = 1024 * 1024;
const ROOT = join(import.meta.dirname, '../../../../..');

describeRows(
  KEEPERS,
  ({ name }) => `what ${name} tells of a process`,
  ({ program }) => {
    test('the record of its start is returned to the next client and stands beside its end', async () => {
      await using keeper = await RunningKeeper.start(program);
      const record = JSON.stringify({ text: 'ü'.repeat(70_000) });
      {
        await using client = await RawClient.open(keeper.socket);
        client.send(startFrame('a', 'exit 3', { record }), startFrame('b', 'exec sleep 1000', { record: 'of b' }));
        await client.ended('a');
      }
      const file = join(keeper.directory, 'ended/a.json');
      await expect.poll(() => existsSync(file)).toBe(true);
      const written = JSON.parse(readFileSync(file, 'utf8')) as { record: string };
      expect(Buffer.from(written.record, 'base64').toString()).toBe(record);
      await using host = await keeper.host();
      const { processes } = host.recover(new Map());
      expect(processes.get('a')?.record).toBe(record);
      expect(processes.get('b')?.record).toBe('of b');
      expect(keeper.said).toBe('');
    });

    test('segments that the client has dropped are not announced again', async () => {
      await using keeper = await RunningKeeper.start(program);
      await using host = await keeper.host();
      const hosted = await startIn(host, 'a', `head -c ${20 * MIB} /dev/zero; exec sleep 1000`);
      const { output } = hosted;
      while (output.stdout.end < 20 * MIB) await output.stdout.advanced(output.stdout.end);
      expect(output.trimTo(5 * MIB)).toBe(16 * MIB);
      await using client = await RawClient.open(keeper.socket);
      const { streams } = await client.state('a');
      expect(streams[0]).toMatchObject({ first: 16 * MIB, end: 20 * MIB });
      expect(streams[0]?.segments).toEqual([{ start: 16 * MIB, end: 20 * MIB }]);
    });

    test('limits, niceness and the score for a lack of memory are those of the start, which is by default 500 more', async () => {
      await using keeper = await RunningKeeper.start(program);
      await using client = await RawClient.open(keeper.socket);
      const script = 'until [ "$(cat /proc/self/oom_score_adj)" != "$0" ]; do :; done; cat /proc/self/oom_score_adj';
      const own = Number(readFileSync('/proc/self/oom_score_adj', 'latin1'));
      client.send(startFrame('a', script.replaceAll('$0', String(own))), limited('b'));
      await client.ended('a');
      expect(readFileSync(join(keeper.directory, 'output/a.stdout.0'), 'latin1')).toBe(
        `${Math.min(1000, own + 500)}\n`,
      );
      const output = join(keeper.directory, 'output/b.stdout.0');
      await expect.poll(() => existsSync(output) && readFileSync(output, 'latin1')).toBe('77\n7\n');
    });

    test('what a program forks before the keeper has noticed its start has the score, too', async () => {
      await using keeper = await RunningKeeper.start(program);
      await using client = await RawClient.open(keeper.socket);
      const own = Number(readFileSync('/proc/self/oom_score_adj', 'latin1'));
      const go = join(keeper.directory, 'go');
      // The keeper clones all of them before it looks whether the first has begun.
      const ids = Array.from({ length: 100 }, (_, n) => `early-${n}`);
      const score = 'cat /proc/self/oom_score_adj';
      const script = `(until [ -e ${go} ] && [ $(${score}) != ${own} ]; do sleep 0.05; done; ${score}) & wait`;
      client.send(...ids.map((id) => startFrame(id, script)));
      const [begun, ended] = [new Set<string>(), new Set<string>()];
      while (begun.size < ids.length) begun.add((await client.state()).id);
      writeFileSync(go, '');
      while (ended.size < ids.length) ended.add((await client.state(undefined, ({ end }) => end !== undefined)).id);
      const scores = ids.map((id) => readFileSync(join(keeper.directory, `output/${id}.stdout.0`), 'latin1'));
      expect(new Set(scores)).toEqual(new Set([`${Math.min(1000, own + 500)}\n`]));
    });

    test('the host passes the limits of a start on, one without a limit too', async () => {
      await using keeper = await RunningKeeper.start(program);
      await using host = await keeper.host();
      const limits = {
        niceness: 7,
        oomScoreAdj: 900,
        resources: { nofile: { soft: 77, hard: 78 }, cpu: { soft: 3600, hard: Number.POSITIVE_INFINITY } },
      };
      const script =
        'for ((i = 0; i < 1000; i++)); do [ "$(cat /proc/self/oom_score_adj)" = 900 ] && break; done; cat /proc/self/oom_score_adj; nice; ulimit -n; ulimit -Hn; ulimit -t; ulimit -Ht';
      const started = await startIn(host, 'a', script, { limits });
      await started.ended;
      expect(await textOf(started.output.stdout)).toBe('900\n7\n77\n78\n3600\nunlimited\n');
    });

    test.runIf(root)('a limit that the keeper may not set fails the start (needs root)', async () => {
      await using keeper = await RunningKeeper.start(program, { through: ['setpriv', '--bounding-set=-sys_nice'] });
      await using host = await keeper.host();
      const refused = await rejectionOf(startIn(host, 'a', 'true', { limits: { niceness: -20 } }));
      expect(refused).toMatchObject({ name: 'StartFailure', message: expect.stringContaining('permi') });
    });
  },
);

/** A START with 77 open files and niceness 7. */
function limited(id: string): FrameWriter {
  const frame = new FrameWriter(REQUEST.start).text(id).u8(0).flag(true).u16(0).u16(0).u64(MIB).u32(MIB);
  frame.account(undefined).text('/').text('/bin/bash').texts(['bash', '-c', 'ulimit -n; nice']);
  return frame.texts(['PATH=/usr/bin:/bin']).flag(false).u8(2).u8(7).u64(77).u64(77).u8(200).u64(27).u64(0).text('');
}

describe.runIf(keeperProgram !== undefined)('what the keeper tells at once', () => {
  test('a short command is one STATE, and so is one of a client that does not wait two', async () => {
    await using keeper = await RunningKeeper.start(keeperProgram ?? '');
    await using client = await RawClient.open(keeper.socket);
    const start = (id: string, isPrompt: boolean): FrameWriter =>
      new FrameWriter(REQUEST.start)
        .text(id)
        .u8(0)
        .flag(isPrompt)
        .u16(0)
        .u16(0)
        .u64(MIB)
        .u32(MIB)
        .account(undefined)
        .text('/')
        .text('/bin/true')
        .texts(['true'])
        .texts([])
        .flag(false)
        .u8(0)
        .text('');
    let whole = 0;
    for (let count = 0; count < 20; count++) {
      client.send(start(`a-${count}`, false));
      if (readState(await client.until(EVENT.state)).end === undefined) await client.ended(`a-${count}`);
      else whole += 1;
    }
    // On a busy machine a command takes longer than the millisecond.
    expect(whole).toBeGreaterThan(0);
    client.send(startFrame('b', 'exec sleep 1000'));
    expect((await client.state('b')).end).toBeUndefined();
  });

  test.runIf(root)('what fails in the background stands in its log', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'keeper-log-'));
    execFileSync(keeperProgram ?? '', ['serve', '--detach', '--idle', '60000', directory]);
    rmSync(join(directory, 'ended'), { recursive: true });
    writeFileSync(join(directory, 'ended'), '');
    {
      await using client = await RawClient.open(join(directory, `keeper-v${KEEPER_VERSION}.sock`));
      client.send(startFrame('a', 'exit 0'));
      await client.ended('a');
    }
    const log = join(directory, 'keeper.log');
    await expect.poll(() => readFileSync(log, 'latin1')).toContain('keeper: cannot note an end in');
    expect(statSync(log).mode & 0o777).toBe(0o600);
    await endKeeper(directory, 0);
    rmSync(directory, { recursive: true });
  });

  test('a keeper of another build is replaced where it holds no living process, and serves on where it does', async () => {
    const builds = mkdtempSync(join(tmpdir(), 'keeper-build-'));
    const directory = mkdtempSync(join(tmpdir(), 'keeper-replaced-'));
    await buildKeeper(ROOT, { ...KEEPER, flags: ['-O1', '-UKEEPER_BUILD', '-DKEEPER_BUILD="older"'] }, builds);
    execFileSync(join(builds, 'keeper'), ['serve', '--detach', '--idle', '600000', directory]);
    const place = { directory, program: keeperProgram ?? '' };
    const socket = join(directory, `keeper-v${KEEPER_VERSION}.sock`);
    const id = idIn(directory, 'a');
    const pids: number[] = [];
    const reports: object[] = [];
    const pidOf = async (client: RawClient): Promise<unknown> => pids.push((await client.state(id)).pid);
    {
      await using client = await RawClient.open(socket);
      client.send(startFrame(id, 'read line; echo $PPID; exit 4', { stdin: true }));
      await pidOf(client);
    }
    await endOutdated({ ...place, report: (details) => reports.push(details) });
    expect(reports).toEqual([{ keeper: expect.any(Number), living: 1 }]);
    {
      await using client = await RawClient.open(socket);
      await pidOf(client);
      client.send(stdinFrame(id, 0, '\n'));
      await client.ended(id);
    }
    expect(pids[0]).toBe(pids[1]);
    const keeperPid = Number(readFileSync(join(directory, `output/${id}.stdout.0`), 'latin1'));
    await using host = await KeeperHost.open(place);
    expect(host.keeperPid).not.toBe(keeperPid);
    const { processes } = host.recover(new Map());
    expect(await processes.get(id)?.ended).toMatchObject({ exitCode: 4 });
    for (const path of [builds, directory]) rmSync(path, { recursive: true });
  });
});
