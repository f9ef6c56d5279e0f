import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { docker } from '../../scripts/images/docker.ts';
import { callBrowserMcp, devTools, onSocket, pollByProcess, untilHealthy } from './observe.ts';
import { NO_KERNELS, type Sandbox, sharedSandbox } from './sandbox.ts';
import { pids, startProgram, stopProgram } from './supervisor.ts';

const sandbox = sharedSandbox({
  env: { DISABLE_CODE_SERVER: 'false', DISABLE_JUPYTER: 'false', ...NO_KERNELS },
  with: (container) => container.withHealthInterval(2),
});
/** Every required program of this container. */
const PROMISED = [
  ...['browser-mcp', 'chromium', 'code-server', 'daemon', 'gateway', 'jupyter', 'keeper', 'watchdog'],
  ...['window-manager', 'xvnc'],
];

interface Fault {
  readonly program: string;
  /** Programs that depend on it and end with it. */
  readonly takesAlong?: readonly string[];
  /** Whether it serves again. */
  readonly serves: (sandbox: Sandbox) => Promise<boolean>;
}

async function allRunning(of: Sandbox): Promise<Record<string, number>> {
  let found: Record<string, number> = {};
  await pollByProcess(async () => {
    found = await pids(of);
    return Object.keys(found).sort();
  }).toEqual(PROMISED);
  return found;
}

const responds = (path: string): Fault['serves'] => {
  return async (of) =>
    (await of.shell(`curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:8080${path} || true`)) === '200';
};
const browses: Fault['serves'] = async (of) => (await devTools(of, 'version')).includes('Chrome/');
const offersTools: Fault['serves'] = async (of) =>
  (await callBrowserMcp(of, 'tools/list').catch(String)).includes('browser_navigate');
/** The supporting window of the window manager refers to itself; it is gone with the window manager (EWMH). */
const managesWindows: Fault['serves'] = async (of) => {
  const check = '_NET_SUPPORTING_WM_CHECK';
  const own = `xprop -id $(xprop -root ${check} | grep -o '0x[0-9a-f]*') ${check}`;
  return (await of.shell(`${own} 2>&1 || true`)).includes('window id');
};
const editsCode: Fault['serves'] = async (of) => (await onSocket(of, 'code-server', '/healthz')).includes('"status"');
const servesNotebooks: Fault['serves'] = async (of) =>
  (await onSocket(of, 'jupyter', '/jupyter/api')).includes('"version"');

const FAULTS: readonly Fault[] = [
  { program: 'chromium', serves: browses },
  { program: 'window-manager', serves: managesWindows },
  { program: 'code-server', serves: editsCode },
  { program: 'jupyter', serves: servesNotebooks },
  { program: 'xvnc', takesAlong: ['chromium', 'window-manager'], serves: browses },
  { program: 'watchdog', serves: responds('/ready') },
  { program: 'gateway', serves: responds('/ready') },
  { program: 'daemon', serves: responds('/ready') },
  // The last one: once it has been used, it ends with its browser.
  { program: 'browser-mcp', serves: offersTools },
];

/** Starts a command and a terminal; `runOn` checks that both are still running. */
async function startSessions(of: Sandbox, id: string): Promise<{ runOn: () => Promise<void> }> {
  const { command_id, pid } = await of.run('while read -r line; do echo "got $line"; done', { mode: 'async' });
  await of.post('/v2/pty/sessions', { id });
  const shell = async (): Promise<string> =>
    (await of.post<{ output: string }>(`/v2/pty/sessions/${id}/exec`, { command: 'echo "$BASHPID $kept"' })).output;
  await of.post(`/v2/pty/sessions/${id}/exec`, { command: 'kept=here' });
  const before = await shell();
  expect(before).toMatch(/^\d+ here\n$/);
  return {
    async runOn() {
      expect(await shell()).toBe(before);
      await of.post(`/v2/commands/${command_id}/stdin`, { input: 'still\n', eof: true });
      await of.fetch(`/v2/commands/${command_id}?wait=true&offset=10&wait_timeout=20`);
      const answer = await of.fetch(`/v2/commands/${command_id}`);
      expect(((await answer.json()) as { data: object }).data).toMatchObject({
        stdout: 'got still\n',
        command: { status: 'completed', exit_code: 0, pid },
      });
    },
  };
}

test.each(FAULTS)(
  '[images.program-killed] $program restarts after SIGKILL without affecting other programs and commands',
  async ({ program, takesAlong = [], serves }) => {
    // The sandbox is ready before some of its programs answer.
    await pollByProcess(() => serves(sandbox())).toBe(true);
    const before = await allRunning(sandbox());
    const sessions = await startSessions(sandbox(), `beside-${program}`);
    const children = await sandbox().shell(`pgrep -d ' ' -P ${before[program]} || true`);
    await sandbox().shell(`kill -KILL ${before[program]}`);
    await pollByProcess(async () => (await pids(sandbox()))[program]).not.toBe(before[program]);
    await pollByProcess(() => serves(sandbox())).toBe(true);
    // A leftover child may affect the new process when it ends.
    await pollByProcess(() =>
      sandbox().shell(`for pid in ${children}; do test ! -d /proc/$pid || echo $pid; done`),
    ).toBe('');
    expect(await serves(sandbox())).toBe(true);
    const after = await allRunning(sandbox());
    const gone = new Set([program, ...takesAlong]);
    for (const [name, old] of Object.entries(before))
      expect(`${name} ${after[name] === old}`).toBe(`${name} ${!gone.has(name)}`);
    await sessions.runOn();
  },
);

