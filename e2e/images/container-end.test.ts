import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { docker } from '../../scripts/images/docker.ts';
import { untilHealthy } from './observe.ts';
import { runOnce } from './run-once.ts';
import { NO_BROWSER, NO_KERNELS, startSandbox, WITH_STARTS } from './sandbox.ts';
import { pids, programs } from './supervisor.ts';

test('[images.stop] a stop ends within 10 s with exit code 0 although everything ignores SIGTERM', async () => {
  const stubborn = {
    content: '[program:stubborn]\ncommand=sh -c "trap : TERM; while :; do sleep 0.1; done"\nkillasgroup=true\n',
    target: '/opt/svc/supervisord/stubborn.conf',
  };
  await using sandbox = await startSandbox({
    env: { DISABLE_CODE_SERVER: 'false', DISABLE_JUPYTER: 'false', ...NO_KERNELS, ...WITH_STARTS },
    with: (container) => container.withCopyContentToContainer([stubborn]),
  });
  await sandbox.run('trap "" TERM; while :; do sleep 0.1; done', { mode: 'async' });
  await untilHealthy(sandbox);
  const apps = ['chromium', 'code-server', 'jupyter', 'xvnc', 'window-manager', 'gateway'];
  const pidOfEach = await pids(sandbox);
  await sandbox.shell(`kill -s STOP -- ${apps.map((program) => `-${pidOfEach[program]}`).join(' ')}`);
  const id = sandbox.container.getId();
  // After that time the engine kills the container, and the exit code is 137.
  await docker('stop', '--time', '10', id);
  expect(await docker('inspect', '--format', '{{.State.ExitCode}}', id)).toBe('0');
  const log = await docker('logs', id);
  const stopped = [...log.matchAll(/stopped: (\S+) \(/g)].map(([, name]) => name);
  expect(stopped.slice(-2)).toEqual(['daemon', 'keeper']);
  expect(log).toContain("killing 'stubborn'");
  await docker('start', id);
});

/** Seconds, longer than a busy machine needs from the start to the command; the command takes longer still. */
const IDLE = 20;
const HELD = IDLE + 2;

test.concurrent('[idle.stop] an idle container stops in order with exit code 0, however often it is asked for its state', async ({
  onTestFailed,
}) => {
  const env = { ...NO_BROWSER, ...NO_KERNELS, ...WITH_STARTS, SVC_IDLE_STOP_SECONDS: String(IDLE) };
  await using sandbox = await startSandbox({ env }, onTestFailed);
  const id = sandbox.container.getId();
  const held = await sandbox.run(`exec sleep ${HELD}`, { mode: 'async' });
  const begun = Date.now();
  // Pages and platforms ask all the time.
  const asked = async (): Promise<boolean> => {
    const looks = ['/health?ready', '/ready', '/metrics', '/v2/sandbox/activity', `/v2/commands/${held.command_id}`];
    const answers = await Promise.allSettled(looks.map((path) => sandbox.fetch(path)));
    return answers.every(({ status }) => status === 'rejected');
  };
  await expect.poll(asked, { interval: 500 }).toBe(true);
  expect(await docker('wait', id)).toBe('0');
  const log = await docker('logs', id);
  const [, at = ''] =
    /"time":"([^"]+)","name":"daemon","seconds":\d+,"msg":"nothing has used the sandbox for SVC_IDLE_STOP/.exec(log) ??
    [];
  // The command held it, and the time began with its end.
  expect(Date.parse(at) - begun).toBeGreaterThanOrEqual((HELD + IDLE) * 1000 - 500);
  const stopped = [...log.matchAll(/stopped: (\S+) \(/g)].map(([, name]) => name);
  expect(stopped.slice(-2)).toEqual(['daemon', 'keeper']);
  await docker('start', id);
});

/** A program that fails, over one of the image; the last one after supervisord has taken it for running. */
const FAILING: readonly (readonly [program: string, path: string, script: string])[] = [
  ['keeper', '/opt/svc/product/keeper', 'exit 3'],
  ['daemon', '/usr/local/bin/sandboxd', 'exit 3'],
  ['gateway', '/opt/svc/start/gateway', 'exit 3'],
  ['gateway', '/opt/svc/start/gateway', 'sleep 1.5; exit 3'],
];

// Both wait, and use no processor meanwhile.
test.concurrent('[images.failed-starts] after ten failed starts in a row of keeper, daemon or gateway the container ends', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sandbox-failing-'));
  try {
    const ends = FAILING.map(async ([program, path, script], i) => {
      const failing = join(directory, `failing-${i}`);
      await writeFile(failing, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      const { code, output } = await runOnce(NO_BROWSER, ['--volume', `${failing}:${path}:ro`]);
      expect([program, code]).toEqual([program, 1]);
      expect(output).toContain(`${program} has failed 10 times in a row: the container ends`);
      expect(output.match(new RegExp(`exited: ${program} \\(`, 'g'))).toHaveLength(10);
    });
    await Promise.all(ends);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test.concurrent('[images.crash-loop] any other program that fails starts again after growing pauses, and is not given up', async ({
  onTestFailed,
}) => {
  const at = (path: string, content: string) => ({ content, target: path, mode: 0o755 });
  // Ends at once, or after supervisord has taken it for running.
  const failing = at('/opt/svc/start/window-manager', '#!/bin/sh\nexit 3\n');
  const brief = at('/opt/svc/start/chromium', '#!/bin/sh\nsleep 1.2\nexit 3\n');
  await using sandbox = await startSandbox(
    {
      env: { ...NO_KERNELS, ...WITH_STARTS },
      with: (container) => container.withCopyContentToContainer([failing, brief]),
    },
    onTestFailed,
  );
  const starts = (program: string): number[] =>
    [
      ...sandbox.rawLog.matchAll(new RegExp(`"time":"([^"]+)","name":"supervisord","msg":"spawned: '${program}'`, 'g')),
    ].map(([, time = '']) => Date.parse(time));
  for (const program of ['window-manager', 'chromium']) {
    await expect.poll(() => starts(program).length).toBeGreaterThan(4);
    const pauses = starts(program).map((time, i, all) => time - (all[i - 1] ?? time));
    // Of one second, two and three; supervisord looks once a second.
    for (const [i, pause] of pauses.slice(2, 5).entries()) expect(pause).toBeGreaterThanOrEqual((i + 1) * 1000 - 50);
  }
  const checked = await sandbox.shell('/opt/svc/hooks/healthcheck 2>&1 || true');
  expect(checked).toMatch(/sandbox: window-manager is (?:BACKOFF|EXITED|STARTING)/);
  expect(Object.values(await programs(sandbox))).not.toContain('FATAL');
  expect((await sandbox.fetch('/ready')).status).toBe(200);
});
