import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { ROOT } from '../../scripts/root.ts';
import { alive } from '../../scripts/testing/alive.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { npmStart, pidOf } from '../npm-start.ts';

const KEY = 'open-sesame-7';

function serviceOf(runtimeDir: string, bundle: 'sandboxd' | 'gateway'): number {
  const pid = pidOf(bundle, runtimeDir);
  if (pid === undefined) throw new Error(`no process of ${bundle} found`);
  return pid;
}

async function call(url: string, body?: object): Promise<{ status: number; data: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const response = await fetch(url, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
  const { data } = (await response.json()) as { data: Record<string, unknown> };
  return { status: response.status, data };
}

test('[stop.ends-commands] [secret.process] npm start serves on its port without the key in a service, and SIGTERM to npm ends services and commands', async () => {
  await using dir = await tempDir();
  const { npm, url, log } = await npmStart(dir.path, { SVC_API_KEY: KEY });
  const closed = once(npm, 'close');
  try {
    expect((await fetch(`${url}/v2/commands`)).status).toBe(401);
    for (const bundle of ['sandboxd', 'gateway'] as const) {
      const pid = serviceOf(dir.path, bundle);
      for (const file of ['environ', 'cmdline'])
        expect(readFileSync(`/proc/${pid}/${file}`, 'latin1')).not.toContain(KEY);
    }
    const { data } = await call(`${url}/v2/commands`, { command: 'trap "" TERM; exec sleep 600', mode: 'async' });
    const pid = Number(data['pid']);
    expect([data['status'], alive(pid)]).toEqual(['running', true]);
    npm.kill('SIGTERM');
    // The output closes when the last process that holds it has ended, the services included.
    expect(await closed).toEqual([0, null]);
    expect(alive(pid)).toBe(false);
    expect(log()).not.toContain(KEY);
  } finally {
    npm.kill('SIGTERM');
  }
});

const hasKeeper = existsSync(join(ROOT, 'dist/keeper'));
if (!hasKeeper) process.stderr.write('not tested: a killed daemon under npm start, without a keeper\n');

test.runIf(hasKeeper)(
  '[restart.running] npm start restarts a killed daemon beside its running commands, and leaves no process behind',
  async () => {
    await using dir = await tempDir();
    const { npm, url, log } = await npmStart(dir.path, { SVC_API_KEY: KEY });
    const closed = once(npm, 'close');
    const says = async (text: string, times: number): Promise<void> => {
      while (log().split(text).length <= times) await once(npm, 'said');
    };
    try {
      const { data } = await call(`${url}/v2/commands`, { command: 'echo here; exec sleep 600', mode: 'async' });
      const pid = Number(data['pid']);
      process.kill(serviceOf(dir.path, 'sandboxd'), 'SIGKILL');
      await says('sandbox: daemon ended (SIGKILL), starting it again', 1);
      const output = `${url}/v2/commands/${data['command_id']}?wait=true`;
      await expect.poll(async () => (await call(output)).status).toBe(200);
      expect((await call(output)).data).toMatchObject({ stdout: 'here\n', command: { pid, status: 'running' } });
      process.kill(serviceOf(dir.path, 'sandboxd'), 'SIGKILL');
      // At this time no daemon is running that could end the commands of the last one.
      await says('sandbox: daemon ended (SIGKILL), starting it again', 2);
      npm.kill('SIGTERM');
      expect(await closed).toEqual([0, null]);
      expect(alive(pid)).toBe(false);
      expect(existsSync(join(dir.path, 'keeper-v4.sock'))).toBe(false);
    } finally {
      npm.kill('SIGTERM');
    }
  },
);

test('[start.two-copies] two copies run on one machine, each with the commands of its own', async () => {
  await using dir = await tempDir();
  // Empty counts as unset: both want the default port and the default directory below XDG_STATE_HOME.
  const env = { SVC_PORT: '', SVC_RUNTIME_DIR: '', XDG_STATE_HOME: dir.path, SVC_API_KEY: KEY };
  const first = await npmStart(dir.path, env);
  const second = await npmStart(dir.path, env).catch((error: unknown) => {
    first.npm.kill('SIGTERM');
    throw error;
  });
  const closed = [first, second].map(({ npm }) => once(npm, 'close'));
  try {
    const { data } = await call(`${first.url}/v2/commands`, { command: 'true' });
    const command = `/v2/commands/${data['command_id']}`;
    expect((await call(first.url + command)).status).toBe(200);
    expect((await call(second.url + command)).status).toBe(404);
    expect(second.log()).toMatch(/sandbox: port 8091 is in use: the daemon listens on \d+\n/);
    expect(second.log()).toMatch(/sandbox: another daemon uses .*: this one uses .*-\d+\n/);
    expect(second.log()).not.toContain('\u001b');
  } finally {
    for (const { npm } of [first, second]) npm.kill('SIGTERM');
  }
  expect(await Promise.all(closed)).toEqual([
    [0, null],
    [0, null],
  ]);
});
