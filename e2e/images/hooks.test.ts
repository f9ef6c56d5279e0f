import { describe, expect, test } from 'vitest';
import { runOnce } from './run-once.ts';
import { NO_BROWSER, NO_KERNELS, sharedSandbox, startSandbox } from './sandbox.ts';

test('[config.hook-init] [config.hook-pre-services] [config.hook-post-ready] hooks run in order as root, and their output is logged', async () => {
  // Checks the service itself, because the supervisor reports RUNNING only some time after the start.
  const at = `echo "$(id -un) $(curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:8080/ready)"`;
  // The last line of an output may have no newline.
  const env = {
    RUN_HOOK_INIT: at,
    RUN_HOOK_PRE_SERVICES: `printf %s "$(${at})"`,
    RUN_HOOK_POST_READY: `${at}; exit 3`,
    ...NO_BROWSER,
    ...NO_KERNELS,
  };
  await using sandbox = await startSandbox({ env });
  await sandbox.said(/hook post-ready: exit 3 after \d+ ms/);
  const lines = sandbox.log.split('\n').filter((line) => line.startsWith('sandbox: hook'));
  expect(lines.map((line) => line.replace(/ after \d+ ms$/, ''))).toEqual([
    'sandbox: hook init: root 000',
    'sandbox: hook init: exit 0',
    'sandbox: hook pre-services: root 000',
    'sandbox: hook pre-services: exit 0',
    'sandbox: hook post-ready: root 200',
    'sandbox: hook post-ready: exit 3',
  ]);
  expect((await sandbox.fetch('/ready')).status).toBe(200);
});

const hook = (name: string): { content: string; target: string; mode: number } => ({
  content: `#!/bin/sh\necho from ${name}\n`,
  target: `/opt/svc/hooks.d/init/${name}`,
  mode: 0o755,
});

describe('with programs in a drop-in directory, and a hook that leaves a process behind', () => {
  const sandbox = sharedSandbox({
    env: { RUN_HOOK_INIT: 'echo from the variable; sleep 300 & echo started', ...NO_BROWSER, ...NO_KERNELS },
    with: (container) =>
      container.withCopyContentToContainer([hook('20-b'), hook('10-a'), { ...hook('15-forgotten'), mode: 0o644 }]),
  });

  test('[images.hook-directories] programs of the drop-in directories run in order of their names, after the variable', async () => {
    await sandbox().said('hook init 20-b: exit 0');
    const { log } = sandbox();
    expect(log.match(/from (?:the variable|\d.*)/g)).toEqual(['from the variable', 'from 10-a', 'from 20-b']);
    expect(log).toContain('sandbox: hook init 15-forgotten is not executable and does not run: chmod +x\n');
  });

  test('[images.hook-left-behind] a hook with a background process does not delay the boot', async () => {
    await sandbox().said('sandbox: hook init: started');
    expect(await sandbox().shell('pgrep -x sleep -a')).toContain('sleep 300');
  });
});

test.each([
  ['RUN_HOOK_INIT', 'init'],
  ['RUN_HOOK_PRE_SERVICES', 'pre-services'],
  ['RUN_HOOK_POST_READY', 'post-ready'],
])('[config.hooks-strict] a failing %s ends the container', async (name, phase) => {
  const { code, output } = await runOnce({
    [name]: 'echo broken >&2; exit 7',
    RUN_HOOKS_STRICT: 'true',
    ...NO_BROWSER,
  });
  expect(code).toBe(1);
  expect(output).toContain(`sandbox: hook ${phase}: broken`);
  expect(output).toMatch(new RegExp(`sandbox: hook ${phase}: exit 7 after \\d+ ms`));
  expect(output).toContain(`sandbox: hook ${phase} failed, and RUN_HOOKS_STRICT is set: the container ends`);
});
