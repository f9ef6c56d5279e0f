import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from '@sandbox/program/logger.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeRows } from '../../../../../scripts/testing/describe-rows.ts';
import { idIn, KEEPERS, RunningKeeper } from '../keeper/keeper.fixture.ts';
import { describeHosts, rejectionOf, targetOf, textOf } from '../process-host.fixture.ts';
import type { StartSpec } from '../process-host.ts';
import { Processes } from './processes.ts';

const NO_RECORDS = new Map();
const BYTES = { stdout: 0, stderr: 0 };

function openProcesses(host: Parameters<typeof Processes.open>[0], directory: string): [Processes, string[]] {
  const log: string[] = [];
  const logger = createLogger('test', 'info', [], { write: (line) => void log.push(line) });
  return [Processes.open(host, directory, logger), log];
}

function specOf(directory: string, name: string, script: string): StartSpec {
  const id = idIn(directory, name);
  const env = { PATH: '/usr/bin:/bin', SVC_COMMAND_ID: id };
  return { id, file: 'sh', args: ['-c', script], cwd: '/', env, stdin: 'pipe', outputMaxBytes: 1_048_576 };
}

const WAITING = 'echo ready; read -r line; exit 7';

describeHosts((kit) => {
  let processes: Processes;

  beforeEach(() => {
    [processes] = openProcesses(kit.host, kit.directory);
  });

  test('signals, counts and ends reach the processes of their owner alone', async () => {
    const [a, b] = [processes.of('a'), processes.of('b')];
    const ofA = await a.start(specOf(kit.directory, 'x', WAITING));
    const ofB = await b.start(specOf(kit.directory, 'y', WAITING));
    expect(a.ids()).toEqual([ofA.id]);
    expect(await b.signal([targetOf(ofA, true)], 'SIGKILL')).toBe(0);
    expect(await b.living([targetOf(ofA, true), targetOf(ofB, true)])).toBe(1);
    expect(await b.endAll(60_000)).toBe(1);
    expect((await ofB.ended).signal).toBe('SIGTERM');
    expect(await a.living([targetOf(ofA, true)])).toBe(1);
    await ofA.endStdin();
    expect((await ofA.ended).exitCode).toBe(7);
  });

  test('an id of another owner is refused, and free once nothing of it is left', async () => {
    const [a, b] = [processes.of('a'), processes.of('b')];
    const spec = specOf(kit.directory, 'x', WAITING);
    const [first, second] = [a.start(spec), rejectionOf(b.start(spec))];
    const started = await first;
    expect(await second).toMatchObject({ kind: 'conflict' });
    expect(await rejectionOf(b.start(spec))).toMatchObject({ kind: 'conflict' });
    await started.endStdin();
    await started.ended;
    await started.output.remove();
    started.acknowledgeExit();
    await expect.poll(() => a.ids()).toEqual([]);
    const again = await b.start(spec);
    expect([a.ids(), b.ids()]).toEqual([[], [spec.id]]);
    await again.endStdin();
    expect((await again.ended).exitCode).toBe(7);
  });

  test("output is found by its owner, and no other owner's recovery discards it", async () => {
    const hosted = await processes.of('a').start(specOf(kit.directory, 'x', 'echo kept'));
    await hosted.ended;
    hosted.acknowledgeExit();
    const [later, log] = openProcesses(kit.host, kit.directory);
    expect(later.of('b').recover(NO_RECORDS).outputs.size).toBe(0);
    await later.endUnowned();
    // What was discarded is gone by the end of another process.
    await (await later.of('b').start(specOf(kit.directory, 'y', 'exit 0'))).ended;
    const { outputs, processes: running } = later.of('a').recover(new Map([[hosted.id, BYTES]]));
    const output = outputs.get(hosted.id);
    expect([output && (await textOf(output.stdout)), running.size, log.length]).toEqual(['kept\n', 0, 0]);
  });

  test('abandoned processes are killed, and nothing of them is kept', async () => {
    const a = processes.of('a');
    const hosted = await a.start(specOf(kit.directory, 'x', WAITING));
    await hosted.output.stdout.advanced(0);
    expect(await a.abandon([hosted])).toBe(1);
    expect((await hosted.ended).signal).toBe('SIGKILL');
    await expect.poll(() => readdirSync(join(kit.directory, 'output'))).toEqual([]);
    await expect.poll(() => a.ids()).toEqual([]);
  });
});

