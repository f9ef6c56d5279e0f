import { expect, test } from 'vitest';
import { NO_BROWSER, NO_KERNELS, startSandbox } from './sandbox.ts';

/** Kills for memory in the container, of control groups of version 2 or 1. */
const KILLS =
  'cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control 2>/dev/null | grep "^oom_kill "';

test('[end.memory-guard] with SVC_MEMORY_GUARD the largest command ends before the kernel chooses', async () => {
  await using sandbox = await startSandbox({
    env: { ...NO_BROWSER, ...NO_KERNELS, SVC_MEMORY_GUARD: '90' },
    with: (container) => container.withResourcesQuota({ memory: 0.5 }),
  });
  const beside = await sandbox.run('read line', { mode: 'async' });
  expect(beside).toMatchObject({ status: 'running', ended_by: null });
  const ended = await sandbox.run('sh -c "tail </dev/zero"; exit 3');
  expect(ended).toMatchObject({
    status: 'killed',
    signal: 'SIGKILL',
    ended_by: 'memory_guard',
    usage: { oom_killed: true, oom_process: 'tail' },
  });
  expect(await sandbox.shell(KILLS)).toBe('oom_kill 0');
  expect(await sandbox.run('echo back')).toMatchObject({ stdout: 'back\n', ended_by: null });
  const left = await sandbox.fetch(`/v2/commands/${beside.command_id}`);
  expect(await left.json()).toMatchObject({ data: { command: { status: 'running' } } });
  expect(await (await sandbox.fetch('/metrics')).text()).toMatch(/^\w*memory_guard_kills 1$/m);
});
