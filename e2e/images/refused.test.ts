import { expect, test } from 'vitest';
import { runOnce } from './run-once.ts';

test.concurrent.each([
  ['WORKSPACE', '/data', 'the workspace is the home of the account, /home/sandbox, and cannot be "/data"'],
  ['BROWSER_START_MODE', 'later', 'expected one of async auto manual, got "later"'],
  ['DISABLE_JUPYTER', 'perhaps', 'expected one of true false'],
  ['RUN_HOOKS_STRICT', '2', 'expected one of true false'],
  ['PUID', '0', 'expected a user id other than root, got "0"'],
  ['BROWSER_RESOLUTION', 'wide', 'expected WIDTHxHEIGHT in pixels'],
  ['SVC_STALL_SECONDS', '0.5', 'expected 0, or seconds from 1 to 3600'],
  ['PROXY_SERVER', 'ftp://p', 'expected the URL of an http, https or socks proxy'],
  ['SVC_COMMAND_MAX_RUNNING', '0', 'expected a whole number from 1'],
  ['GATEWAY_PORT', 'http', 'expected a whole number from 0'],
  ['SVC_PORT', 'abc', 'expected a whole number from 0 to 65535, got "abc"'],
  ['SVC_PORT', '8080', 'both services have port 8080'],
  ['SVC_DEFAULT_USER', 'ghost', 'no such account, got "ghost"'],
  ['BROWSER_EXTRA_ARGS', '--x="y', 'expected flags quoted as in a shell, got "--x="y"'],
  ['BROWSER_REMOTE_DEBUGGING_PORT', '70000', 'expected a port from 1024 to 65535, got "70000"'],
  ['TZ', 'Mars/Base', 'expected a name such as Europe/Berlin, got "Mars/Base"'],
  ['LANG', 'xx_XX.UTF-8', 'glibc has no locale "xx_XX.UTF-8"'],
])(
  '[config.wrong-value] [config.workspace] %s=%s ends the boot with one line that names it, the last of the log',
  async (name, value, why) => {
    const { code, output } = await runOnce({ [name]: value });
    expect(code).toBe(2);
    expect(output).not.toContain('supervisord');
    const last = output.trimEnd().split('\n').at(-1);
    expect(last).toMatch(new RegExp(`^sandbox: .*${name}`));
    expect(last).toContain(why);
    expect(output.split(why)).toHaveLength(2);
  },
);

const KEY = { SVC_API_KEY: 'key-of-the-test' };

test.each([
  ['read-only', ['--read-only'], {}, 'uid 0 cannot write /run/svc, /tmp or /var/lib/svc: mount a tmpfs there'],
  ['read-only', ['--read-only'], KEY, 'uid 0 cannot write /run/svc: mount a tmpfs there'],
  [
    'read-only',
    ['--read-only', ...['/run/svc', '/tmp', '/var/lib/svc'].flatMap((path) => ['--tmpfs', path])],
    {},
    '/home/sandbox is on a read-only file system: mount a volume or a tmpfs there',
  ],
  ['user', ['--read-only', '--user', '1000'], {}, 'uid 1000 cannot write /home/sandbox or /tmp: mount a tmpfs there'],
  [
    'capabilities',
    ['--cap-drop', 'ALL', '--cap-add', 'SETUID', '--cap-add', 'SETGID'],
    {},
    'with SETUID and SETGID the container also needs CHOWN, DAC_OVERRIDE, FOWNER and FSETID',
  ],
])(
  '[images.read-only] [images.user] [images.capabilities] %s: docker run %j with %o ends with one line that says why',
  async (_id, options, env, why) => {
    const { code, output } = await runOnce(env, options);
    expect(code).toBe(2);
    const lines = output.split('\n').filter((line) => !/^(?:sandbox: started as uid|$)/.test(line));
    expect(lines).toEqual([expect.stringContaining(why)]);
  },
);
