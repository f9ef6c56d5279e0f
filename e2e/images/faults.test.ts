import { expect, test } from 'vitest';
import { devTools, untilHealthy } from './observe.ts';
import { type Sandbox, sharedSandbox } from './sandbox.ts';

const sandbox = sharedSandbox();

interface Fault {
  readonly program: string;
  /** Programs that depend on it and end with it. */
  readonly takesAlong?: readonly string[];
  /** Whether it serves again. */
  readonly serves: (sandbox: Sandbox) => Promise<boolean>;
}

/** Process ids of the running programs. */
async function pids(of: Sandbox): Promise<Record<string, number>> {
  const lines = (await of.shell('supervisorctl status || true')).split('\n');
  const running = lines.map((line) => /^(\S+) +RUNNING +pid (\d+)/.exec(line)).filter((match) => match !== null);
  return Object.fromEntries(running.map(([, name = '', pid]) => [name, Number(pid)]));
}

async function allRunning(of: Sandbox): Promise<Record<string, number>> {
  const all = ['chromium', 'daemon', 'gateway', 'keeper', 'window-manager', 'xvnc'];
  await expect.poll(async () => Object.keys(await pids(of)).sort()).toEqual(all);
  return pids(of);
}

const responds = (path: string): Fault['serves'] => {
  return async (of) =>
    (await of.shell(`curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:8080${path} || true`)) === '200';
};
const browses: Fault['serves'] = async (of) => (await devTools(of, 'version')).includes('Chrome/');

const FAULTS: readonly Fault[] = [
  { program: 'chromium', serves: browses },
  { program: 'window-manager', serves: browses },
  { program: 'xvnc', takesAlong: ['chromium', 'window-manager'], serves: browses },
  { program: 'gateway', serves: responds('/ready') },
  { program: 'daemon', serves: responds('/ready') },
];

test.each(FAULTS)(
  '[images.program-killed] $program restarts after SIGKILL without affecting other programs and commands',
  async ({ program, takesAlong = [], serves }) => {
    const before = await allRunning(sandbox());
    const { command_id, pid } = await sandbox().run('while read -r line; do echo "got $line"; done', { mode: 'async' });
    await sandbox().shell(`kill -KILL ${before[program]}`);
    await expect.poll(async () => (await pids(sandbox()))[program]).not.toBe(before[program]);
    await expect.poll(() => serves(sandbox())).toBe(true);
    const after = await allRunning(sandbox());
    const gone = new Set([program, ...takesAlong]);
    for (const [name, old] of Object.entries(before))
      expect(`${name} ${after[name] === old}`).toBe(`${name} ${!gone.has(name)}`);
    await sandbox().post(`/v2/commands/${command_id}/stdin`, { input: 'still\n', eof: true });
    const answer = await sandbox().fetch(`/v2/commands/${command_id}?wait=true&offset=10&wait_timeout=20`);
    const { data } = (await answer.json()) as { data: { command: { status: string; pid: number } } };
    expect(data.command).toMatchObject({ status: 'completed', exit_code: 0, pid });
  },
);

test('[images.keeper-killed] the keeper restarts after SIGKILL; its commands are lost, and new ones run', async () => {
  const before = await allRunning(sandbox());
  const { command_id } = await sandbox().run('setsid sleep 601 & exec sleep 602', { mode: 'async' });
  await sandbox().shell(`kill -KILL ${before['keeper']}`);
  await expect.poll(async () => (await pids(sandbox()))['keeper']).not.toBe(before['keeper']);
  await expect.poll(() => responds('/ready')(sandbox())).toBe(true);
  const answer = await sandbox().fetch(`/v2/commands/${command_id}`);
  expect(((await answer.json()) as { data: object }).data).toMatchObject({ command: { status: 'lost' } });
  expect((await sandbox().run('echo new')).stdout).toBe('new\n');
  const left = (): Promise<string> => sandbox().shell('pgrep -fx "sleep 60[0-9]" || true');
  await expect.poll(left).toBe('');
  expect((await pids(sandbox()))['gateway']).toBe(before['gateway']);
});

test('[images.daemon-restart] supervisorctl restart daemon ends the commands gracefully', async () => {
  await allRunning(sandbox());
  const { command_id } = await sandbox().run('trap "echo ended; exit 5" TERM; while :; do sleep 0.05; done', {
    mode: 'async',
  });
  await sandbox().shell('supervisorctl restart daemon');
  await expect.poll(() => responds('/ready')(sandbox())).toBe(true);
  const answer = await sandbox().fetch(`/v2/commands/${command_id}`);
  expect(((await answer.json()) as { data: object }).data).toMatchObject({
    stdout: 'ended\n',
    command: { status: 'completed', exit_code: 5 },
  });
});

test('[images.unhealthy] the health check names a required program that is stopped', async () => {
  await allRunning(sandbox());
  await sandbox().shell('supervisorctl stop xvnc');
  expect(await sandbox().shell('/opt/svc/hooks/healthcheck || true')).toContain('sandbox: xvnc is STOPPED');
  await sandbox().shell('supervisorctl start xvnc');
  await untilHealthy(sandbox());
});

test('[images.user-program] a program of the user can be added to a running container', async () => {
  const conf = '[program:mine]\\ncommand=sleep 600\\n';
  await sandbox().shell(
    `printf '${conf}' > /opt/svc/supervisord/mine.conf && supervisorctl reread && supervisorctl update`,
  );
  await expect.poll(async () => Object.keys(await pids(sandbox()))).toContain('mine');
});
