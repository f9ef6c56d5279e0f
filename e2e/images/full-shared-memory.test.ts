import { expect, test } from 'vitest';
import { NO_BROWSER, NO_KERNELS, startSandbox } from './sandbox.ts';

const PATH = '/dev/shm/fill';

test('[images.out-of-memory] an agent that filled the memory of the container with files can delete them', async () => {
  await using sandbox = await startSandbox({
    env: { ...NO_BROWSER, ...NO_KERNELS },
    with: (container) => container.withResourcesQuota({ memory: 0.75 }),
  });
  // The command is killed with others; the file stays, and belongs to no process that the kernel could kill.
  await sandbox.run(`while :; do cat /dev/zero >>${PATH}; done`, { mode: 'async' }).catch(() => undefined);
  await sandbox.said('daemon was killed because the container has no memory left');
  const removed = async (): Promise<string> => {
    const body = JSON.stringify({ path: PATH });
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    return sandbox.fetch('/v2/fs/delete', request).then(({ status }) => String(status), String);
  };
  await expect.poll(removed).toMatch(/^(?:200|404)$/);
  await expect.poll(() => sandbox.fetch('/ready').then(({ status }) => status, String)).toBe(200);
  expect((await sandbox.run('echo back')).stdout).toBe('back\n');
  expect(sandbox.log).not.toContain('the container ends');
});
