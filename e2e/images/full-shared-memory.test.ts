import { expect, test } from 'vitest';
import { NO_BROWSER, NO_KERNELS, startSandbox } from './sandbox.ts';

const WRITERS = [1, 2, 3, 4, 5, 6, 7, 8];
const WRITE = `for i in ${WRITERS.join(' ')}; do while :; do cat /dev/zero >>/dev/shm/$i; done & done; wait`;
const KEPT = '128 MiB of memory are kept for the services';
/** The scores of supervisord, keeper, daemon and the X server. */
const SCORES = `for name in supervisord 'keeper serve' sandboxd.mjs Xtigervnc; do
  cat /proc/$(pgrep -o -f "$name")/oom_score_adj; done`;

test('[images.out-of-memory] an agent deletes by a call the files that fill its container to the last page', async () => {
  await using sandbox = await startSandbox({
    env: { ...NO_BROWSER, ...NO_KERNELS },
    with: (container) => container.withResourcesQuota({ memory: 0.5 }),
  });
  await sandbox.said(KEPT);
  const [own, ...others] = (await sandbox.shell(SCORES)).split('\n').map(Number);
  expect(others.map((score) => score - (own ?? 0))).toEqual([0, 100, 200]);
  // The files belong to no process that the kernel could kill: after the writers it kills the daemon. If it killed the
  // writers while a page was still free, others begin where they ended.
  const fill = async (): Promise<string> => {
    const writers = await sandbox.shell('pgrep -xc cat || true').catch(() => 'unknown');
    if (writers.trim() === '0') await sandbox.run(WRITE, { mode: 'async' }).catch(() => undefined);
    return sandbox.log;
  };
  await expect.poll(fill, { interval: 500 }).toContain('daemon was killed because the container has no memory left');
  await sandbox.said('are free for their start');
  for (const name of WRITERS) {
    const body = JSON.stringify({ path: `/dev/shm/${name}` });
    const headers = { 'content-type': 'application/json' };
    const remove = () => sandbox.fetch('/v2/fs/delete', { method: 'POST', headers, body });
    await expect.poll(() => remove().then(({ status }) => status, String)).toBe(200);
  }
  await expect.poll(() => sandbox.fetch('/ready').then(({ status }) => status, String)).toBe(200);
  expect((await sandbox.run('echo back')).stdout).toBe('back\n');
  await expect.poll(() => sandbox.log.split(KEPT)).toHaveLength(3);
  expect(sandbox.log).not.toContain('the container ends');
});
