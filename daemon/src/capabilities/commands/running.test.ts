import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RunningKeeper } from '../../core/process/keeper/keeper.fixture.ts';
import { keeperProgram } from '../../core/process/keeper/keeper-program.ts';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { hasKeeper } from '../../hosts.fixture.ts';
import { isAlive } from './processes.fixture.ts';
import { begin, endOf, entriesIn, parentOf, streamOf, workplaceIn } from './running.fixture.ts';

let parent: string;
let directory: string;
let workplace: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'sandboxd-running-'));
  ({ runtimeDir: directory, workplace } = workplaceIn(parent));
});

afterEach(() => rmSync(parent, { recursive: true, force: true }));

describe.runIf(hasKeeper)('commands that outlive the daemon', () => {
  test('[restart.running] [restart.stdin-kill] they go on, and stdin and kill work again', async () => {
    const first = await DaemonProcess.start(directory);
    const reading = await begin(first, 'read a; echo "got $a"; read b; echo "and $b" >&2; exit 7');
    await first.data(`/v2/commands/${reading.command_id}/stdin`, { input: 'one\n' });
    const sleeping = await begin(first, 'setsid sleep 600 > /dev/null 2>&1 & sleep 601');
    const waiting = 'until [ -e go ]; do sleep 0.02; done; echo late; echo > done; exit 3';
    const ending = await begin(first, waiting, { cwd: workplace });
    await first.stop('SIGKILL');
    writeFileSync(join(workplace, 'go'), '');
    await entriesIn(workplace, 'done');
    await using second = await DaemonProcess.start(directory);
    expect(await endOf(second, ending.command_id)).toMatchObject({ status: 'completed', exit_code: 3, offset: 5 });
    const { commands } = await second.data('/v2/commands?status=running');
    expect(commands).toMatchObject([
      { command_id: sleeping.command_id, pid: sleeping.pid },
      { command_id: reading.command_id, pid: reading.pid },
    ]);
    await second.data(`/v2/commands/${reading.command_id}/stdin`, { input: 'two\n', eof: true });
    expect(await endOf(second, reading.command_id)).toMatchObject({ status: 'completed', exit_code: 7 });
    expect(await streamOf(second, reading.command_id, 'stdout')).toBe('got one\n');
    expect(await streamOf(second, reading.command_id, 'stderr')).toBe('and two\n');
    await second.data(`/v2/commands/${sleeping.command_id}/kill`, { signal: 'SIGKILL' });
    expect(await endOf(second, sleeping.command_id)).toMatchObject({
      status: 'killed',
      signal: 'SIGKILL',
      background: false,
    });
    expect(await second.data('/v2/commands', { command: 'echo next' })).toMatchObject({ stdout: 'next\n' });
  });

  test('a daemon that is stopped in order also ends what an earlier one had started, and the keeper', async () => {
    const first = await DaemonProcess.start(directory);
    const { pid } = await begin(first, 'trap "" TERM; sleep 602');
    const keeper = parentOf(pid);
    await first.stop('SIGKILL');
    const second = await DaemonProcess.start(directory);
    expect(await Promise.all([pid, keeper].map(isAlive))).toEqual([true, true]);
    expect(await second.stop('SIGTERM')).toEqual([0, null]);
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(existsSync(join(directory, 'keeper-v4.sock'))).toBe(false);
    await expect.poll(() => isAlive(keeper)).toBe(false);
  });

  test('a session has its running command again, and so has an idempotency key', async () => {
    const first = await DaemonProcess.start(directory);
    await first.data('/v2/commands/sessions', { id: 's', env: { A: '1' } });
    const more = { session: 's', idempotency_key: 'k' };
    const command = 'read x; echo "$A$x"';
    const { command_id } = await begin(first, command, more);
    await first.stop('SIGKILL');
    await using second = await DaemonProcess.start(directory);
    expect(await begin(second, command, more)).toMatchObject({ command_id, status: 'running' });
    const { sessions } = await second.data('/v2/commands/sessions');
    expect(sessions).toMatchObject([{ session_id: 's', command_count: 1, current_command: command }]);
    await second.data(`/v2/commands/${command_id}/stdin`, { input: '2\n' });
    expect(await endOf(second, command_id)).toMatchObject({ status: 'completed', exit_code: 0, offset: 3 });
  });

  test('closing a session ends the commands that an earlier daemon started in it', async () => {
    const first = await DaemonProcess.start(directory);
    await first.data('/v2/commands/sessions', { id: 's' });
    const { command_id, pid } = await begin(first, 'sleep 606', { session: 's' });
    await first.stop('SIGKILL');
    await using second = await DaemonProcess.start(directory);
    expect(await isAlive(pid)).toBe(true);
    expect((await fetch(`${second.base}/v2/commands/sessions/s`, { method: 'DELETE' })).status).toBe(200);
    expect(await endOf(second, command_id)).toMatchObject({ status: 'killed', signal: 'SIGTERM' });
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('a hard timeout is counted from the start of the command, over the death of the daemon', async () => {
    const first = await DaemonProcess.start(directory);
    const more = { cwd: workplace, hard_timeout: 3601 };
    const past = await begin(first, "trap '' TERM; echo > set-1; while :; do sleep 0.05; done", more);
    const soon = await begin(first, "trap 'exit 5' TERM; echo > set-2; while :; do sleep 0.05; done", more);
    const inTime = await begin(first, 'until [ -e go ]; do sleep 0.02; done; echo > set-3; exit 4', more);
    await entriesIn(workplace, 'set-', 2);
    await first.stop('SIGKILL');
    writeFileSync(join(workplace, 'go'), '');
    await entriesIn(workplace, 'set-', 3);
    beganEarlier(directory, past.command_id, 7200);
    beganEarlier(directory, soon.command_id, 3600);
    await using second = await DaemonProcess.start(directory);
    expect(await endOf(second, past.command_id)).toMatchObject({ status: 'timed_out', signal: 'SIGKILL' });
    expect(await endOf(second, inTime.command_id)).toMatchObject({ status: 'completed', exit_code: 4 });
    expect(await endOf(second, soon.command_id)).toMatchObject({ status: 'timed_out', exit_code: 5 });
  });
});

/** Rewrites the journal of a stopped daemon: the command was started so many seconds earlier. */
function beganEarlier(directory: string, id: string, seconds: number): void {
  const journal = join(directory, 'commands.ndjson');
  const lines = readFileSync(journal, 'utf8')
    .split(/[\n\0]+/)
    .filter(Boolean);
  const changed = lines.map((text) => {
    const line = JSON.parse(text) as { record?: { id: string; startedTick: number } };
    if (line.record?.id !== id) return text;
    const startedTick = line.record.startedTick - seconds * 1000;
    return JSON.stringify({ ...line, record: { ...line.record, startedTick } });
  });
  writeFileSync(journal, `${changed.join('\n')}\n`);
}

describe.runIf(hasKeeper)('the death of the keeper', () => {
  test('[restart.keeper-died] with the daemon, its commands are lost and their remaining processes are killed', async () => {
    const first = await DaemonProcess.start(directory);
    const { command_id, pid } = await begin(first, 'echo a; sleep 603');
    await first.data(`/v2/commands/${command_id}?wait=true`);
    await first.stop('SIGKILL');
    const keeper = parentOf(pid);
    process.kill(keeper, 'SIGKILL');
    await expect.poll(() => isAlive(keeper)).toBe(false);
    await using second = await DaemonProcess.start(directory);
    const after = await second.data(`/v2/commands/${command_id}`);
    expect(after).toMatchObject({ stdout: 'a\n', command: { status: 'lost', exit_code: null } });
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('alone, its commands are lost, their remaining processes are killed, and the next command works', async () => {
    await using daemon = await DaemonProcess.start(directory);
    const scripts = ['sleep 604', 'setsid sleep 605 & echo $!; wait', 'cat'];
    const all = await Promise.all(scripts.map((script) => begin(daemon, script)));
    const seen = await daemon.data(`/v2/commands/${all[1]?.command_id}?wait=true`);
    const pids = [...all.map(({ pid }) => pid), Number(seen.stdout)];
    process.kill(parentOf(pids[0] ?? 0), 'SIGKILL');
    for (const { command_id } of all) expect(await endOf(daemon, command_id)).toMatchObject({ status: 'lost' });
    expect(await daemon.data('/v2/commands', { command: 'echo next' })).toMatchObject({ stdout: 'next\n' });
    await expect.poll(() => Promise.all(pids.map(isAlive))).toEqual(pids.map(() => false));
  });

  test('under a supervisor, the daemon waits for the one that the supervisor starts', async () => {
    const program = keeperProgram(undefined).path;
    await using first = await RunningKeeper.start(program, { directory });
    await using daemon = await DaemonProcess.start(directory, { SVC_PROCESS_HOST: 'supervised' });
    const { command_id, pid } = await begin(daemon, 'sleep 607');
    expect(parentOf(pid)).toBe(first.child.pid);
    const died = once(first.child, 'exit');
    first.child.kill('SIGKILL');
    await died;
    const next = daemon.data('/v2/commands', { command: 'echo next' });
    await using second = await RunningKeeper.start(program, { directory });
    expect(await next).toMatchObject({ stdout: 'next\n', status: 'completed' });
    expect(await endOf(daemon, command_id)).toMatchObject({ status: 'lost' });
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(await daemon.stop('SIGTERM')).toEqual([0, null]);
    expect(second.alive).toBe(true);
  });
});
