import { expect, test } from 'vitest';
import { pollByProcess, untilHealthy } from './observe.ts';
import { NO_KERNELS, sharedSandbox, startSandbox, WITH_STARTS } from './sandbox.ts';
import { pidOf, pids, startProgram, stopProgram } from './supervisor.ts';

const sandbox = sharedSandbox({
  env: { BROWSER_START_MODE: 'auto', DISABLE_CODE_SERVER: 'false', DISABLE_JUPYTER: 'false', ...NO_KERNELS },
});

const NONE = '0000000000000000';
/** Docker's default capabilities. */
const DEFAULT = '00000000a80425fb';
const ROOT = { uid: '0', effective: DEFAULT, bounding: DEFAULT, gainsNone: '0' };
const ACCOUNT = { uid: '1000', effective: NONE, bounding: NONE, gainsNone: '1' };

/** The privileges of a process, from /proc/PID/status. */
function privileges(status: string): Record<string, string> {
  const field = (name: string): string => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1] ?? '';
  return {
    uid: field('Uid'),
    effective: field('CapEff'),
    bounding: field('CapBnd'),
    gainsNone: field('NoNewPrivs'),
  };
}

test.each([
  ['watchdog', ROOT],
  ['keeper', ROOT],
  ['daemon', ROOT],
  ['gateway', { ...ACCOUNT, uid: expect.stringMatching(/^9\d\d$/) }],
  ['xvnc', ACCOUNT],
  ['window-manager', ACCOUNT],
  ['chromium', ACCOUNT],
  ['browser-mcp', ACCOUNT],
  ['code-server', ACCOUNT],
  ['jupyter', ACCOUNT],
])('[images.privileges] %s has the privileges that it needs', async (program, expected) => {
  await untilHealthy(sandbox());
  const status = await sandbox().shell(`cat /proc/${await pidOf(sandbox(), program)}/status`);
  expect(privileges(status)).toEqual(expected);
});

test('[images.privileges] commands and terminals of the account gain none, those of root keep theirs', async () => {
  const status = 'cat /proc/self/status';
  expect(privileges((await sandbox().run(status)).stdout)).toEqual(ACCOUNT);
  expect(privileges((await sandbox().run(status, { user: 'root' })).stdout)).toEqual(ROOT);
  await sandbox().post('/v2/pty/sessions', { id: 'privileges' });
  const { output } = await sandbox().post<{ output: string }>('/v2/pty/sessions/privileges/exec', { command: status });
  expect(privileges(output)).toEqual(ACCOUNT);
});

test('[images.stall-private] the account cannot open the pipes for beats, and no command or terminal inherits one', async () => {
  const pipes = await sandbox().shell("stat -c '%n %F %U %a' /run/svc/*.heartbeat");
  expect(pipes.split('\n')).toEqual([
    '/run/svc/daemon.heartbeat fifo root 600',
    '/run/svc/gateway.heartbeat fifo root 600',
  ]);
  const seen = 'ls -l /proc/self/fd; env; for pipe in /run/svc/*.heartbeat; do : <>$pipe || echo refused; done';
  const { stdout } = await sandbox().run(seen);
  await sandbox().post('/v2/pty/sessions', { id: 'pipes' });
  const terminal = await sandbox().post<{ output: string }>('/v2/pty/sessions/pipes/exec', { command: seen });
  for (const output of [stdout, terminal.output]) {
    expect(output.match(/^refused$/gm)).toHaveLength(2);
    expect(output).not.toMatch(/-> .*heartbeat|HEARTBEAT/);
  }
});

const SETUID = 'cp /usr/bin/id /usr/local/bin/gain && chmod 4755 /usr/local/bin/gain';

test('[images.setuid] a setuid program gives a command no privileges', async () => {
  await sandbox().shell(SETUID);
  expect((await sandbox().run('gain -u')).stdout).toBe('1000\n');
  expect(await sandbox().shell('command -v sudo doas || echo none')).toBe('none');
});

