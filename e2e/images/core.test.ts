import { expect, test } from 'vitest';
import { CORE_IMAGE } from '../../scripts/images/build-images.ts';
import { docker } from '../../scripts/images/docker.ts';
import { untilHealthy } from './observe.ts';
import { runOnce } from './run-once.ts';
import { NO_KERNELS, sharedSandbox, startSandbox } from './sandbox.ts';

const image = CORE_IMAGE.name;
const sandbox = sharedSandbox({ image, env: NO_KERNELS });
const SIZE_MAX = 450e6;
const WITHOUT = 'chromium Xtigervnc openbox code-server ffmpeg gcc cc g++ make gdb vim cmake agent-browser';
const FULL = /the full (?:image )?sandbox-daemon/;

test('[images.core] the small image has at most 450 MB unpacked', async () => {
  const size = Number(await docker('image', 'inspect', '--format', '{{.Size}}', image));
  expect(size).toBeLessThanOrEqual(SIZE_MAX);
});

test('[images.core] it is healthy, with the services and without a display', async () => {
  await untilHealthy(sandbox());
  expect((await sandbox().fetch('/health?ready')).status).toBe(200);
  const programs = await sandbox().shell("supervisorctl status | awk '{ print $1, $2 }' | sort");
  const expected = ['daemon', 'gateway', 'keeper', 'watchdog'].map((name) => `${name} RUNNING`);
  expect(programs.split('\n').filter((line) => !line.startsWith('svc_'))).toEqual(expected);
  const without = `for name in ${WITHOUT}; do command -v $name; done; echo "[\${DISPLAY-}\${XAUTHORITY-}]"; pip --version >/dev/null && git --version`;
  expect((await sandbox().run(without)).stdout).toMatch(/^\[\]\ngit version/);
});

test('[images.core] it runs commands, terminals, cells of Python, Node and bash, and lists files', async () => {
  expect((await sandbox().run('id -un; pwd; echo one >file')).stdout).toBe('sandbox\n/home/sandbox\n');
  await sandbox().post('/v2/pty/sessions', { id: 't' });
  const typed = await sandbox().post<{ output: string }>('/v2/pty/sessions/t/exec', { command: 'echo "$((6 * 7))"' });
  expect(typed.output.trim()).toBe('42');
  for (const language of ['python', 'javascript', 'bash']) {
    const code = language === 'bash' ? 'echo $((6 * 7))' : '6 * 7';
    const cell = await sandbox().post<object>('/v2/code/execute', { language, code });
    expect([language, cell]).toEqual([language, expect.objectContaining({ status: 'ok' })]);
    expect(JSON.stringify(cell)).toContain('42');
  }
  const files = await (await sandbox().fetch('/v2/fs/list?path=/home/sandbox')).text();
  expect(files).toContain('"file"');
  await sandbox()
    .run('python3 -m venv ~/venv && ~/venv/bin/pip --version', { timeout: 60 })
    .then((made) => {
      expect([made.exit_code, made.stderr]).toEqual([0, '']);
    });
});

test('[images.core] a call to the browser or the desktop is refused at once, with the image to use', async () => {
  const calls = ['/v2/browser/tabs', '/v2/browser/screenshot', '/v1/browser/info', '/v2/computer/screenshot'];
  for (const path of calls) {
    const answer = await sandbox().fetch(path);
    const body = (await answer.json()) as { hint: string };
    expect([path, answer.status, typeof body.hint]).toEqual([path, 503, 'string']);
    if (path.includes('browser')) expect(body.hint).toMatch(FULL);
  }
  const start = await sandbox().fetch('/v2/browser/start', { method: 'POST' });
  expect([start.status, await start.text()]).toEqual([501, expect.stringMatching(FULL)]);
  expect(await sandbox().run('start-browser')).toMatchObject({ exit_code: 1, stderr: expect.stringMatching(FULL) });
  const { data } = (await (await sandbox().fetch('/v1/capabilities')).json()) as { data: object };
  expect(data).toMatchObject({ browser: false, exec: { pty: true, backend: 'native' } });
  // Of the browser's MCP server, which it lacks.
  expect(await sandbox().toolNames()).not.toContain('browser_navigate');
});

test.each([
  ['DISABLE_CODE_SERVER', 'false', 'this image has no code-server'],
  ['DISABLE_JUPYTER', 'false', 'this image has no jupyter'],
  ['BROWSER_START_MODE', 'auto', 'this image has no chromium'],
  ['SVC_DESKTOP', 'xfce', 'this image has no desktop environment'],
  ['LANG', 'de_DE.UTF-8', 'this image has the locale C.UTF-8 only'],
])('[images.core] %s=%s, for a part that it lacks, ends the boot with one line', async (name, value, reason) => {
  const { code, output } = await runOnce({ [name]: value }, [], [], image);
  const lines = output.split('\n').filter((line) => line !== '');
  expect([code, lines]).toEqual([2, [expect.stringContaining(`${name}: ${reason}`)]]);
});

test('[images.core] it stops in order, as any user with a read-only root', async () => {
  await using own = await startSandbox({
    image,
    env: NO_KERNELS,
    with: (container) =>
      container
        .withUser('1000680000:0')
        .withDroppedCapabilities('ALL')
        .withReadOnlyRoot()
        .withTmpFs({ '/tmp': 'exec', '/run/svc': '', '/var/lib/svc': '', '/home/sandbox': 'exec,uid=1000680000' }),
  });
  await untilHealthy(own);
  expect((await own.run('whoami; touch here && ls')).stdout).toBe('sandbox-1000680000\nhere\n');
  const id = own.container.getId();
  await docker('stop', '--time', '3', id);
  expect(await docker('inspect', '--format', '{{.State.ExitCode}} {{.State.OOMKilled}}', id)).toBe('0 false');
});
