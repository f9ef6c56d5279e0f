import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compiles, FixtureBuilds } from '../../core/process/keeper/fixture-builds.fixture.ts';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { hasKeeper } from '../../hosts.fixture.ts';

/** Ten take three minutes on an idle machine. */
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? 2);
const PROGRAM = join(import.meta.dirname, 'commands-alone.fixture.ts');
/** `kill-at-write.fixture.c`: START and FORGET are frames of `docs/keeper.md`. */
const WRITES = [
  ['the owner of the command', 'owners'],
  ['START', '2'],
  ['the journal', 'commands.ndjson'],
  ['FORGET', '8'],
  ['the answer', 'tcp'],
] as const;
const STEPS = WRITES.flatMap(([name, at]) => (['before', 'after'] as const).map((when) => ({ name, at, when })));

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kill-table-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe.runIf(hasKeeper && compiles)('a daemon that dies', () => {
  test.each(STEPS)(
    '[restart.records] $when it writes $name: no command is lost, and none runs twice',
    async ({ at, when }) => {
      using builds = new FixtureBuilds();
      const preload = builds.of('kill-at-write', '-shared', '-fPIC');
      const armed = join(directory, 'armed');
      const body = (round: number): object => ({
        command: `echo x >> ${directory}/marks-${round}; echo out; echo err >&2; exit 3`,
        idempotency_key: `k-${round}`,
      });
      const start = (): Promise<DaemonProcess> => {
        const kill = { LD_PRELOAD: preload, KILL_AT: at, KILL_WHEN: when, KILL_ARMED: armed };
        return DaemonProcess.start(join(directory, 'runtime'), { ...kill, SVC_PROCESS_HOST: 'keeper' }, PROGRAM);
      };
      /** The client repeats the call that the death of the daemon has cut off. */
      const repeat = async (daemon: DaemonProcess, round: number): Promise<void> => {
        const { command_id } = await daemon.data('/v2/commands', body(round));
        const seen = await daemon.data(`/v2/commands/${command_id}?wait=true&wait_timeout=60`);
        expect(seen).toMatchObject({
          stdout: 'out\n',
          stderr: 'err\n',
          command: { status: 'completed', exit_code: 3 },
        });
        expect(readFileSync(join(directory, `marks-${round}`), 'latin1')).toBe('x\n');
      };
      let daemon = await start();
      for (let round = 0; round < ROUNDS; round++) {
        const exit = once(daemon.child, 'exit');
        writeFileSync(armed, '');
        await daemon.data('/v2/commands', body(round)).catch(() => undefined);
        expect((await exit)[1]).toBe('SIGKILL');
        expect(readFileSync(armed, 'latin1')).toBe('x');
        rmSync(armed);
        daemon = await start();
        await repeat(daemon, round);
      }
      const { commands } = await daemon.data('/v2/commands');
      expect(commands).toHaveLength(ROUNDS);
      await daemon[Symbol.asyncDispose]();
    },
    900_000,
  );
});
