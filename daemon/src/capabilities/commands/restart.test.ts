import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { isAlive } from './processes.fixture.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sandboxd-restart-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

test('[restart.records] records, output and sessions survive SIGKILL', async () => {
  const first = await DaemonProcess.start(directory);
  await first.data('/v2/commands/sessions', { id: 's', cwd: '/tmp', env: { A: '1' } });
  const before = await first.data('/v2/commands', {
    command: 'echo out; echo err >&2; exit 3',
    session: 's',
  });
  await first.stop('SIGKILL');
  await using second = await DaemonProcess.start(directory);
  const after = await second.data(`/v2/commands/${before.command_id}`);
  expect(after).toMatchObject({ stdout: 'out\n', stderr: 'err\n', offset: 4, stderr_offset: 4 });
  const { stdout, stderr, output, offset, stderr_offset, truncated, ...info } = before;
  expect(after.command).toEqual(info);
  expect(await second.data('/v2/commands', { command: 'echo $A; pwd', session: 's' })).toMatchObject({
    stdout: '1\n/tmp\n',
  });
  expect((await second.data('/v2/commands')).commands).toHaveLength(2);
});

test('[restart.lost] without a keeper, a running command is lost and its remaining processes are ended', async () => {
  const first = await DaemonProcess.start(directory, { SVC_PROCESS_HOST: 'portable' });
  const running = await first.data('/v2/commands', {
    command: 'echo begun; setsid sleep 71 & echo $!; sleep 72',
    mode: 'async',
  });
  const seen = await first.data(`/v2/commands/${running.command_id}?wait=true&offset=6`);
  const pids = [seen.command.pid, Number(seen.stdout)];
  expect(await Promise.all(pids.map(isAlive))).toEqual([true, true]);
  await first.stop('SIGKILL');
  await using second = await DaemonProcess.start(directory, { SVC_PROCESS_HOST: 'portable' });
  const after = await second.data(`/v2/commands/${running.command_id}`);
  expect(after.command).toMatchObject({ status: 'lost', exit_code: null, ended_at: expect.any(String) });
  expect(after.stdout).toMatch(/^begun\n\d+\n$/);
  await expect.poll(() => Promise.all(pids.map(isAlive))).toEqual([false, false]);
});

test('[cmd.idempotent-restart] an idempotency key is known after SIGKILL', async () => {
  const body = { command: 'echo once', idempotency_key: 'k-1' };
  const first = await DaemonProcess.start(directory);
  const { command_id } = await first.data('/v2/commands', body);
  await first.stop('SIGKILL');
  await using second = await DaemonProcess.start(directory);
  expect(await second.data('/v2/commands', body)).toMatchObject({ command_id, stdout: 'once\n' });
  expect((await second.data('/v2/commands')).commands).toHaveLength(1);
});

test('[stop.ends-commands] a daemon that is stopped in order ends its commands and exits with 0', async () => {
  const daemon = await DaemonProcess.start(directory);
  const { pid } = await daemon.data('/v2/commands', {
    command: "trap '' TERM; while :; do sleep 1; done",
    mode: 'async',
  });
  const left = await daemon.data('/v2/commands', { command: 'setsid nohup sleep 73 > /dev/null 2>&1 & echo $!' });
  expect(await isAlive(Number(left.stdout))).toBe(true);
  expect(await daemon.stop('SIGTERM')).toEqual([0, null]);
  await expect.poll(() => Promise.all([pid, Number(left.stdout)].map(isAlive))).toEqual([false, false]);
});

test('a stream gets the end of its command when the daemon stops', async () => {
  const daemon = await DaemonProcess.start(directory);
  const { command_id } = await daemon.data('/v2/commands', { command: 'echo hi; sleep 74', mode: 'async' });
  await daemon.data(`/v2/commands/${command_id}?wait=true`);
  const stream = await fetch(`${daemon.base}/v2/commands/${command_id}?stream=true`);
  const text = stream.text();
  await daemon.stop('SIGTERM');
  expect(await text).toMatch(/"data":"hi\\n".*"type":"exit","status":"killed"/s);
});

test('of daemons started at once on one runtime directory one serves, and the others refuse', async () => {
  const started = await Promise.allSettled([1, 2, 3].map(() => DaemonProcess.start(directory)));
  const [first, ...others] = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (first === undefined) throw new Error('none serves');
  await using daemon = first;
  expect(others).toEqual([]);
  expect(await daemon.data('/v2/commands', { command: 'echo fine' })).toMatchObject({ stdout: 'fine\n' });
  await expect(DaemonProcess.start(directory)).rejects.toThrow(/did not start/);
  expect((await fetch(`${daemon.base}/health`)).status).toBe(200);
});

test('a line of the journal that the death of the daemon cut is skipped', async () => {
  const first = await DaemonProcess.start(directory);
  const { command_id } = await first.data('/v2/commands', { command: 'echo kept' });
  await first.stop('SIGKILL');
  const { appendFile } = await import('node:fs/promises');
  await appendFile(join(directory, 'commands.ndjson'), '{"t":"command","record":{"id":"half');
  await using second = await DaemonProcess.start(directory);
  expect(await second.data(`/v2/commands/${command_id}`)).toMatchObject({ stdout: 'kept\n' });
});