describeRows(
  KEEPERS,
  ({ name }) => `${name}, after a restart`,
  ({ program }) => {
    let keeper: RunningKeeper;
    let processes: Processes;
    let log: string[];

    const restart = async (): Promise<void> => {
      await processes?.[Symbol.asyncDispose]();
      [processes, log] = openProcesses(await keeper.host(), keeper.directory);
    };

    beforeEach(async () => {
      keeper = await RunningKeeper.start(program);
      [processes, log] = openProcesses(await keeper.host(), keeper.directory);
    });

    afterEach(async () => {
      await processes[Symbol.asyncDispose]();
      await keeper[Symbol.asyncDispose]();
    });

    test('each owner finds its own processes, which run on and may end with no owner connected', async () => {
      await processes.of('a').start(specOf(keeper.directory, 'x', WAITING));
      await processes.of('b').start(specOf(keeper.directory, 'pty-x', 'echo done; exit 3'));
      await restart();
      const ofA = processes.of('a').recover(NO_RECORDS);
      const ofB = processes.of('b').recover(NO_RECORDS);
      expect([...ofA.processes.keys(), ...ofB.processes.keys()]).toEqual(
        ['x', 'pty-x'].map((name) => idIn(keeper.directory, name)),
      );
      await processes.endUnowned();
      expect(log).toEqual([]);
      const [a, b] = [...ofA.processes.values(), ...ofB.processes.values()];
      expect([(await b?.ended)?.exitCode, b && (await textOf(b.output.stdout))]).toEqual([3, 'done\n']);
      await a?.endStdin();
      expect([(await a?.ended)?.exitCode, a && (await textOf(a.output.stdout))]).toEqual([7, 'ready\n']);
      expect(keeper.said).toBe('');
    });

    describe('a process without an owner', () => {
      const spec = () => specOf(keeper.directory, 'old', WAITING);

      beforeEach(async () => {
        await using host = await keeper.host();
        const hosted = await host.start(spec());
        await hosted.output.stdout.advanced(0);
      });

      test('is ended after the owners have recovered, with one line in the log', async () => {
        await restart();
        for (const owner of ['a', 'b']) expect(processes.of(owner).recover(NO_RECORDS).processes.size).toBe(0);
        await processes.endUnowned();
        expect(log).toHaveLength(1);
        expect(JSON.parse(log[0] ?? '')).toMatchObject({ level: 'warn', ids: [spec().id], processes: 1 });
        await expect.poll(() => readdirSync(join(keeper.directory, 'output'))).toEqual([]);
        await restart();
        await processes.endUnowned();
        expect(log).toEqual([]);
      });

      test('is not in the log where it ended before the signal', async () => {
        await processes[Symbol.asyncDispose]();
        const host = await keeper.host();
        [processes, log] = openProcesses(host, keeper.directory);
        const [found] = host.recover(NO_RECORDS, () => true).processes.values();
        await found?.endStdin();
        expect((await found?.ended)?.exitCode).toBe(7);
        await processes.endUnowned();
        expect(log).toEqual([]);
      });

      test('belongs to the owner whose records name it, which need not name it the next time', async () => {
        await restart();
        expect(processes.of('a').recover(new Map([[spec().id, BYTES]])).processes.size).toBe(1);
        await processes.endUnowned();
        expect(log).toEqual([]);
        await restart();
        const [found] = processes.of('a').recover(NO_RECORDS).processes.values();
        await found?.endStdin();
        expect((await found?.ended)?.exitCode).toBe(7);
      });
    });

    test('records of one owner do not take a process of another', async () => {
      const spec = specOf(keeper.directory, 'x', WAITING);
      await processes.of('a').start(spec);
      await restart();
      const { processes: found, outputs } = processes.of('b').recover(new Map([[spec.id, BYTES]]));
      expect([found.size, outputs.size]).toEqual([0, 0]);
      expect(processes.of('a').recover(NO_RECORDS).processes.size).toBe(1);
    });
  },
);
