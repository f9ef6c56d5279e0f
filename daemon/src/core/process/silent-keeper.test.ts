import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../config.ts';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { hasKeeper } from '../../hosts.fixture.ts';
import { examine } from '../doctor.ts';

describe.runIf(hasKeeper)('beside a keeper that is stopped', () => {
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

  const text = async (path: string): Promise<string> => (await fetch(daemon.base + path)).text();
  const doctor = async (): Promise<unknown> => {
    const config = readConfig([], { SVC_RUNTIME_DIR: directory, SVC_PROCESS_HOST: 'keeper' });
    return (await examine(config, [])).find(({ name }) => name === 'process keeper');
  };

  test('/ready, /metrics and doctor say that it does not answer, and then that it does', async () => {
    await daemon.data('/v2/commands', { command: 'head -c 1000 /dev/zero' });
    const served = await text('/metrics');
    expect(served).toMatch(/^keeper_up 1$/m);
    expect(served).toMatch(/^keeper_output_bytes_total 1000$/m);
    expect(served).toMatch(/^keeper_started_total 1$/m);
    expect(await doctor()).toMatchObject({ ok: true });
    process.kill(keeper, 'SIGSTOP');
    const silent = await text('/metrics');
    expect(silent).toMatch(/^keeper_up 0$/m);
    expect(silent).not.toMatch(/^keeper_started_total/m);
    expect(await doctor()).toMatchObject({ ok: false, hint: expect.stringContaining('never ended automatically') });
    const answer = await fetch(`${daemon.base}/ready`);
    expect(answer.status).toBe(503);
    const { data } = (await answer.json()) as { data: { checks: object[] } };
    expect(data.checks).toContainEqual(expect.objectContaining({ name: 'process keeper', ok: false }));
    process.kill(keeper, 'SIGCONT');
    await expect.poll(async () => (await fetch(`${daemon.base}/ready`)).status).toBe(200);
    expect(await text('/metrics')).toMatch(/^keeper_up 1$/m);
  });

  test('a terminal is answered, can be used when the keeper goes on, and closed before that', async () => {
    process.kill(keeper, 'SIGSTOP');
    const [used, closed] = await Promise.all([
      daemon.data('/v2/pty/sessions', { command: '/bin/cat' }),
      daemon.data('/v2/pty/sessions', { command: '/bin/cat' }),
    ]);
    const path = `/v2/pty/sessions/${used.session_id}`;
    const typed = await fetch(`${daemon.base}${path}/input`, { method: 'POST', body: JSON.stringify({ input: 'x' }) });
    expect(typed.status).toBe(503);
    const ended = await fetch(`${daemon.base}/v2/pty/sessions/${closed.session_id}`, { method: 'DELETE' });
    expect(ended.status).toBe(200);
    process.kill(keeper, 'SIGCONT');
    await expect.poll(async () => (await daemon.data(path)).pid).toBeGreaterThan(0);
    const listed = await daemon.data('/v2/pty/sessions');
    expect(Object.keys(listed.sessions)).toEqual([used.session_id]);
    // The shell of the other one ends, and nothing of it is kept.
    await expect.poll(async () => text('/metrics')).toMatch(/^keeper_processes 1$/m);
  });
});
