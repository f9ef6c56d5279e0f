import { beforeEach, expect, test } from 'vitest';
import { baseOfImages, DAEMON_IMAGE, DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { docker } from '../../scripts/images/docker.ts';
import { pollByProcess, untilHealthy, untilOwnListeners } from './observe.ts';
import { runOnce } from './run-once.ts';
import { NO_BROWSER, NO_KERNELS, READY, sharedSandbox, startSandbox } from './sandbox.ts';
import { pidOf } from './supervisor.ts';

const sandbox = sharedSandbox({ env: { SVC_API_KEY: 'secret-key' } });

// The service is ready before its browser and display.
beforeEach(() => untilHealthy(sandbox()));

test('[images.account] commands run as the user sandbox in its home, the daemon as root', async () => {
  const { stdout } = await sandbox().run('id -un; id -u; pwd; cd; pwd');
  expect(stdout).toBe('sandbox\n1000\n/home/sandbox\n/home/sandbox\n');
  expect(await sandbox().shell(`stat -c %u /proc/${await pidOf(sandbox(), 'daemon')}`)).toBe('0');
});

test('[images.home-gem] /home/gem is the home of the user', async () => {
  expect((await sandbox().run('touch /home/gem/here && ls /home/sandbox/here')).stdout).toBe('/home/sandbox/here\n');
});

test('[images.workspace] /workspace is the home of the user', async () => {
  expect((await sandbox().run('touch /workspace/there && ls ~/there')).stdout).toBe('/home/sandbox/there\n');
});

test('[images.e2b-home] /home/user is the home of the user', async () => {
  expect((await sandbox().run('touch /home/user/of-e2b && ls ~/of-e2b')).stdout).toBe('/home/sandbox/of-e2b\n');
});

/** The TypeScript of code-server, which needs the declarations of JavaScript's own library. */
const TYPE_CHECK =
  `const lib = "/opt/code-server/lib/node_modules/code-server/lib/vscode/extensions/node_modules/typescript";
const ts = require(lib);
fs.writeFileSync("/tmp/checked.ts", "export const n: number = [1].map(Math.abs).length");
const faults = ts.getPreEmitDiagnostics(ts.createProgram(["/tmp/checked.ts"], { noEmit: true, types: [] }));
process.exitCode = faults.length`.replaceAll('\n', ' ');

test.each([
  'python3 --version',
  'python3 -m venv /tmp/venv && /tmp/venv/bin/pip --version',
  'python3 -c "import ipykernel, jupyterlab"',
  'python3 -W error -c "import fastapi, numpy, numpy.testing, numpy.f2py; fastapi.FastAPI().get; assert numpy.linalg.solve([[4, 1], [1, 3]], [5, 4]).round(9).tolist() == [1, 1]"',
  `python3 -c "import markdownify; assert markdownify.markdownify('<b>x</b>') == '**x**'" && pip3.12 --version`,
  'node --version && npm --version',
  'echo "int main(void){return 0;}" > /tmp/a.c && cc -o /tmp/a /tmp/a.c && /tmp/a',
  'cd /tmp && echo "int main(int c,char**v){char b[4];return b[c+3];}" >b.c && cc -g -fsanitize=address,undefined b.c -o b && ./b 2>&1 | grep -q stack-buffer-overflow.*b.c.*main',
  '/usr/lib/git-core/git --version && rg --version && tmux -V',
  'test -x /usr/lib/chromium/chromium && command -v Xtigervnc && test -f /usr/share/novnc/vnc.html',
  '/opt/code-server/bin/code-server --version',
  `node -e '${TYPE_CHECK}'`,
  `node -e 'require("/opt/svc/product/memory-trimmer.node")()'`,
  `node -e 'Buffer.concat([require("/opt/svc/product/file-attributes.node").list(Buffer.from("/\\0"))])'`,
  'sandboxd version',
])('[images.content] %s', async (command) => {
  const { exit_code, stderr, stdout } = await sandbox().run(command, { timeout: 60 });
  expect(`${exit_code} ${exit_code === 0 ? '' : stdout + stderr}`).toBe('0 ');
});

test('[images.cli] sandbox has the key of the container in docker exec, and no key in a command', async () => {
  expect(await sandbox().shell('sandbox run -- id -un')).toBe('sandbox');
  const inCommand = await sandbox().run('sandbox info');
  expect([inCommand.exit_code, inCommand.stderr]).toEqual([125, expect.stringMatching(/^sandbox: .+\n/)]);
});

test('[images.healthcheck] the health check passes, and no process list shows the key', async () => {
  const health = (): Promise<string> =>
    docker('inspect', '--format', '{{.State.Health.Status}}', sandbox().container.getId());
  await pollByProcess(health).toBe('healthy');
  const check = await docker('inspect', '--format', '{{json .Config.Healthcheck}}', sandbox().container.getId());
  // In nanoseconds; the request waits up to 4 s.
  expect(JSON.parse(check)).toMatchObject({
    Test: ['CMD', 'curl', '-q', '-K', '/run/svc/health-request'],
    Timeout: 5e9,
  });
  expect(await sandbox().shell('cat /proc/[0-9]*/cmdline | tr "\\0" " "')).not.toContain('secret-key');
});

test('[images.labels] the image has its labels', async () => {
  const labels = JSON.parse(
    await docker('inspect', '--format', '{{json .Config.Labels}}', sandbox().container.getId()),
  );
  expect(labels).toMatchObject({
    'org.opencontainers.image.title': 'sandbox-daemon',
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'org.opencontainers.image.version': expect.stringMatching(/^\d+\.\d+\.\d+$/),
    'org.opencontainers.image.created': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/),
    'org.opencontainers.image.source': expect.stringMatching(/^(?:https?:\/\/\S+|unknown)$/),
    'org.opencontainers.image.base.digest': expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
  });
});

