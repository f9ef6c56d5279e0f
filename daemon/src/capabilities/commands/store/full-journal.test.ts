import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@sandbox/program/logger.ts';
import { describe, expect, test } from 'vitest';
import { mayMount } from '../../../../../scripts/testing/may-mount.ts';
import { Activity } from '../../../core/activity/activity.ts';
import { AgeClock } from '../../../core/clock/age-clock.ts';
import { OutputLog } from '../../../core/output/output-log.ts';
import { RuntimeDir } from '../../../core/runtime-dir.ts';
import { DaemonProcess } from '../../../daemon-process.fixture.ts';
import { hasKeeper } from '../../../hosts.fixture.ts';
import { Command, newRecord } from '../run/command.ts';
import { CommandStore } from './command-store.ts';

const LIMITS = { maxRecords: 100, maxAgeMs: 60_000, maxBytes: 1_000_000 };
const KIB = 1024;

/** A disk of so many KiB; `fill` leaves a part of one page to each file. */
function smallDisk(kib = 256): Disposable & { readonly path: string; fill(): void; empty(): void } {
  const path = mkdtempSync(join(tmpdir(), 'journal-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', path]);
  const ballast = join(path, 'ballast');
  return {
    path,
    fill: () => {
      try {
        writeFileSync(ballast, Buffer.alloc(kib * KIB));
      } catch {
        expect(readdirSync(path)).toContain('ballast');
      }
    },
    empty: () => rmSync(ballast),
    [Symbol.dispose]: () => {
      execFileSync('umount', ['-l', path]);
      rmdirSync(path);
    },
  };
}

describe.runIf(mayMount)('a journal on a full disk', () => {
  test('what was not written in full is reported, spoils no later line, and is written once there is space', async () => {
    using disk = smallDisk();
    await using runtime = await RuntimeDir.open(disk.path);
    const logger = createLogger('test', 'fatal');
    const clock = AgeClock.ofProcess();
    const open = (): ReturnType<typeof CommandStore.open> =>
      CommandStore.open({ runtime, logger, clock, activity: new Activity(clock) }, 10, LIMITS);
    const { store } = open();
    const before = newRecord({ id: 'before', command: 'a', startedTick: 0 });
    store.announce(before);
    store.add(new Command(before, OutputLog.empty(disk.path, 'before'), {}));
    disk.fill();
    // More than is set aside.
    expect(store.note('before', { message: 'x'.repeat(200 * KIB) })).toBe(false);
    expect(store.note('before', { message: 'what is set aside takes it' })).toBe(true);
    expect(() => store.announce(newRecord({ id: 'refused', startedTick: 0, command: 'x'.repeat(70 * KIB) }))).toThrow(
      'is full',
    );
    let written = 0;
    store.onceWritten(() => {
      written += 1;
    });
    store.sweep();
    expect(written).toBe(0);
    disk.empty();
    store.announce(newRecord({ id: 'after', command: 'b', startedTick: 0 }));
    const ids = [...open().records.keys()];
    store.sweep();
    expect([ids, written]).toEqual([['before', 'after'], 1]);
    store[Symbol.dispose]();
  });

  test.runIf(hasKeeper)('the keeper forgets no end that is not in the journal', { timeout: 60_000 }, async () => {
    using disk = smallDisk(4 * KIB);
    using elsewhere = smallDisk();
    const [journal, go] = [join(disk.path, 'commands.ndjson'), join(elsewhere.path, 'go')];
    const env = { SVC_PROCESS_HOST: 'keeper' };
    const first = await DaemonProcess.start(disk.path, env);
    const waiting = `while [ ! -e ${go} ]; do sleep 0.02; done; exit 7`;
    const { command_id } = await first.data('/v2/commands', { command: waiting, mode: 'async' });
    disk.fill();
    // Nor is anything left of what the journal has set aside.
    truncateSync(journal);
    disk.fill();
    writeFileSync(go, '');
    const end = { command: { status: 'completed', exit_code: 7 } };
    expect(await first.data(`/v2/commands/${command_id}?wait=true&wait_timeout=30`)).toMatchObject(end);
    // By this answer the turn of the event loop is over in which the end was acknowledged.
    await first.data('/v2/commands');
    await first.stop('SIGKILL');
    disk.empty();
    await using second = await DaemonProcess.start(disk.path, env);
    expect(await second.data(`/v2/commands/${command_id}`)).toMatchObject(end);
  });

  test.runIf(hasKeeper)(
    '[records.full] what was answered on a full disk survives a kill; the rest is 507',
    {
      timeout: 120_000,
    },
    async () => {
      using disk = smallDisk(4 * KIB);
      using elsewhere = smallDisk();
      const counted = join(elsewhere.path, 'ran');
      const first = await DaemonProcess.start(disk.path, { SVC_PROCESS_HOST: 'keeper' });
      disk.fill();
      const { keyed, named, refusals } = await startUntilRefused(first, counted);
      expect(named.map((path) => path.split('/')[2])).toEqual(expect.arrayContaining(['commands', 'pty']));
      expect(new Set(refusals)).toEqual(new Set([507]));
      await expect.poll(() => runsIn(counted)).toBe(keyed.length);
      await first.stop('SIGKILL');
      await using second = await DaemonProcess.start(disk.path, { SVC_PROCESS_HOST: 'keeper' });
      for (const { id, body } of keyed) {
        expect(await second.data(`/v2/commands/${id}`)).toMatchObject({ command: { status: 'running' } });
        expect(await second.data('/v2/commands', body)).toMatchObject({ command_id: id });
      }
      const answers = await Promise.all(named.map(async (path) => [path, (await fetch(second.base + path)).status]));
      expect(answers).toEqual(named.map((path) => [path, 200]));
      expect(runsIn(counted)).toBe(keyed.length);
    },
  );
  test.runIf(hasKeeper)(
    '[records.full-said] a full disk is said once in the log, by cells, and by a screen',
    async () => {
      using disk = smallDisk(4 * KIB);
      await using daemon = await DaemonProcess.start(disk.path, { SVC_PROCESS_HOST: 'keeper' });
      let log = '';
      daemon.child.stdout?.on('data', (text) => {
        log += String(text);
      });
      await daemon.data('/v2/pty/sessions', { session_id: 'before' });
      disk.fill();
      await daemon.data('/v2/commands', { command: 'seq 100000', max_output_length: 10 });
      for (const language of ['javascript', 'python', 'bash']) {
        for (const isAsync of [false, true]) {
          const body = JSON.stringify({ language, code: '1', async: isAsync });
          const answer = await fetch(`${daemon.base}/v2/code/execute`, { method: 'POST', body });
          expect([answer.status, await answer.json()]).toMatchObject([
            507,
            { hint: expect.stringContaining('free space') },
          ]);
        }
      }
      await daemon.data('/v2/pty/sessions/before/exec', { command: 'seq 100000', timeout: 2 });
      const screen = await fetch(`${daemon.base}/v2/pty/sessions/before/screen`);
      expect(await screen.json()).toMatchObject({ hint: expect.stringContaining('free space') });
      // Each second the service looks at its records.
      await daemon.data('/v2/commands', { command: 'sleep 4', timeout: 10 });
      expect(log.split('\n').filter((line) => line.includes('"stack"')).length).toBeLessThanOrEqual(1);
    },
  );
});

