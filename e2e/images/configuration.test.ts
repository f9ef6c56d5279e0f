import { expect } from 'vitest';
import { describeGroups, type Group } from './groups.ts';
import { onSocket, pollByProcess, statusWith, untilHealthy, untilOwnListeners } from './observe.ts';
import { NO_KERNELS } from './sandbox.ts';
import { pidOf, programs } from './supervisor.ts';

const KEY = { SVC_API_KEY: 'key-of-the-test' };

const FILE = { content: 'key-in-a-file\n', target: '/etc/sandbox-key', mode: 0o600 };

const WITHOUT_BROWSER = ['browser-mcp', 'daemon', 'gateway', 'keeper', 'watchdog', 'window-manager', 'xvnc'];

/** Variables that do not influence each other share a container. */
const GROUPS: readonly Group[] = [
  {
    title: 'with a key, programs, and variables of the user',
    env: {
      ...KEY,
      DISABLE_CODE_SERVER: 'false',
      DISABLE_JUPYTER: 'false',
      WORKSPACE: '/home/sandbox',
      LOG_LEVEL: 'warn',
      TOKEN: 'of-the-user',
      SVC_SKILLS_PATH: '/home/sandbox/skills',
      ...NO_KERNELS,
    },
    rows: [
      [
        '[config.api-key] SVC_API_KEY is required from every client and never disclosed',
        async (sandbox) => {
          expect(await statusWith(sandbox, {})).toBe(401);
          expect(await statusWith(sandbox, { authorization: `Bearer ${KEY.SVC_API_KEY}` })).toBe(200);
          expect((await sandbox.run('env')).stdout).not.toContain(KEY.SVC_API_KEY);
          expect(sandbox.log).not.toContain(KEY.SVC_API_KEY);
        },
      ],
      [
        '[config.code-server] DISABLE_CODE_SERVER=false starts code-server on a unix socket only',
        async (sandbox) => {
          await pollByProcess(() => onSocket(sandbox, 'code-server', '/healthz')).toContain('"status"');
          expect(await onSocket(sandbox, 'code-server', '/')).toContain('/home/sandbox');
          await untilOwnListeners(sandbox);
        },
      ],
      [
        '[config.jupyter] DISABLE_JUPYTER=false starts JupyterLab on a unix socket only',
        async (sandbox) => {
          await pollByProcess(() => onSocket(sandbox, 'jupyter', '/jupyter/api')).toContain('"version"');
          expect(await onSocket(sandbox, 'jupyter', '/jupyter/lab')).toContain('JupyterLab');
          await untilOwnListeners(sandbox);
        },
      ],
      [
        '[config.workspace] WORKSPACE may be set to the home directory',
        async (sandbox) => {
          expect((await sandbox.run('pwd')).stdout).toBe('/home/sandbox\n');
        },
      ],
      [
        '[config.backends] SVC_SHELL_BACKEND and SVC_CODE_BACKEND are pinned to native',
        async (sandbox) => {
          const variables = await sandbox.shell(`tr "\\0" "\\n" < /proc/${await pidOf(sandbox, 'daemon')}/environ`);
          expect(variables.split('\n')).toEqual(
            expect.arrayContaining(['SVC_SHELL_BACKEND=native', 'SVC_CODE_BACKEND=native']),
          );
        },
      ],
      [
        '[config.log-level] LOG_LEVEL is the lowest level that services log',
        async (sandbox) => {
          await sandbox.run('true');
          expect(sandbox.rawLog).not.toMatch(/"level":"info",.*"name":"(?!sandbox")/);
        },
      ],
      [
        '[config.skills-path] SVC_SKILLS_PATH is the folder that sandbox_load_skill reads',
        async (sandbox) => {
          const skill = '~/skills/pdf/SKILL.md';
          await sandbox.run(
            `mkdir -p ~/skills/pdf; printf -- '---\\nname: pdf\\ndescription: forms\\n---\\n' > ${skill}`,
          );
          const load = (args: object) => sandbox.mcp('tools/call', { name: 'sandbox_load_skill', arguments: args });
          expect(await load({})).toMatchObject({ content: [{ text: 'Skills Count: 1\n\n- pdf: forms' }] });
          const text = expect.stringMatching(/^Base Path: \/home\/sandbox\/skills\/pdf\n\n---\nname: pdf\n/);
          expect(await load({ name: 'pdf' })).toMatchObject({ content: [{ text }] });
        },
      ],
      [
        '[config.user-variables] variables of the container reach the commands',
        async (sandbox) => {
          expect((await sandbox.run('echo $TOKEN; echo $DISPLAY')).stdout).toBe('of-the-user\n:99\n');
        },
      ],
    ],
  },
  {
    title: 'with the key in a file, another user, another port, and a browser elsewhere',
    env: {
      SVC_API_KEY_FILE: '/etc/sandbox-key',
      SVC_DEFAULT_USER: 'games',
      GATEWAY_PORT: '8099',
      BROWSER_REMOTE_DEBUGGING_HOST: 'browser.example',
      ...NO_KERNELS,
    },
    key: 'key-in-a-file',
    port: 8099,
    with: (container) => container.withCopyContentToContainer([FILE]),
    rows: [
      [
        '[config.api-key-file] SVC_API_KEY_FILE names a file with the key, also for the health check',
        async (sandbox) => {
          expect(await statusWith(sandbox, {})).toBe(401);
          expect(await statusWith(sandbox, { 'x-api-key': 'key-in-a-file' })).toBe(200);
          await untilHealthy(sandbox);
        },
      ],
      [
        '[config.default-user] SVC_DEFAULT_USER is the user of commands',
        async (sandbox) => {
          expect((await sandbox.run('id -un', { cwd: '/' })).stdout).toBe('games\n');
          expect((await sandbox.run('id -un', { cwd: '/', user: 'sandbox' })).stdout).toBe('sandbox\n');
        },
      ],
      [
        '[config.gateway-port] GATEWAY_PORT is the public port',
        async (sandbox) => {
          expect((await sandbox.fetch('/health')).status).toBe(200);
          await untilHealthy(sandbox);
        },
      ],
      [
        '[config.debugging-host] with another host in BROWSER_REMOTE_DEBUGGING_HOST no browser is started',
        async (sandbox) => {
          expect(Object.keys(await programs(sandbox)).sort()).toEqual(WITHOUT_BROWSER);
        },
      ],
    ],
  },
  {
    title: 'with the other name of the key',
    env: { SANDBOX_API_KEY: 'other-key' },
    rows: [
      [
        '[config.sandbox-api-key] SANDBOX_API_KEY is an alias of SVC_API_KEY',
        async (sandbox) => {
          expect(await statusWith(sandbox, {})).toBe(401);
          expect(await statusWith(sandbox, { 'x-api-key': 'other-key' })).toBe(200);
        },
      ],
      [
        '[config.disabled] code-server and JupyterLab do not run by default',
        async (sandbox) => {
          const known = Object.keys(await programs(sandbox)).sort();
          const own = ['browser-mcp', 'chromium', 'daemon', 'gateway', 'keeper', 'watchdog', 'window-manager', 'xvnc'];
          expect(known).toEqual(own);
        },
      ],
    ],
  },
];

describeGroups(GROUPS);
