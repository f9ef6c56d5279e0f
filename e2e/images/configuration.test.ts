import { expect, test } from 'vitest';
import { listeners, OWN_LISTENERS, onSocket, programs, type Row, statusWith, untilHealthy } from './observe.ts';
import { startSandbox } from './sandbox.ts';

const KEY = { SVC_API_KEY: 'key-of-the-test' };

const ROWS: readonly (readonly [title: string, row: Row])[] = [
  [
    '[config.api-key] SVC_API_KEY is required from every client and never disclosed',
    {
      env: KEY,
      see: async (sandbox) => {
        expect(await statusWith(sandbox, {})).toBe(401);
        expect(await statusWith(sandbox, { authorization: `Bearer ${KEY.SVC_API_KEY}` })).toBe(200);
        expect((await sandbox.run('env')).stdout).not.toContain(KEY.SVC_API_KEY);
        expect(sandbox.log).not.toContain(KEY.SVC_API_KEY);
      },
    },
  ],
  [
    '[config.sandbox-api-key] SANDBOX_API_KEY is an alias of SVC_API_KEY',
    {
      env: { SANDBOX_API_KEY: 'other-key' },
      see: async (sandbox) => {
        expect(await statusWith(sandbox, {})).toBe(401);
        expect(await statusWith(sandbox, { 'x-api-key': 'other-key' })).toBe(200);
      },
    },
  ],
  [
    '[config.api-key-file] SVC_API_KEY_FILE names a file with the key, also for the health check',
    {
      env: { SVC_API_KEY_FILE: '/etc/sandbox-key' },
      key: 'key-in-a-file',
      with: (container) =>
        container.withCopyContentToContainer([{ content: 'key-in-a-file\n', target: '/etc/sandbox-key', mode: 0o600 }]),
      see: async (sandbox) => {
        expect(await statusWith(sandbox, {})).toBe(401);
        expect(await statusWith(sandbox, { 'x-api-key': 'key-in-a-file' })).toBe(200);
        await untilHealthy(sandbox);
      },
    },
  ],
  [
    '[config.default-user] SVC_DEFAULT_USER is the user of commands',
    {
      env: { SVC_DEFAULT_USER: 'games' },
      see: async (sandbox) => {
        expect((await sandbox.run('id -un', { cwd: '/' })).stdout).toBe('games\n');
        expect((await sandbox.run('id -un', { cwd: '/', user: 'sandbox' })).stdout).toBe('sandbox\n');
      },
    },
  ],
  [
    '[config.code-server] DISABLE_CODE_SERVER=false starts code-server on a unix socket only',
    {
      env: { DISABLE_CODE_SERVER: 'false' },
      see: async (sandbox) => {
        await expect.poll(() => onSocket(sandbox, 'code-server', '/healthz')).toContain('"status"');
        expect(await onSocket(sandbox, 'code-server', '/')).toContain('/home/sandbox');
        expect(await listeners(sandbox)).toEqual(OWN_LISTENERS);
      },
    },
  ],
  [
    '[config.jupyter] DISABLE_JUPYTER=false starts JupyterLab on a unix socket only',
    {
      env: { DISABLE_JUPYTER: 'false' },
      see: async (sandbox) => {
        await expect.poll(() => onSocket(sandbox, 'jupyter', '/jupyter/api')).toContain('"version"');
        expect(await onSocket(sandbox, 'jupyter', '/jupyter/lab')).toContain('JupyterLab');
        expect(await listeners(sandbox)).toEqual(OWN_LISTENERS);
      },
    },
  ],
  [
    '[config.disabled] code-server and JupyterLab do not run by default',
    {
      env: {},
      see: async (sandbox) => {
        const known = Object.keys(await programs(sandbox)).sort();
        expect(known).toEqual(['chromium', 'daemon', 'gateway', 'keeper', 'watchdog', 'window-manager', 'xvnc']);
      },
    },
  ],
  [
    '[config.workspace] WORKSPACE may be set to the home directory',
    {
      env: { WORKSPACE: '/home/sandbox' },
      see: async (sandbox) => {
        expect((await sandbox.run('pwd')).stdout).toBe('/home/sandbox\n');
      },
    },
  ],
  [
    '[config.backends] SVC_SHELL_BACKEND and SVC_CODE_BACKEND are pinned to native',
    {
      env: {},
      see: async (sandbox) => {
        const variables = await sandbox.shell('tr "\\0" "\\n" < /proc/$(supervisorctl pid daemon)/environ');
        expect(variables.split('\n')).toEqual(
          expect.arrayContaining(['SVC_SHELL_BACKEND=native', 'SVC_CODE_BACKEND=native']),
        );
      },
    },
  ],
  [
    '[config.gateway-port] GATEWAY_PORT is the public port',
    {
      env: { GATEWAY_PORT: '8099' },
      port: 8099,
      see: async (sandbox) => {
        expect((await sandbox.fetch('/health')).status).toBe(200);
        await untilHealthy(sandbox);
      },
    },
  ],
  [
    '[config.log-level] LOG_LEVEL is the lowest level that services log',
    {
      env: { LOG_LEVEL: 'warn' },
      see: async (sandbox) => {
        await sandbox.run('true');
        expect(sandbox.log).not.toContain('"level":"info"');
      },
    },
  ],
  [
    '[config.user-variables] variables of the container reach the commands',
    {
      env: { TOKEN: 'of-the-user' },
      see: async (sandbox) => {
        expect((await sandbox.run('echo $TOKEN; echo $DISPLAY')).stdout).toBe('of-the-user\n:99\n');
      },
    },
  ],
];

test.each(ROWS)('%s', async (_title, { see, ...options }) => {
  await using sandbox = await startSandbox(options);
  await see(sandbox);
});