test('[images.setuid] SVC_ALLOW_SETUID=true lets commands and editors gain privileges, and is reported', async () => {
  const env = { SVC_ALLOW_SETUID: 'true', DISABLE_CODE_SERVER: 'false', ...NO_KERNELS };
  await using open = await startSandbox({ env });
  await open.said('sandbox: SVC_ALLOW_SETUID is set: a setuid program can make a command root');
  await open.shell(SETUID);
  expect((await open.run('gain -u')).stdout).toBe('0\n');
  await untilHealthy(open);
  const of = async (program: string): Promise<object> =>
    privileges(await open.shell(`cat /proc/${await pidOf(open, program)}/status`));
  expect(await of('code-server')).toEqual({ ...ROOT, uid: '1000', effective: NONE });
  expect(await of('chromium')).toEqual(ACCOUNT);
});

test('[images.x-cookie] only holders of the cookie in ~/.Xauthority reach the display, on its socket in /tmp alone', async () => {
  await untilHealthy(sandbox());
  const draw = 'xprop -root _NET_SUPPORTING_WM_CHECK';
  expect((await sandbox().run(`echo $XAUTHORITY; ${draw}`)).stdout).toMatch(
    /^\/home\/sandbox\/\.Xauthority\n.*window id/,
  );
  expect((await sandbox().run(`XAUTHORITY=/dev/null ${draw}`)).stderr).toContain('Authorization required');
  expect((await sandbox().run(draw, { user: 'games', cwd: '/' })).stderr).toContain('Authorization required');
  expect(await sandbox().shell('stat -c "%U %a" /home/sandbox/.Xauthority')).toBe('sandbox 600');
  expect(await sandbox().shell('grep -c "@.*X11" /proc/net/unix || true')).toBe('0');
});

test('[images.x-cookie] a new display has a new cookie', async () => {
  const cookie = (): Promise<string> => sandbox().shell('xauth -f /home/sandbox/.Xauthority list');
  const before = await cookie();
  await stopProgram(sandbox(), 'xvnc');
  await startProgram(sandbox(), 'xvnc');
  await pollByProcess(cookie).not.toBe(before);
  await untilHealthy(sandbox());
  expect((await cookie()).split('\n')).toHaveLength(1);
});

test('[images.healthcheck-time] the health check waits less than 4 s if nothing answers', async () => {
  await untilHealthy(sandbox());
  const programs = ['daemon', 'gateway', 'chromium', 'code-server', 'jupyter'];
  const pidOfEach = await pids(sandbox());
  const groups = programs.map((program) => `-${pidOfEach[program]}`).join(' ');
  const each = (signal: string): string => `kill -s ${signal} -- ${groups}`;
  await sandbox().shell(each('STOP'));
  try {
    const [took, ...lines] = (
      await sandbox().shell(
        'begun=$(date +%s%3N); /opt/svc/hooks/healthcheck >/tmp/said 2>&1; echo $(($(date +%s%3N) - begun)); cat /tmp/said',
      )
    ).split('\n');
    expect(Number(took)).toBeLessThan(4000);
    for (const program of ['chromium', 'code-server', 'jupyter'])
      expect(lines).toContain(`sandbox: ${program} does not answer`);
    expect(lines).toContain('sandbox: the service is not ready');
  } finally {
    await sandbox().shell(each('CONT'));
  }
});

test('[images.boot-links] links that the account left do not lead root to another file', async () => {
  const hook = `rm -rf /tmp/.X11-unix && ln -s /etc /tmp/.X11-unix
    mkdir /srv/other && ln -s gone-77 /srv/other/SingletonLock
    mkdir -p ~sandbox/.config && ln -s /srv/other ~sandbox/.config/sandbox-browser && chown -Rh sandbox: ~sandbox`;
  await using own = await startSandbox({ env: { RUN_HOOK_INIT: hook, ...NO_KERNELS, ...WITH_STARTS } });
  await own.said(/(?:exited|success): chromium/);
  expect(await own.shell('stat -c %a /etc; stat -c "%F %a" /tmp/.X11-unix; ls /srv/other')).toBe(
    '755\ndirectory 1777\nSingletonLock',
  );
});
