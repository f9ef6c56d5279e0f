import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { docker } from '../../scripts/images/docker.ts';
import { ROOT } from '../../scripts/root.ts';
import { sufferFaults } from '../service-faults.ts';
import { SteadyWork } from '../steady-work.ts';
import { pollByProcess } from './observe.ts';
import { NO_BROWSER, NO_KERNELS, startSandbox } from './sandbox.ts';
import { pidOf } from './supervisor.ts';

const KEY = 'secret-key';
/** A busy machine may starve a healthy service for seconds. */
const STALL_SECONDS = 8;
/** A service that spins is given up after that much time of a processor, which takes a minute on a busy machine. */
const TIMEOUT = { timeout: 420_000 };
const FIXTURE = '/opt/spin-on-signal.mjs';

test(
  '[images.stall] [stall.beside-work] [stall.paused] a daemon and a gateway that are killed, stopped or spin come back; 20 commands and 10 terminals lose nothing, and a paused container is no stall',
  TIMEOUT,
  async () => {
    await using sandbox = await startSandbox({
      env: {
        SVC_API_KEY: KEY,
        SVC_STALL_SECONDS: String(STALL_SECONDS),
        NODE_OPTIONS: `--import=${FIXTURE}`,
        ...NO_BROWSER,
        ...NO_KERNELS,
      },
      with: (container) => {
        const content = readFileSync(join(ROOT, 'e2e/spin-on-signal.mjs'), 'utf8');
        container.withCopyContentToContainer([{ content, target: FIXTURE, mode: 0o644 }]);
      },
    });
    const endFile = '/tmp/end-of-steady-work';
    const steady = await SteadyWork.start({ url: sandbox.url, key: KEY, endFile });
    // A watchdog that started after the services watches them too.
    const watchdog = await pidOf(sandbox, 'watchdog');
    await sandbox.shell(`kill -KILL ${watchdog}`);
    await pollByProcess(async () => [undefined, watchdog].includes(await pidOf(sandbox, 'watchdog'))).toBe(false);
    await sufferFaults(
      {
        url: sandbox.url,
        key: KEY,
        log: () => sandbox.rawLog,
        pid: (service) => pidOf(sandbox, service),
        signal: async (pid, signal) => void (await sandbox.shell(`kill -s ${signal.slice(3)} ${pid}`)),
        threads: async (pid) => (await sandbox.shell(`cat /proc/${pid}/task/*/comm`)).split('\n'),
      },
      STALL_SECONDS,
    );
    const before = sandbox.log.length;
    const daemon = await pidOf(sandbox, 'daemon');
    const id = sandbox.container.getId();
    await docker('pause', id);
    const paused = performance.now();
    await expect.poll(() => performance.now() - paused).toBeGreaterThan(STALL_SECONDS * 1500);
    await docker('unpause', id);
    const gateway = await pidOf(sandbox, 'gateway');
    await sandbox.shell(`kill -STOP ${gateway}`);
    // By then a stall of the daemon would have been found too.
    await pollByProcess(async () => [undefined, gateway].includes(await pidOf(sandbox, 'gateway'))).toBe(false);
    expect(await pidOf(sandbox, 'daemon')).toBe(daemon);
    expect(sandbox.log.slice(before)).not.toContain('daemon has not responded');
    await sandbox.shell(`touch ${endFile}`);
    await expect.poll(async () => (await sandbox.fetch('/ready').catch(() => undefined))?.status).toBe(200);
    await steady.check();
  },
);
