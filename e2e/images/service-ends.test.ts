import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExpectStatic, test } from 'vitest';
import { DAEMON_IMAGE } from '../../scripts/images/build-images.ts';
import { docker } from '../../scripts/images/docker.ts';
import { LABEL } from '../setup/images.ts';
import { NO_BROWSER, NO_KERNELS, type Sandbox, startSandbox, WITH_STARTS } from './sandbox.ts';
import { pidOf, programs } from './supervisor.ts';

/** More than the failed starts after which a service that was never ready ends the container. */
const MANY = 12;
const countOf = (log: string, text: string): number => log.split(text).length - 1;

/** Kills each process of a program as soon as it exists, until there were many. */
async function killAgainAndAgain(sandbox: Sandbox, program: string, expect: ExpectStatic): Promise<void> {
  const known = new Set<number>();
  for (let i = 0; i < MANY; i++) {
    const next = async (): Promise<boolean> => {
      const pid = await pidOf(sandbox, program);
      if (pid === undefined || known.has(pid)) return false;
      known.add(pid);
      await sandbox.shell(`kill -KILL ${pid} || true`);
      return true;
    };
    await expect.poll(next).toBe(true);
  }
}

async function untilOnceReady(sandbox: Sandbox, program: string, expect: ExpectStatic): Promise<void> {
  const pid = await pidOf(sandbox, program);
  await expect.poll(async () => Number(await sandbox.shell(`ps -o etimes= -p ${pid}`))).toBeGreaterThan(5);
}

// They wait, and use no processor meanwhile.
test.concurrent('[images.once-ready] a service that was ready, and a program of the account, start again after each of many kills', async ({
  expect,
  onTestFailed,
}) => {
  await using sandbox = await startSandbox({ env: { ...NO_BROWSER, ...NO_KERNELS, ...WITH_STARTS } }, onTestFailed);
  await untilOnceReady(sandbox, 'gateway', expect);
  await Promise.all(['gateway', 'browser-mcp'].map((program) => killAgainAndAgain(sandbox, program, expect)));
  await expect.poll(() => sandbox.fetch('/ready').then(({ status }) => status, String)).toBe(200);
  await expect.poll(() => programs(sandbox)).toMatchObject({ gateway: 'RUNNING', 'browser-mcp': 'RUNNING' });
  expect(countOf(sandbox.log, "spawned: 'gateway'")).toBeGreaterThan(MANY);
  expect(sandbox.log).not.toContain('the container ends');
});

test.concurrent('[images.once-ready] the exit code of a wrong option does not end a container whose service was ready', async ({
  expect,
  onTestFailed,
}) => {
  await using sandbox = await startSandbox({ env: { ...NO_BROWSER, ...NO_KERNELS, ...WITH_STARTS } }, onTestFailed);
  await untilOnceReady(sandbox, 'gateway', expect);
  // A shell that cannot fork exits with 2, and the account may have all processes that the container is allowed.
  const start = '/opt/svc/start/gateway';
  await sandbox.shell(
    `cp ${start} /tmp/kept; printf '#!/bin/sh\\nexit 2\\n' >${start}; supervisorctl signal KILL gateway`,
  );
  await expect.poll(() => countOf(sandbox.log, 'exited: gateway (exit status 2')).toBeGreaterThan(1);
  await sandbox.shell(`cp /tmp/kept ${start}`);
  await expect.poll(() => sandbox.fetch('/ready').then(({ status }) => status, String)).toBe(200);
});

test.concurrent('[images.out-of-memory] a daemon that is killed at each start for want of memory does not end the container', async ({
  expect,
}) => {
  const directory = await mkdtemp(join(tmpdir(), 'sandbox-hog-'));
  const hog = join(directory, 'hog');
  const product = 'exec node --max-semi-space-size=4 /opt/svc/product/sandboxd.mjs "$@"';
  const grow = 'exec python3 -c \'kept = []\nwhile True: kept.append(b"x" * 10000000)\'';
  await writeFile(hog, `#!/bin/sh\nif [ "$1" != start ]; then ${product}; fi\n${grow}\n`, { mode: 0o755 });
  const labels = Object.entries(LABEL).flatMap(([name, value]) => ['--label', `${name}=${value}`]);
  const limits = ['--memory', '400m', '--memory-swap', '400m', '--env', 'BROWSER_START_MODE=manual'];
  const mount = ['--volume', `${hog}:/usr/local/bin/sandboxd:ro`];
  const id = (await docker('run', '--detach', ...labels, ...limits, ...mount, DAEMON_IMAGE)).trim();
  try {
    const log = (): Promise<string> => docker('logs', id);
    await expect
      .poll(async () => countOf(await log(), 'daemon was killed because the container has no memory left'))
      .toBeGreaterThan(MANY - 2);
    expect(await log()).not.toContain('the container ends');
    expect(await docker('inspect', '--format', '{{.State.Running}}', id)).toContain('true');
  } finally {
    await docker('rm', '--force', id);
    await rm(directory, { recursive: true });
  }
});