test('[images.size] the image adds less than 1.475 GB to its base', async () => {
  const sizeOf = async (name: string): Promise<number> =>
    Number(await docker('image', 'inspect', '--format', '{{.Size}}', name));
  expect((await sizeOf(DAEMON_IMAGE)) - (await sizeOf(await baseOfImages()))).toBeLessThan(1475e6);
});

test.each([
  [DAEMON_IMAGE, 0],
  [DESKTOP_IMAGE, 2],
])('[images.size] %s has %i parts of the worker of the display', async (image, parts) => {
  const list =
    'cd /opt/svc/product && for part in computer-use.mjs node_modules/sharp; do test ! -e $part || echo $part; done';
  const { output } = await runOnce({}, [], ['sh', '-c', list], image);
  expect(output.split('\n').filter((line) => line !== '')).toHaveLength(parts);
});

test.each([
  ['root', 'sandboxd.mjs'],
  ['gateway', 'gateway.mjs'],
  ['sandbox', 'sandboxd.mjs'],
])('[images.compile-cache] as %s, %s takes its code from the compile cache of the image', async (user, bundle) => {
  const node = `node --max-semi-space-size=4 /opt/svc/product/${bundle} version`;
  const account = `setpriv --reuid=${user} --regid=${user} --init-groups`;
  const said = await sandbox().shell(`NODE_DEBUG_NATIVE=COMPILE_CACHE ${account} ${node} 2>&1`);
  expect(said).toMatch(/V8 code cache for ESM \S+\/chunks\/\S+ was accepted/);
  expect(said).not.toContain('no such file');
});

test('[images.tini] tini is the first process', async () => {
  expect(await sandbox().shell('tr "\\0" " " < /proc/1/cmdline')).toBe('tini -g -- /opt/svc/hooks/boot');
});

test('[images.secrets] no program of the user has the key in its environment', async () => {
  // The user can read the environments of its own processes; root in a container cannot.
  const each = `for pid in $(pgrep -u sandbox -d ' ' 'chromium|Xtigervnc|openbox'); do
    tr '\\0' '\\n' < /proc/$pid/environ | sed "s/^/$(cat /proc/$pid/comm) /;s/=.*//"; done`;
  const names = (await sandbox().run(each)).stdout.trim().split('\n');
  for (const program of ['chromium', 'Xtigervnc', 'openbox']) expect(names).toContain(`${program} DISPLAY`);
  expect(names.filter((name) => / (?:.*API_KEY|SVC_|SUPERVISOR_)/.test(name))).toEqual([]);
});

test('[images.vnc-socket] VNC listens on a unix socket for the gateway and on no port', async () => {
  const banner = await sandbox().shell(
    'python3 -c "import socket; s = socket.socket(socket.AF_UNIX); s.connect(\'/run/svc/user/vnc.sock\'); print(s.recv(12))"',
  );
  expect(banner).toBe("b'RFB 003.008\\n'");
  expect(await sandbox().shell('stat -c "%U %G %a" /run/svc/user /run/svc/user/vnc.sock')).toBe(
    'sandbox gateway 2750\nsandbox gateway 660',
  );
  await untilOwnListeners(sandbox());
});

test('[sandbox.v1-context] [sandbox.capabilities] the image says what it ended up with', async () => {
  const { data, home_dir, detail } = (await (await sandbox().fetch('/v1/sandbox')).json()) as {
    data: string;
    home_dir: string;
    detail: { system: Record<string, string>; runtime: Record<string, { ver: string }[]> };
  };
  expect(home_dir).toBe('/home/sandbox');
  expect(detail.system).toMatchObject({ user: 'sandbox', os: 'Linux', os_version: expect.stringMatching(/Debian/) });
  expect(data).toContain('User: sandbox');
  for (const language of ['python', 'nodejs']) {
    expect(detail.runtime[language]?.[0]?.ver, language).toMatch(/^\d+\.\d+/);
    const packages = (await (await sandbox().fetch(`/v1/sandbox/packages/${language}`)).json()) as { data: string };
    expect(packages.data).toMatch(/^- \S+==\S+$/m);
  }
  const capabilities = (await (await sandbox().fetch('/v1/capabilities')).json()) as { data: object };
  expect(capabilities.data).toMatchObject({
    files: true,
    exec: { pty: true, tmux: true, rg: true, backend: 'native' },
    browser: true,
  });
});

test('[images.healthy-at-once] the engine reports healthy within 1 s of readiness', async () => {
  await using own = await startSandbox({ env: { ...NO_BROWSER, ...NO_KERNELS }, with: (c) => c.withHealthOfImage() });
  const inspect = (format: string): Promise<string> => docker('inspect', '--format', format, own.container.getId());
  await pollByProcess(() => inspect('{{.State.Health.Status}}')).toBe('healthy');
  const passed = JSON.parse(await inspect('{{json .State.Health.Log}}')) as { ExitCode: number; Start: string }[];
  const first = passed.find(({ ExitCode }) => ExitCode === 0);
  const ready = (await docker('logs', '--timestamps', own.container.getId()))
    .split('\n')
    .find((line) => READY.test(line));
  const ms = Date.parse(first?.Start ?? '') - Date.parse(ready?.split(' ')[0] ?? '');
  // One interval of the engine, and what a busy machine adds.
  expect(ms).toBeLessThan(3000);
});
