import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { hasKeeper } from '../../hosts.fixture.ts';

describe.runIf(hasKeeper)('a keeper that is stopped', () => {
  let directory: string;
  let daemon: DaemonProcess;
  let keeper = 0;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sandboxd-silent-'));
    daemon = await DaemonProcess.start(directory, { SVC_PROCESS_HOST: 'keeper' });
    keeper = Number(daemon.startLog.flatMap((line) => /"keeper":(\d+)/.exec(line)?.[1] ?? [])[0]);
  });
  afterEach(async () => {
    process.kill(keeper, 'SIGCONT');
    await daemon[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  test('a repeated call finds its command pending, which runs once when the keeper goes on', async () => {
    const marks = join(directory, 'marks');
    const body = { command: `echo x >> ${marks}; echo out`, idempotency_key: 'k', timeout: 0.5 };
    process.kill(keeper, 'SIGSTOP');
    const first = await daemon.data('/v2/commands', body);
    expect(first).toMatchObject({ status: 'pending', pid: null, exit_code: null });
    const second = await daemon.data('/v2/commands', body);
    expect(second).toMatchObject({ command_id: first.command_id, status: 'pending' });
    const reading = daemon.data(`/v2/commands/${first.command_id}?wait=true&wait_timeout=60`);
    process.kill(keeper, 'SIGCONT');
    expect(await reading).toMatchObject({ stdout: 'out\n' });
    const third = async (): Promise<unknown> => (await daemon.data('/v2/commands', body)).status;
    await expect.poll(third).toBe('completed');
    expect(await readFile(marks, 'latin1')).toBe('x\n');
  });

  test('a kill and a hard timeout of a pending command take effect when the keeper goes on', async () => {
    process.kill(keeper, 'SIGSTOP');
    const run = { command: 'sleep 1000', timeout: 0.2 };
    const killed = await daemon.data('/v2/commands', run);
    const timed = await daemon.data('/v2/commands', { ...run, hard_timeout: 0.1 });
    expect([killed.status, timed.status]).toEqual(['pending', 'pending']);
    await daemon.data(`/v2/commands/${killed.command_id}/kill`, { signal: 'SIGKILL' });
    process.kill(keeper, 'SIGCONT');
    const statusOf = (id: string) => async () => (await daemon.data(`/v2/commands/${id}`)).command.status;
    await expect.poll(statusOf(killed.command_id)).toBe('killed');
    await expect.poll(statusOf(timed.command_id)).toBe('timed_out');
  });
});
