import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { untilWatched } from '../../program/src/heartbeat/stall-thread.fixture.ts';
import { alive } from '../testing/alive.ts';
import { type FixtureService, fixtureService, Launcher } from '../testing/launcher.ts';
import { has } from '../testing/machine.ts';
import { type TempDir, tempDir } from '../testing/temp-dir.ts';
import { urlOf } from './ports.ts';

/** A busy machine may starve a healthy service for a second. */
const STALL_SECONDS = 3;
const KILLED = `has not responded for ${STALL_SECONDS} s, killing it`;
/** The stack has to be in the log in time, also on a busy machine. */
const STACK_SECONDS = 8;
const KILLED_AFTER_STACK = `has not responded for ${STACK_SECONDS} s, killing it`;

let dir: TempDir;

beforeEach(async () => {
  dir = await tempDir();
});

afterEach(() => dir[Symbol.asyncDispose]());

function service(name: string, { stallSeconds = STALL_SECONDS, inspect = false } = {}): Promise<FixtureService> {
  return fixtureService(name, dir.path, `--stall-seconds=${stallSeconds}`).then((spec) =>
    inspect ? { ...spec, command: spec.command.toSpliced(1, 0, '--inspect=127.0.0.1:0') } : spec,
  );
}

function launcherOf(...services: FixtureService[]): Launcher {
  return new Launcher(services, { stallSeconds: STALL_SECONDS });
}

/** Processes that a test stops. A failed test kills them before it waits for the end of their launcher. */
class Stopped implements Disposable {
  readonly #pids: number[] = [];

  stop(of: FixtureService): number {
    const pid = starts(of).at(-1);
    if (pid === undefined) throw new Error(`${of.name} has not started`);
    this.#pids.push(pid);
    process.kill(pid, 'SIGSTOP');
    return pid;
  }

  [Symbol.dispose](): void {
    for (const pid of this.#pids) if (alive(pid) && isStopped(pid)) process.kill(pid, 'SIGKILL');
  }
}

/** Process ids of its starts, in order. */
function starts({ events }: FixtureService): number[] {
  return events().flatMap((event) => (event.startsWith('up ') ? [Number(event.slice(3))] : []));
}

function isStopped(pid: number): boolean {
  return readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') T ');
}

describe.runIf(has('linux'))('a service that stands still', () => {
  test('[stall.recovers] a service that is stopped by a signal is killed and started again, and not before', async () => {
    const daemon = await service('daemon');
    await using launcher = launcherOf(daemon);
    await launcher.untilSays('ready on');
    using halted = new Stopped();
    const begun = performance.now();
    const pid = halted.stop(daemon);
    await launcher.untilSays(`sandbox: daemon ${KILLED}\n`);
    // On a busy machine the last beats before the signal may be late.
    expect(performance.now() - begun).toBeGreaterThan(STALL_SECONDS * 1000 * 0.5);
    await launcher.untilSays('sandbox: daemon ended (SIGKILL), starting it again\n');
    await launcher.until(() => starts(daemon).length === 2);
    expect((await fetch(`${urlOf(daemon.address)}/health`)).status).toBe(200);
    expect(starts(daemon)[1]).not.toBe(pid);
    launcher.signal('SIGTERM');
    expect(await launcher.ended()).toBe(0);
  });

  test('[stall.recovers] [stall.stack] a service that spins is killed after its stack is in the log', async () => {
    const daemon = await service('daemon', { stallSeconds: STACK_SECONDS });
    await using launcher = new Launcher([daemon], { stallSeconds: STACK_SECONDS });
    await launcher.untilSays('ready on');
    await untilWatched(starts(daemon)[0] ?? 0);
    await fetch(`${urlOf(daemon.address)}/spin`).catch(() => {});
    await launcher.until(() => starts(daemon).length === 2);
    expect(launcher.text).toMatch(new RegExp(`at spinForever \\(file:[^]*sandbox: daemon ${KILLED_AFTER_STACK}\n`));
  });

  test('[stall.recovers] [stall.stack] a service that waits in a system call is killed after the log says so', async () => {
    const fifo = join(dir.path, 'fifo');
    spawnSync('mkfifo', [fifo]);
    const daemon = await service('daemon', { stallSeconds: STACK_SECONDS });
    await using launcher = new Launcher([daemon], { stallSeconds: STACK_SECONDS });
    await launcher.untilSays('ready on');
    await untilWatched(starts(daemon)[0] ?? 0);
    await fetch(`${urlOf(daemon.address)}/read${fifo}`).catch(() => {});
    await launcher.until(() => starts(daemon).length === 2);
    expect(launcher.text).toMatch(
      new RegExp(`"message":"in a system call"[^]*sandbox: daemon ${KILLED_AFTER_STACK}\n`),
    );
  });

  test('[stall.off] [stall.debugger] SVC_STALL_SECONDS=0 and a debugger keep a service that stands still', async () => {
    const [watched, debugged, unwatched] = [
      await service('watched'),
      await service('debugged', { inspect: true }),
      await service('unwatched', { stallSeconds: 0 }),
    ];
    await using launcher = launcherOf(watched, debugged);
    await using off = new Launcher([unwatched]);
    await Promise.all([launcher.untilSays('ready on'), off.untilSays('ready on')]);
    using halted = new Stopped();
    const kept = [halted.stop(unwatched), halted.stop(debugged)];
    // Stopped last, so that its end shows that the others have been spared.
    halted.stop(watched);
    await launcher.untilSays(`sandbox: watched ${KILLED}`);
    await launcher.until(() => starts(watched).length === 2);
    expect(kept.map(isStopped)).toEqual([true, true]);
    expect(launcher.text).not.toContain(`debugged ${KILLED}`);
    expect(off.text).not.toContain('killing it');
    for (const pid of kept) process.kill(pid, 'SIGCONT');
  });

  test('[stall.paused] a machine that stands still as a whole is not a stall', async () => {
    const [clock, resumed, stopped] = [await service('clock'), await service('resumed'), await service('stopped')];
    await using other = launcherOf(clock);
    await using launcher = launcherOf(resumed, stopped);
    await Promise.all([other.untilSays('ready on'), launcher.untilSays('ready on')]);
    using halted = new Stopped();
    launcher.signal('SIGSTOP');
    const pid = halted.stop(resumed);
    halted.stop(stopped);
    halted.stop(clock);
    await other.untilSays(`sandbox: clock ${KILLED}`);
    const continued = performance.now();
    launcher.signal('SIGCONT');
    process.kill(pid, 'SIGCONT');
    // It stays stopped, and gets the whole time of the launcher's own.
    await launcher.untilSays(`sandbox: stopped ${KILLED}`);
    expect(performance.now() - continued).toBeGreaterThan(STALL_SECONDS * 1000 * 0.5);
    expect(launcher.text).not.toContain(`resumed ${KILLED}`);
    expect(starts(resumed)).toEqual([pid]);
  });
});
