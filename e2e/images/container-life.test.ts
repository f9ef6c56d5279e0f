import { readFileSync } from 'node:fs';
import { chown, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { docker } from '../../scripts/images/docker.ts';
import { ROOT } from '../../scripts/root.ts';
import { browserLine, devTools, onSocket, openTab, pollByProcess, untilHealthy } from './observe.ts';
import { runOnce } from './run-once.ts';
import { NO_KERNELS, sharedSandbox, startSandbox, WITH_STARTS } from './sandbox.ts';
import { programs } from './supervisor.ts';

const SECCOMP = `seccomp=${readFileSync(join(ROOT, 'images/seccomp.json'), 'utf8')}`;
const AUTO = { BROWSER_START_MODE: 'auto', ...NO_KERNELS };

describe('a plain docker run', () => {
  const sandbox = sharedSandbox({ env: { BROWSER_START_MODE: 'auto' }, plain: true });

  test('[images.plain] a plain docker run works; without the profile the browser runs unsandboxed and a warning is logged', async () => {
    expect(await browserLine(sandbox())).toMatch(/--no-sandbox\n[\s\S]*--disable-dev-shm-usage/);
    await sandbox().said('chromium: no user namespaces here, so its sandbox is off');
    await sandbox().said('chromium: /dev/shm is small');
    const page =
      'data:text/html,<canvas id=c width=4000 height=4000></canvas><script>c.getContext("2d").fillRect(0,0,4000,4000);document.title="drawn"</script>';
    await openTab(sandbox(), encodeURI(page));
    await pollByProcess(() => devTools(sandbox(), 'list')).toContain('"title": "drawn"');
  });

  test('[images.restart] docker restart keeps files and command records', async () => {
    const { command_id } = await sandbox().run('echo before > ~/file; echo before');
    await sandbox().container.restart({ timeout: 30_000 });
    await untilHealthy(sandbox());
    expect((await sandbox().run('cat ~/file')).stdout).toBe('before\n');
    const answer = await sandbox().fetch(`/v2/commands/${command_id}`);
    expect(((await answer.json()) as { data: object }).data).toMatchObject({ stdout: 'before\n' });
  });
});

test('[images.seccomp] with the profile the browser is sandboxed, without capabilities and new privileges', async () => {
  await using sandbox = await startSandbox({
    env: AUTO,
    with: (container) =>
      container.withSecurityOpt(SECCOMP, 'no-new-privileges').withDroppedCapabilities('ALL').withUser('1000'),
  });
  expect(await browserLine(sandbox)).not.toContain('--no-sandbox');
  // A sandboxed renderer has its own user namespace and seccomp filter.
  await pollByProcess(() => devTools(sandbox, 'list')).toContain('"type": "page"');
  const page =
    'p=$(pgrep -f type=renderer | head -n 1); readlink /proc/$p/ns/user /proc/1/ns/user; grep Seccomp: /proc/$p/status';
  const [own, first, filter] = (await sandbox.shell(page)).split('\n');
  expect(own).not.toBe(first);
  expect(filter).toMatch(/Seccomp:\s+2/);
});

test('[images.user] --user runs everything as that user, logs it, and refuses other users', async () => {
  await using sandbox = await startSandbox({ env: AUTO, with: (container) => container.withUser('1000') });
  await sandbox.said('sandbox: started as uid 1000: everything runs as that account');
  expect((await sandbox.run('id -u')).stdout).toBe('1000\n');
  const refused = await sandbox.fetch('/v2/commands', {
    method: 'POST',
    body: JSON.stringify({ command: 'id', user: 'root' }),
  });
  expect([refused.status, await refused.json()]).toMatchObject([
    403,
    { success: false, message: 'the daemon runs as sandbox and cannot run commands as root' },
  ]);
  await untilHealthy(sandbox);
});

test('[images.capabilities] without capabilities everything runs as root and a warning is logged', async () => {
  await using sandbox = await startSandbox({
    env: AUTO,
    with: (container) => container.withDroppedCapabilities('ALL'),
  });
  await sandbox.said('without CAP_SETUID and CAP_SETGID everything runs as root');
  expect((await sandbox.run('id -u')).stdout).toBe('0\n');
});

test('[images.read-only] a read-only root works with a tmpfs for /tmp, /run, /var/lib/svc and the home', async () => {
  await using sandbox = await startSandbox({
    env: AUTO,
    with: (container) =>
      container
        .withReadOnlyRoot()
        .withTmpFs({ '/tmp': 'exec', '/run': '', '/var/lib/svc': '', '/home/sandbox': 'exec' }),
  });
  expect((await sandbox.run('echo here > file; cat file; touch /etc/x || echo refused')).stdout).toBe(
    'here\nrefused\n',
  );
  await untilHealthy(sandbox);
});

test('[images.stale-lock] a stale lock of an earlier browser does not prevent the start', async () => {
  const profile = '/home/sandbox/.config/sandbox-browser';
  const hook = `mkdir -p ${profile}; ln -s gone-77 ${profile}/SingletonLock; chown -R sandbox: /home/sandbox`;
  await using sandbox = await startSandbox({ env: { ...AUTO, RUN_HOOK_INIT: hook } });
  expect(await devTools(sandbox, 'version')).toContain('Chrome/');
});

test('[images.stop] docker stop ends all processes gracefully within 3 s, with exit code 0', async () => {
  await using sandbox = await startSandbox({
    env: { ...AUTO, DISABLE_CODE_SERVER: 'false', DISABLE_JUPYTER: 'false', ...WITH_STARTS },
  });
  await sandbox.run('exec sleep 600', { mode: 'async' });
  await untilHealthy(sandbox);
  // A JupyterLab that still loads its extensions takes no signal until it has loaded them, and is killed.
  await pollByProcess(() => onSocket(sandbox, 'code-server', '/healthz')).toContain('"status"');
  await pollByProcess(() => onSocket(sandbox, 'jupyter', '/jupyter/api')).toContain('"version"');
  const id = sandbox.container.getId();
  const promised = Object.keys(await programs(sandbox)).sort();
  // After that time the engine kills the container, and the exit code is 137.
  await docker('stop', '--time', '3', id);
  expect(await docker('inspect', '--format', '{{.State.ExitCode}} {{.State.OOMKilled}}', id)).toBe('0 false');
  const log = await docker('logs', id);
  const stopped = [...log.matchAll(/stopped: (\S+) \((?:exit status \d+|terminated by SIGTERM)\)/g)];
  expect(stopped.map(([, name]) => name).sort(), log).toEqual(promised);
  expect(promised).toHaveLength(10);
  expect(log).not.toContain('SIGKILL');
  await docker('start', id);
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) process.stderr.write('not tested: PUID and PGID, which need root to create a directory of another user\n');

test.runIf(isRoot)('[config.puid] with PUID and PGID the user owns a mounted home', async () => {
  const home = await mkdtemp(join(tmpdir(), 'sandbox-home-'));
  await chown(home, 4711, 4712);
  try {
    await using sandbox = await startSandbox({
      env: { ...AUTO, PUID: '4711', PGID: '4712' },
      with: (container) => container.withBindMounts([{ source: home, target: '/home/sandbox' }]),
    });
    expect((await sandbox.run('id -un; id -u; id -g; touch mine')).stdout).toBe('sandbox\n4711\n4712\n');
    expect(await stat(join(home, 'mine'))).toMatchObject({ uid: 4711, gid: 4712 });
    await untilHealthy(sandbox);
  } finally {
    await rm(home, { recursive: true });
  }
});

test('[images.command-line] arguments of docker run are executed instead of the service', async () => {
  const { code, output } = await runOnce({}, [], ['sandboxd', 'version']);
  expect([code, output.trim()]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
});
