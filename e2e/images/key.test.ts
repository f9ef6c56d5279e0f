import { expect, test } from 'vitest';
import { untilHealthy } from './observe.ts';
import { runOnce } from './run-once.ts';
import { NO_BROWSER, NO_KERNELS, type Sandbox, startSandbox } from './sandbox.ts';

const KEY = 'key-of-the-test';
const OF_EVERY_PROCESS = 'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n"';

const NAMES_OF_KEY = ['/run/svc/api-key', '/proc/1/root/run/svc/api-key', '/proc/self/root/run/svc/api-key'];
const json = (body: object): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });

/** Calls on files that a ticket could cover. */
const READERS_OF_KEY: readonly ((sandbox: Sandbox) => Promise<Response>)[] = [
  ...NAMES_OF_KEY.flatMap((path) => [
    (sandbox: Sandbox) => sandbox.fetch(`/v2/fs/download?path=${path}`),
    (sandbox: Sandbox) => sandbox.fetch(`/v2/fs/read?path=${path}`),
    (sandbox: Sandbox) => sandbox.fetch('/v2/fs/grep', json({ path, pattern: '.' })),
  ]),
  (sandbox) => sandbox.fetch('/v2/fs/tree?path=/run/svc'),
  (sandbox) => sandbox.fetch('/v2/fs/grep', json({ path: '/run', pattern: '.' })),
  (sandbox) => sandbox.fetch('/v2/fs/grep', json({ path: '/proc/1/root/run/svc', pattern: '.' })),
  async (sandbox) => {
    await sandbox.fetch('/v2/fs/copy', json({ source: '/run/svc/api-key', destination: '/tmp/copy-of-key' }));
    return sandbox.fetch('/v2/fs/download?path=/tmp/copy-of-key');
  },
];

test.each(['SVC_API_KEY', 'SANDBOX_API_KEY'])(
  '[images.key] the key of %s is in no environment and no command line, for the account, root and a download',
  async (variable) => {
    const ownProgram = {
      content: '[program:mine]\ncommand=sh -c "env >/tmp/of-mine; exec sleep 611"\n',
      target: '/opt/svc/supervisord/mine.conf',
    };
    await using sandbox = await startSandbox({
      env: {
        [variable]: KEY,
        RUN_HOOK_INIT: 'env >/tmp/of-init',
        RUN_HOOK_PRE_SERVICES: 'env >/tmp/of-pre-services',
        RUN_HOOK_POST_READY: 'env >/tmp/of-post-ready',
        ...NO_KERNELS,
      },
      with: (container) => container.withoutHealthCheck().withCopyContentToContainer([ownProgram]),
    });
    await sandbox.said('sandbox: hook post-ready: exit 0');
    for (const user of ['sandbox', 'root']) {
      const { stdout } = await sandbox.run(OF_EVERY_PROCESS, { user, max_output_length: 0 });
      expect(stdout).toContain('XAUTHORITY=');
      expect(stdout).not.toContain(KEY);
    }
    for (const path of ['/proc/self/environ', '/proc/self/cmdline', '/proc/1/environ', '/proc/1/cmdline']) {
      const answer = await sandbox.fetch(`/v2/fs/download?path=${path}`);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(await answer.text()).not.toContain(KEY);
    }
    for (const ask of READERS_OF_KEY) {
      const answer = await ask(sandbox);
      expect(answer.status).toBeLessThan(500);
      expect(Buffer.from(await answer.arrayBuffer()).includes(KEY)).toBe(false);
    }
    for (const name of ['init', 'pre-services', 'post-ready', 'mine']) {
      const variables = await sandbox.shell(`cat /tmp/of-${name}`);
      expect(variables).toContain('PATH=');
      expect(variables).not.toContain(KEY);
    }
    expect(await sandbox.shell('stat -c "%U %a" /run/svc/api-key; cat /run/svc/api-key')).toBe(`root 600\n${KEY}`);
    expect((await sandbox.run('cat /run/svc/api-key')).stderr).toContain('Permission denied');
    await untilHealthy(sandbox);
    await sandbox.container.restart({ timeout: 10_000 });
    expect((await sandbox.fetch('/ready')).status).toBe(200);
  },
);

test('[images.key] [config.wrong-value] a key that is not visible ASCII ends the boot', async () => {
  const { code, output } = await runOnce({ SVC_API_KEY: 'two words' });
  expect([code, output.trim()]).toEqual([2, 'sandbox: SVC_API_KEY: expected visible ASCII characters']);
});

test('[images.key] a key file that commands can read is reported', async () => {
  const file = { content: KEY, target: '/etc/sandbox-key', mode: 0o644 };
  await using sandbox = await startSandbox({
    env: { SVC_API_KEY_FILE: file.target, ...NO_BROWSER, ...NO_KERNELS },
    key: KEY,
    with: (container) => container.withCopyContentToContainer([file]),
  });
  await sandbox.said('sandbox: SVC_API_KEY_FILE: /etc/sandbox-key is readable for sandbox');
});
