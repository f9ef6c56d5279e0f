import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { Sandbox } from '../../clients/typescript/src/index.ts';
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
    const command = await Sandbox.at({ url, apiKey: KEY }).spawn('trap "" TERM; exec sleep 600');
    const { pid: known, status } = await command.info();
    const pid = Number(known);
    expect([status, alive(pid)]).toEqual(['running', true]);
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
      const command = await Sandbox.at({ url, apiKey: KEY }).spawn('echo here; exec sleep 600');
      const pid = Number((await command.info()).pid);
      process.kill(serviceOf(dir.path, 'sandboxd'), 'SIGKILL');
      await says('sandbox: daemon ended (SIGKILL), starting it again', 1);
      expect((await command.lines().next()).value).toBe('here');
      expect(await command.info()).toMatchObject({ pid, status: 'running' });
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

test('[start.two-copies] [cli.start] two copies run on one machine, each with the commands of its own, which have the command line', async () => {
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
    const here = Sandbox.at({ url: first.url, apiKey: KEY });
    const there = Sandbox.at({ url: second.url, apiKey: KEY });
    const { id, stdout } = await here.run('sandbox run -- echo from within', {
      env: { SANDBOX_URL: first.url, SANDBOX_API_KEY: KEY },
    });
    expect([stdout, (await here.command(id).info()).status]).toEqual(['from within\n', 'completed']);
    await expect(there.command(id).info()).rejects.toMatchObject({ status: 404 });
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