interface Acknowledged {
  readonly keyed: { readonly id: string; readonly body: object }[];
  /** Paths of sessions. */
  readonly named: string[];
  readonly refusals: number[];
}

/** Starts commands, sessions and terminals until one is refused. */
async function startUntilRefused({ base }: DaemonProcess, counted: string): Promise<Acknowledged> {
  const keyed: Acknowledged['keyed'] = [];
  const named: string[] = [];
  const refusals: number[] = [];
  const post = async (path: string, body: object): Promise<string | undefined> => {
    const answer = await fetch(base + path, { method: 'POST', body: JSON.stringify(body) });
    const text = await answer.text();
    if (answer.ok) return text;
    refusals.push(answer.status);
    expect(text).toContain('free space');
    return undefined;
  };
  const make = async (path: string, body: { session_id: string } | { id: string }): Promise<void> => {
    if ((await post(path, body)) !== undefined) named.push(`${path}/${Object.values(body)[0]}`);
  };
  for (let n = 0; refusals.length === 0; n += 1) {
    const body = { command: `echo ${n} >> ${counted}; sleep 60`, mode: 'async', idempotency_key: `key-${n}` };
    const started = await post('/v2/commands', n % 10 === 0 ? body : { command: 'true' });
    if (n % 10 !== 0) continue;
    if (started !== undefined) keyed.push({ id: JSON.parse(started).data.command_id, body });
    await make('/v2/commands/sessions', { session_id: `s${n}` });
    if (n % 50 === 0) await make('/v2/pty/sessions', { id: `t${n}` });
  }
  return { keyed, named, refusals };
}

function runsIn(file: string): number {
  return readFileSync(file, 'utf8').split('\n').length - 1;
}
