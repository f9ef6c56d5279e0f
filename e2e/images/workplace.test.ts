import { expect, test } from 'vitest';
import { pollByProcess, untilHealthy } from './observe.ts';
import { sharedSandbox } from './sandbox.ts';

/** An authority of the operator's own, and a server's certificate that it signed, where a mount would put them. */
const AUTHORITY = `set -e; cd /usr/local/share/ca-certificates
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=own-authority -keyout /tmp/ca.key -out own.crt
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
  -addext basicConstraints=critical,CA:FALSE -CA own.crt -CAkey /tmp/ca.key -keyout /tmp/tls.key -out /tmp/tls.crt
chmod 644 /tmp/tls.key`;

const PACKAGE = `import os
for name, text in {
  'py/pyproject.toml': '[project]\\nname = "made-here"\\nversion = "1.2.3"\\n[project.scripts]\\nmade-by-pip = "made:main"\\n[build-system]\\nrequires = ["setuptools"]\\nbuild-backend = "setuptools.build_meta"\\n[tool.setuptools]\\npy-modules = ["made"]\\n',
  'py/made.py': 'def main():\\n  print("by pip")\\n',
  'js/package.json': '{"name":"made-here","version":"4.5.6","bin":{"made-by-npm":"run.js"}}',
  'js/run.js': '#!/usr/bin/env node\\nconsole.log("by npm")\\n',
}.items():
  path = os.path.join('/tmp/made', name)
  os.makedirs(os.path.dirname(path), exist_ok=True)
  open(path, 'w').write(text)
`;

const PIP = 'pip install --no-index --no-build-isolation';
/** Nobody listens there, so a request that reaches the proxy fails. */
const DEAD_PROXY = 'http://127.0.0.1:9';

const sandbox = sharedSandbox({
  env: {
    LANG: 'de_DE.UTF-8',
    http_proxy: DEAD_PROXY,
    HTTPS_PROXY: DEAD_PROXY,
    RUN_HOOK_INIT: AUTHORITY,
    RUN_HOOK_PRE_SERVICES: `python - <<'X'
${PACKAGE}
X
python -m pip install requests && ${PIP} --quiet /tmp/made/py && npm install --global --silent --offline /tmp/made/js`,
  },
  // A mounted home of root's with nothing in it, and a directory below that stays root's.
  with: (container) => container.withTmpFs({ '/home/sandbox': 'exec,mode=755', '/home/sandbox/theirs': 'mode=755' }),
});

async function succeed(command: string, more: object = {}): Promise<string> {
  const { exit_code, stdout, stderr } = await sandbox().run(command, { timeout: 120, ...more });
  expect({ command, exit_code, said: exit_code === 0 ? '' : stdout + stderr }).toEqual({
    command,
    exit_code: 0,
    said: '',
  });
  return stdout.trim();
}

async function inTerminal(id: string, command: string): Promise<string> {
  await sandbox().post('/v2/pty/sessions', { id });
  return (await sandbox().post<{ output: string }>(`/v2/pty/sessions/${id}/exec`, { command })).output.trim();
}

test('[images.hook-installs] hooks install packages with python -m pip and npm for everybody', async () => {
  expect(await succeed('python -c "import requests; print(requests.__name__)"')).toBe('requests');
  expect(await succeed('made-by-pip; made-by-npm; command -v made-by-pip made-by-npm')).toBe(
    'by pip\nby npm\n/usr/local/bin/made-by-pip\n/usr/local/bin/made-by-npm',
  );
});

test('[images.account-installs] the account installs with pip and npm into its home, on PATH in commands and terminals', async () => {
  await succeed('cp -r /tmp/made ~/made');
  await succeed(`${PIP} --force-reinstall ~/made/py && npm install --global --offline ~/made/js`);
  const both = 'command -v made-by-pip made-by-npm; made-by-pip; made-by-npm';
  const found = '/home/sandbox/.local/bin/made-by-pip\n/home/sandbox/.local/bin/made-by-npm\nby pip\nby npm';
  expect(await succeed(both)).toBe(found);
  expect((await inTerminal('installs', both)).replaceAll('\r', '')).toBe(found);
  const packages = await (await sandbox().fetch('/v2/sandbox/packages?lang=nodejs')).text();
  expect(packages).toContain('made-here==4.5.6');
});