test('[images.keeper-killed] the keeper restarts after SIGKILL; its commands are lost, and new ones run', async () => {
  const before = await allRunning(sandbox());
  const { command_id } = await sandbox().run('setsid sleep 601 & exec sleep 602', { mode: 'async' });
  await sandbox().shell(`kill -KILL ${before['keeper']}`);
  await pollByProcess(async () => (await pids(sandbox()))['keeper']).not.toBe(before['keeper']);
  await pollByProcess(() => responds('/ready')(sandbox())).toBe(true);
  const answer = await sandbox().fetch(`/v2/commands/${command_id}`);
  expect(((await answer.json()) as { data: object }).data).toMatchObject({ command: { status: 'lost' } });
  expect((await sandbox().run('echo new')).stdout).toBe('new\n');
  const left = (): Promise<string> => sandbox().shell('pgrep -fx "sleep 60[0-9]" || true');
  await pollByProcess(left).toBe('');
  expect((await pids(sandbox()))['gateway']).toBe(before['gateway']);
});

test('[images.daemon-restart] supervisorctl restart daemon ends the commands gracefully', async () => {
  await allRunning(sandbox());
  const { command_id } = await sandbox().run('trap "echo ended; exit 5" TERM; while :; do sleep 0.05; done', {
    mode: 'async',
  });
  await sandbox().shell('supervisorctl restart daemon');
  await pollByProcess(() => responds('/ready')(sandbox())).toBe(true);
  const answer = await sandbox().fetch(`/v2/commands/${command_id}`);
  expect(((await answer.json()) as { data: object }).data).toMatchObject({
    stdout: 'ended\n',
    command: { status: 'completed', exit_code: 5 },
  });
});

test.each(PROMISED)('[images.unhealthy] the health check fails if %s is stopped, and names it', async (program) => {
  await allRunning(sandbox());
  await untilHealthy(sandbox());
  await stopProgram(sandbox(), program);
  onTestFailed(() => startProgram(sandbox(), program).catch(() => undefined));
  const checked = await sandbox().shell('/opt/svc/hooks/healthcheck && echo passed || echo "exit $?"');
  expect(checked.split('\n')).toEqual(expect.arrayContaining([`sandbox: ${program} is STOPPED`, 'exit 1']));
  await startProgram(sandbox(), program);
  await untilHealthy(sandbox());
});

test.each(['chromium', 'code-server', 'jupyter'])(
  '[images.unhealthy] the health check fails if %s runs and does not respond',
  async (program) => {
    const { [program]: pid } = await allRunning(sandbox());
    await untilHealthy(sandbox());
    await sandbox().shell(`kill -s STOP -- -${pid}`);
    onTestFinished(async () => void (await sandbox().shell(`kill -s CONT -- -${pid} || true`)));
    const checked = await sandbox().shell('/opt/svc/hooks/healthcheck 2>&1 && echo passed || echo "exit $?"');
    expect(checked.split('\n')).toEqual(expect.arrayContaining([`sandbox: ${program} does not answer`, 'exit 1']));
    await sandbox().shell(`kill -s CONT -- -${pid}`);
    await untilHealthy(sandbox());
  },
);

test('[images.unhealthy] the engine reports unhealthy only while a program is stopped', async () => {
  await allRunning(sandbox());
  const id = sandbox().container.getId();
  const health = (): Promise<string> => docker('inspect', '--format', '{{.State.Health.Status}}', id);
  await pollByProcess(health).toBe('healthy');
  await stopProgram(sandbox(), 'window-manager');
  onTestFailed(() => startProgram(sandbox(), 'window-manager').catch(() => undefined));
  await pollByProcess(health).toBe('unhealthy');
  await startProgram(sandbox(), 'window-manager');
  await pollByProcess(health).toBe('healthy');
});

test('[images.user-program] a program of the user can be added to a running container and removed', async () => {
  const update = 'supervisorctl reread && supervisorctl update';
  const remove = (): Promise<string> => sandbox().shell(`rm -f /opt/svc/supervisord/mine.conf && ${update}`);
  onTestFinished(async () => void (await remove()));
  const conf = '[program:mine]\\ncommand=sleep 611\\n';
  await sandbox().shell(`printf '${conf}' > /opt/svc/supervisord/mine.conf && ${update}`);
  await pollByProcess(async () => Object.keys(await pids(sandbox()))).toContain('mine');
  await remove();
  expect(Object.keys(await pids(sandbox()))).not.toContain('mine');
});
