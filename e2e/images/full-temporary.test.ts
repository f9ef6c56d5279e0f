import { expect, test } from 'vitest';
import { NO_BROWSER, NO_KERNELS, type Sandbox, startSandbox, WITH_STARTS } from './sandbox.ts';

/** The account fills its temporary directory again as soon as there is room. */
const FILL = 'while :; do cat /dev/zero >>/tmp/fill; sleep 0.1; done 2>/dev/null';

const bash = (sandbox: Sandbox, command: string) =>
  sandbox.mcp<{ isError?: boolean }>('tools/call', { name: 'sandbox_execute_bash', arguments: { cmd: command } });

test('[late.full-temporary] the account that keeps its temporary directory full ends no interface', async () => {
  await using sandbox = await startSandbox({
    env: { ...NO_BROWSER, ...NO_KERNELS },
    with: (container) => container.withTmpFs({ '/tmp': 'size=4m,exec' }),
  });
  await sandbox.post('/v2/pty/sessions', { id: 't' });
  const { command_id } = await sandbox.run(FILL, { mode: 'async' });
  await expect.poll(() => sandbox.shell('df --output=avail /tmp | tail -n 1')).toMatch(/^ *0$/);
  expect(await bash(sandbox, 'cd /usr')).not.toMatchObject({ isError: true });
  expect(JSON.stringify(await bash(sandbox, 'pwd'))).toContain('/usr');
  const exec = { command: 'echo "$((6 * 7))"' };
  expect(await sandbox.post('/v2/pty/sessions/t/exec', exec)).toMatchObject({ output: '42\n', exit_code: 0 });
  expect(await sandbox.post('/v2/code/execute', { language: 'python', code: '6 * 7' })).toMatchObject({ status: 'ok' });
  expect(await sandbox.shell('stat -c "%a %U" /var/lib/svc-*')).toBe(Array(3).fill('711 root').join('\n'));
  await sandbox.post(`/v2/commands/${command_id}/kill`, {});
  await bash(sandbox, 'rm /tmp/fill');
  expect(await sandbox.shell('ls /tmp')).not.toContain('fill');
});

test('[late.full-temporary] a full disk does not end supervisord, which writes the states of programs there', async () => {
  await using sandbox = await startSandbox({ env: { ...NO_BROWSER, ...NO_KERNELS, ...WITH_STARTS } });
  // A directory in the place of the file: renaming onto it fails as a full disk does, for root too.
  await sandbox.shell('rm /run/svc/program-states && mkdir -p /run/svc/program-states/full');
  await sandbox.shell('kill -KILL $(pgrep -o -f svc_watchdog)');
  await sandbox.said('the states of the programs are not written');
  await expect.poll(() => sandbox.log.split("spawned: 'watchdog'")).toHaveLength(3);
  expect((await sandbox.run('echo on')).stdout).toBe('on\n');
  await sandbox.shell('rm -r /run/svc/program-states && kill -KILL $(pgrep -o -f svc_watchdog)');
  await expect.poll(() => sandbox.shell('cat /run/svc/program-states || true')).toContain(' RUNNING ');
});