const TOOLS = `python uv uvx pnpm corepack jupyter code-server wget sqlite3 ffmpeg ffprobe vim rsync zstd lsof strace ping dig
  nc tree cmake ctest xclip pdftotext pdftoppm`;

test('[images.tools] the tools of everyday work are on PATH in commands and terminals', async () => {
  const missing = `for tool in ${TOOLS.replace(/\s+/g, ' ')}; do command -v $tool >/dev/null || echo $tool; done`;
  expect([await succeed(missing), await inTerminal('tools', missing)]).toEqual(['', '']);
});

test.each([
  'python --version && uv --version && pnpm --version && jupyter --version && code-server --version',
  'uv venv --offline --quiet ~/uv-venv && ~/uv-venv/bin/python --version',
  'vim -es -u NONE -c "call writefile([string(6*7)], \\"/tmp/by-vim\\")" -c q; grep -qx 42 /tmp/by-vim',
  'ffmpeg -v error -f lavfi -i testsrc=d=1:r=5:s=64x64 -c:v libx264 -y /tmp/t.mp4 && ffprobe -v error /tmp/t.mp4',
  'strace -e trace=none true && lsof -p $$ >/dev/null && sqlite3 :memory: "select 1" && echo x | zstd -q | zstd -dq',
  'DISPLAY=:99 xclip -version',
])('[images.tools] %s', async (command) => {
  await succeed(command);
});

test.each([
  'flite=text=one:voice=kal',
  ...['awb', 'kal16', 'rms', 'slt'].map((voice) => `flite=text=one:voice=${voice}`),
  'sine=d=1:r=8000 -c:a libcodec2 -f codec2raw',
  'testsrc=d=1 -vf libplacebo',
])('[images.tools] ffmpeg ends in order where it has a library without content: %s', async (work) => {
  const { exit_code } = await sandbox().run(
    `ffmpeg -v error -f lavfi -i ${work} ${work.includes('-f') ? '' : '-f null'} -`,
  );
  const ended = exit_code ?? 128;
  expect({ works: ended === 0, dies: ended >= 128 && ended < 160 }).toEqual({
    works: work.endsWith('=kal'),
    dies: false,
  });
});

test('[images.ping] ping works by the group range of the kernel, without a setuid bit or a file capability', async () => {
  await succeed('ping -c 1 -W 2 127.0.0.1');
  expect(
    await sandbox().shell('stat -L -c %a $(command -v ping); getfattr -d -m - $(command -v ping) 2>/dev/null || true'),
  ).toBe('755');
});

test('[images.pip-list] pip list has no stubs of types', async () => {
  const names = (await succeed('pip list --format=freeze')).split('\n');
  expect(names.filter((name) => name.startsWith('types-'))).toEqual([]);
  expect(names.length).toBeLessThan(130);
});

test('[images.skeleton] a mounted home without the skeleton’s files gets them', async () => {
  expect(await succeed('stat -c "%n %U" .bashrc .profile')).toBe('.bashrc sandbox\n.profile sandbox');
});

test('[images.unwritable-mount] a mount below the home that the account cannot write is one line of the log', () => {
  const lines = sandbox()
    .log.split('\n')
    .filter((line) => line.includes('/home/sandbox/theirs'));
  expect(lines).toEqual([
    'sandbox: /home/sandbox/theirs belongs to uid 0, and sandbox, uid 1000, cannot write there: change its owner, or set PUID',
  ]);
});

test('[config.lang] the locale of LANG exists, for Python and for Perl', async () => {
  expect(await succeed('python -c "import locale; print(locale.setlocale(locale.LC_ALL, \'\'))" 2>&1')).toContain(
    'de_DE.UTF-8',
  );
  expect(await succeed('perl -e "print 1" 2>&1; printf %.1f 1,5')).toBe('11,5');
});

