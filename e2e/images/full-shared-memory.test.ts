import { expect, test } from 'vitest';
import { NO_BROWSER, NO_KERNELS, startSandbox } from './sandbox.ts';

const PATH = '/dev/shm/fill';

test('[images.out-of-memory] a container that an agent filled with files serves again after they are gone', async () => {
  await using sandbox = await startSandbox({
    env: { ...NO_BROWSER, ...NO_KERNELS },
    with: (container) => container.withResourcesQuota({ memory: 0.75 }),
  });
  // The command is killed with others; the file stays, and belongs to no process that the kernel could kill.
  await sandbox.run(`while :; do cat /dev/zero >>${PATH}; done`, { mode: 'async' }).catch(() => undefined);
  await sandbox.said('daemon was killed because the container has no memory left');
  // The kernel may kill this program, too, and the daemon again as long as the last page is taken.
  await expect.poll(() => sandbox.container.exec(['rm', '-f', PATH]).then(({ exitCode }) => exitCode, String)).toBe(0);
  await expect.poll(() => sandbox.fetch('/ready').then(({ status }) => status, String)).toBe(200);
  expect((await sandbox.run('echo back')).stdout).toBe('back\n');
  expect(sandbox.log).not.toContain('the container ends');
});
