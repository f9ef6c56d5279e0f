import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { browserLine, untilHealthy } from './observe.ts';
import { runOnce } from './run-once.ts';
import { NO_BROWSER, NO_KERNELS, startSandbox } from './sandbox.ts';

const ENV = { BROWSER_START_MODE: 'auto', ...NO_KERNELS };
const HARDENED = ['no-new-privileges'];
const DEAD_PROXY = 'http://127.0.0.1:9';
/** A platform such as OpenShift gives each namespace a range of ids of its own, and the group of root. */
const ASSIGNED = 1_000_680_000;

/** What programs ask the system about their user: each line is one program's answer. */
const ASK = `whoami; echo $USER; echo ~
node -p 'const u = os.userInfo(); u.username + " " + u.homedir'
python3 -c 'import os, pwd; print(*pwd.getpwuid(os.getuid())[0:6:5])'
id -gn >/dev/null && ssh -T -G host | sed -n 's/^user //p'
git init -q remote && git -c user.name=a -c user.email=a@b -C remote commit -q --allow-empty -m first
printf '#!/bin/sh\\nshift\\nexec sh -c "$*"\\n' >transport && chmod +x transport
GIT_SSH_COMMAND="$PWD/transport" git clone -q host:"$PWD/remote" copy && git -C copy log --format=%s`;

function answers(name: string, home: string): string {
  return `${[name, name, home, `${name} ${home}`, `${name} ${home}`, name, 'first'].join('\n')}\n`;
}

test.each<[string, string, string, string, Record<string, string>?]>([
  ['an assigned id with the group of root', `${ASSIGNED}:0`, `sandbox-${ASSIGNED}`, '/home/sandbox'],
  ['ids that nothing knows', '1234:4321', 'sandbox-1234', '/tmp/home-1234'],
  // Then Node looks into its working directory at each start.
  ['ids that nothing knows, with a proxy', '1234:4321', 'sandbox-1234', '/tmp/home-1234', { HTTP_PROXY: DEAD_PROXY }],
])(
  '[images.any-user] %s: every program of the desktop works, and has a name and a home',
  async (_, user, name, home, env = {}) => {
    await using sandbox = await startSandbox({
      image: DESKTOP_IMAGE,
      env: { ...ENV, ...env },
      with: (container) =>
        container
          .withUser(user)
          .withDroppedCapabilities('ALL')
          .withSecurityOpt(...HARDENED),
    });
    await untilHealthy(sandbox);
    const { stderr, stdout } = await sandbox.run(ASK, { timeout: 60 });
    expect([stdout, stderr]).toEqual([answers(name, home), '']);
    expect(await browserLine(sandbox)).toContain(`--user-data-dir=${home}/.config/sandbox-browser`);
    expect(sandbox.log).not.toMatch(/exited: (?!chromium)\S+/);
    const named = await sandbox.run('id -u', { user: name });
    expect(named.stdout).toBe(`${user.split(':')[0]}\n`);
  },
);

test('[images.any-user] a command cannot become another user by the file with the entry', async () => {
  await using sandbox = await startSandbox({
    env: { BROWSER_START_MODE: 'manual', ...NO_KERNELS },
    with: (container) => container.withUser(`${ASSIGNED}:0`),
  });
  const forge = 'echo "toor::0:0::/:/bin/sh" >>/var/lib/extrausers/passwd; getent passwd toor || echo none';
  expect((await sandbox.run(forge)).stdout).toBe('none\n');
});

test('[images.read-only-user] a read-only root works for user 1000 with the options of the document', async () => {
  await using sandbox = await startSandbox({
    env: ENV,
    with: (container) =>
      container
        .withUser('1000')
        .withReadOnlyRoot()
        .withTmpFs({ '/tmp': 'exec', '/run/svc': '', '/var/lib/svc': '', '/home/sandbox': 'exec,uid=1000' }),
  });
  await untilHealthy(sandbox);
  expect((await sandbox.run('pwd; touch here && ls')).stdout).toBe('/home/sandbox\nhere\n');
});

test.each([
  ['1000', 'and uid 1000 cannot write there: change its owner, or give it the mode 1777'],
  ['0', 'and sandbox, uid 1000, cannot write there: set PUID=4711, or change its owner'],
])(
  '[images.home-refused] started as uid %s, a mounted home of another owner ends the boot with one line',
  async (user, reason) => {
    const home = ['--tmpfs', '/home/sandbox:uid=4711,mode=0700'];
    const { code, output } = await runOnce({}, ['--user', user, ...home]);
    expect([code, output.trim().split('\n').at(-1)]).toEqual([
      2,
      expect.stringContaining(`/home/sandbox belongs to uid 4711, ${reason}`),
    ]);
  },
);

test.each(['1000', '0'])(
  '[images.home-temporary] started as uid %s, SVC_TEMPORARY_HOME starts with a home in /tmp instead',
  async (user) => {
    await using sandbox = await startSandbox({
      env: { ...NO_BROWSER, ...NO_KERNELS, SVC_TEMPORARY_HOME: 'true' },
      with: (container) => container.withUser(user).withTmpFs({ '/home/sandbox': 'uid=4711,mode=0700' }),
    });
    // The display keeps its cookie in the home.
    await untilHealthy(sandbox);
    const run = await sandbox.run('pwd; cd; pwd; touch here && ls; id -u');
    expect(run.stdout).toBe('/tmp/home-1000\n/tmp/home-1000\nhere\n1000\n');
    expect(sandbox.rawLog).toMatch(/not writable for uid 1000, programs keep their files in/);
  },
);

test('[images.shm-emptied] a volume at /dev/shm has no files of the account after a restart', async () => {
  const source = await mkdtemp(join(tmpdir(), 'shared-memory-'));
  await chmod(source, 0o1777);
  await using sandbox = await startSandbox({
    env: { ...NO_BROWSER, ...NO_KERNELS },
    with: (container) => container.withBindMounts([{ source, target: '/dev/shm' }]),
  });
  await sandbox.run('mkdir -p /dev/shm/mine/deep; echo much >/dev/shm/mine/deep/file; ln -s /etc/skel /dev/shm/link');
  await sandbox.shell('echo theirs >/dev/shm/of-root');
  await sandbox.container.restart({ timeout: 30_000 });
  await untilHealthy(sandbox);
  expect((await sandbox.run('ls /dev/shm; ls -A /etc/skel | wc -l')).stdout).toMatch(/^of-root\n[1-9]/);
  await rm(source, { recursive: true });
});