test.each(['ar', 'hi', 'th', 'bn', 'ta', 'te', 'zh', 'ja', 'ko', 'he', 'ka', 'am', 'km'])(
  '[images.fonts] there is a font for %s',
  async (language) => {
    expect(await succeed(`fc-list :lang=${language} file | head -n 1`)).toContain('/usr/share/fonts/');
  },
);

test('[images.no-proxy] with a proxy and no exceptions the sandbox still reaches itself', async () => {
  expect(await succeed('echo $no_proxy; curl -s http://127.0.0.1:8080/health')).toMatch(
    /^localhost,127\.0\.0\.1,::1,0\.0\.0\.0,127\.0\.0\.0\/8,.*\n.*healthy/,
  );
  expect((await sandbox().run('curl -s http://elsewhere.example/')).exit_code).toBe(7);
});

test('[images.authorities] an added certificate authority is trusted by commands, by Node and by the browser', async () => {
  await untilHealthy(sandbox());
  const serve = `require("node:https").createServer({ key: fs.readFileSync("/tmp/tls.key"), cert: fs.readFileSync("/tmp/tls.crt") },
    (_, res) => res.end("<title>trusted page</title>")).listen(8443, "127.0.0.1")`;
  await sandbox().run(`exec node -e '${serve}'`, { mode: 'async' });
  const url = 'https://localhost:8443/';
  await pollByProcess(async () => (await sandbox().run(`curl -s ${url}`)).stdout).toContain('trusted page');
  expect(await succeed(`node -e 'fetch("${url}").then((r) => r.text()).then(console.log)'`)).toContain('trusted page');
  expect(await succeed(`python -c 'import requests; print(requests.get("${url}").text)'`)).toContain('trusted page');
  // Not by docker exec, whose environment has the proxy without the exceptions.
  await succeed(`curl -sf -X PUT 'http://127.0.0.1:9222/json/new?${url}'`);
  const tabs = async (): Promise<string> => (await sandbox().run('curl -s http://127.0.0.1:9222/json/list')).stdout;
  await pollByProcess(tabs).toContain('"title": "trusted page"');
});

test('[log.ready] [log.open] [log.quiet-boot] the boot is quiet, warns that there is no key, and says when it is ready', async () => {
  await sandbox().said('sandbox: ready at http://0.0.0.0:8080\n');
  const log = sandbox().rawLog;
  expect(log.match(/"msg":"ready at http/g)).toHaveLength(1);
  for (const line of log.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ time: expect.any(String) });
  expect(log).toMatch(/"level":"warn".*"msg":"SVC_API_KEY is not set, and the service listens beyond this machine/);
  expect(log).not.toMatch(/"level":"(?:fatal|error)"|No file matches|Traceback|^ +at .*\.(?:mjs|js|ts)\b/m);
});

test('[images.foreign-trees] git works in a tree of another owner, for root and for the account', async () => {
  const made = await sandbox().container.exec([
    'sh',
    '-c',
    'rm -rf /tmp/of-root && git init -q /tmp/of-root && cd /tmp/of-root && git -c user.name=n -c user.email=e@x commit -q --allow-empty -m one',
  ]);
  expect(made.exitCode).toBe(0);
  expect(await succeed('cd /tmp/of-root && git log --format=%s')).toBe('one');
  await succeed('rm -rf ~/mine && git init -q ~/mine');
  expect((await sandbox().container.exec(['git', '-C', '/home/sandbox/mine', 'status', '--porcelain'])).exitCode).toBe(
    0,
  );
});

test('[images.agents-environment] programs see a sandbox without prompts, and Node uses the proxy of the environment', async () => {
  for (const user of ['sandbox', 'root']) {
    const { stdout } = await sandbox().run('echo $IS_SANDBOX $DEBIAN_FRONTEND $NODE_USE_ENV_PROXY', { user });
    expect([user, stdout]).toEqual([user, '1 noninteractive 1\n']);
  }
  const call = `fetch('http://site.example/').catch((error) => console.log(error.cause.code))`;
  expect(await succeed(`node -e "${call}"`)).toBe('ECONNREFUSED');
  expect(
    await succeed(`node -e "fetch('http://127.0.0.1:8080/health').then(({ status }) => console.log(status))"`),
  ).toBe('200');
});
