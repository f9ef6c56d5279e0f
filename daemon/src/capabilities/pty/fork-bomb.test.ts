import { readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { lookUpIdentity } from '../../core/account/identity.ts';
import { BARE, create, exec, info } from './pty.fixture.ts';

const root = process.platform === 'linux' && process.getuid?.() === 0;

/** Number of live processes in /proc for which `met` is true. */
function processes(met: (name: string, session: number) => boolean): number {
  return readdirSync('/proc').filter((name) => {
    try {
      if (!/^\d+$/.test(name)) return false;
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const [state = 'Z', , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return !'ZX'.includes(state) && met(name, Number(session));
    } catch {
      return false;
    }
  }).length;
}

test.runIf(root)('[pty.fork-bomb] a fork bomb under a limit ends with its session', async () => {
  const { uid } = lookUpIdentity('nobody');
  // The limit counts all processes of the account, those of other programs too.
  const before = processes((name) => statSync(`/proc/${name}`).uid === uid);
  await using daemon = await TestApp.start();
  await create(daemon, 'a', { ...BARE, user: 'nobody' });
  const { pid } = await info(daemon, 'a');
  const bombs = () => processes((_, session) => session === pid);
  await exec(daemon, 'a', `ulimit -u ${before + 40}; bomb() { bomb | bomb & }; bomb`, { timeout: 1 });
  await expect.poll(bombs).toBeGreaterThan(5);
  await create(daemon, 'b');
  expect(await exec(daemon, 'b', 'echo others live')).toMatchObject({ output: 'others live\n' });
  expect((await daemon.inject({ method: 'DELETE', url: '/v2/pty/sessions/a' })).statusCode).toBe(200);
  await expect.poll(bombs).toBe(0);
  expect(await info(daemon, 'b')).toMatchObject({ status: 'idle' });
});
