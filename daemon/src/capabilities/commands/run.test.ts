import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

const isRoot = process.getuid?.() === 0;
const needsRoot = isRoot ? '' : ' (skipped: needs root)';

describe('a command', () => {
  test('[cmd.sync] [status.nonzero-exit-is-200] [cmd.status-completed] it runs, and its exit code is data', async () => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', { command: 'echo out; echo err >&2; exit 3' });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ success: true, message: 'the command completed with exit code 3' });
    expect(answer.json().data).toMatchObject({
      status: 'completed',
      exit_code: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
    });
  });

  test('[cmd.data-fields] the data is flat and whole', async () => {
    await using daemon = await TestApp.start();
    const data = await daemon.run('echo hi');
    expect(data).toEqual({
      command_id: expect.any(String),
      session_id: null,
      command: 'echo hi',
      status: 'completed',
      exit_code: 0,
      signal: null,
      pid: expect.any(Number),
      stdout: 'hi\n',
      stderr: '',
      output: 'hi\n',
      offset: 3,
      stderr_offset: 0,
      truncated: false,
      background: false,
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      ended_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      usage: null,
    });
  });

  test('[cmd.output-order] [cmd.offsets] output has both streams in the order of arrival', async () => {
    await using daemon = await TestApp.start();
    const script = 'for i in 1 2 3; do echo "o$i"; sleep 0.05; echo "e$i" >&2; sleep 0.05; done';
    const data = await daemon.run(script);
    expect(data.output).toBe('o1\ne1\no2\ne2\no3\ne3\n');
    expect([data.offset, data.stderr_offset]).toEqual([9, 9]);
  });

  test('[cmd.own-session] it leads a session and a group of its own', async () => {
    await using daemon = await TestApp.start();
    const { pid, stdout } = await daemon.run('ps -o sid=,pgid= -p $$');
    expect(stdout.trim().split(/\s+/).map(Number)).toEqual([pid, pid]);
  });

  test('[cmd.no-leak] cd and export stay inside', async () => {
    await using daemon = await TestApp.start();
    await daemon.post('/v2/commands/sessions', { id: 's', cwd: '/' });
    await daemon.run('cd /tmp; export LEAK=1', { session: 's' });
    expect((await daemon.run('pwd; echo "[$LEAK]"', { session: 's' })).stdout).toBe('/\n[]\n');
  });

  test('[cmd.stdin-null] stdin is /dev/null', async () => {
    await using daemon = await TestApp.start();
    expect((await daemon.run('cat; readlink /proc/self/fd/0')).stdout).toBe('/dev/null\n');
  });

  test('[cmd.stdin] stdin is written and closed', async () => {
    await using daemon = await TestApp.start();
    const text = 'ä'.repeat(300_000);
    const data = await daemon.run('wc -c; echo done', { stdin: text });
    expect(data.stdout).toBe('600000\ndone\n');
    expect((await daemon.run('wc -c', { stdin: '' })).stdout).toBe('0\n');
  });

  test('a command that does not read its stdin ends all the same', async () => {
    await using daemon = await TestApp.start();
    expect((await daemon.run('exit 4', { stdin: 'x'.repeat(1_000_000) })).exit_code).toBe(4);
  });

  test('/dev/stdout and /dev/stderr can be opened again', async () => {
    await using daemon = await TestApp.start();
    const data = await daemon.run('echo a > /dev/stdout; echo b > /dev/stderr; echo c');
    expect([data.stdout, data.stderr]).toEqual(['a\nc\n', 'b\n']);
  });
});

describe('timeouts', () => {
  test('[cmd.async] an async call answers at once', async () => {
    await using daemon = await TestApp.start();
    const data = await daemon.run('sleep 30', { mode: 'async' });
    expect(data).toMatchObject({ status: 'running', exit_code: null, ended_at: null, pid: expect.any(Number) });
  });

  test('[cmd.stdin-pipe-async] an async command has a stdin pipe', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('cat', { mode: 'async' });
    await daemon.post(`/v2/commands/${command_id}/stdin`, { input: 'hello', eof: true });
    const answer = await daemon.inject(`/v2/commands/${command_id}?stream=true`);
    expect(answer.body).toContain('"data":"hello"');
  });

  test('[cmd.sync-timeout] past timeout the answer is running, and the command goes on', async () => {
    await using daemon = await TestApp.start();
    const data = await daemon.run('echo first; read -r < <(sleep 0.5; echo); echo second', { timeout: 0.1 });
    expect(data).toMatchObject({ status: 'running', exit_code: null });
    const after = (await daemon.inject(`/v2/commands/${data.command_id}?offset=6&wait=true`)).json().data;
    expect(after).toMatchObject({ stdout: 'second\n' });
  });

  test('[cmd.timeout-default] the default is 30 s', async () => {
    await using daemon = await TestApp.start();
    const { components } = (await daemon.inject('/v2/openapi.json')).json();
    expect(components.schemas.RunCommandInput.properties.timeout).toMatchObject({ default: 30, minimum: 0 });
  });

  test.each([
    ['timeout', -1],
    ['timeout', 'soon'],
    ['hard_timeout', 0],
    ['hard_timeout', -3],
    ['max_output_length', -1],
    ['max_output_length', 1.5],
  ])('[cmd.timeout-bounds] %s %j answers 422', async (field, value) => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', { command: 'true', [field]: value });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors[0].location).toEqual(['body', field]);
  });

  test('[cmd.hard-timeout] past hard_timeout all its processes are ended', async () => {
    await using daemon = await TestApp.start();
    const data = await daemon.run('setsid sleep 61 & sleep 62 & sleep 63', { hard_timeout: 0.2 });
    expect(data).toMatchObject({ status: 'timed_out', exit_code: -1, signal: 'SIGTERM' });
    await expectNothingLeft(data.command_id);
  });

  test('[cmd.hard-timeout-sigkill] what survives SIGTERM is killed 2 s later', async () => {
    await using daemon = await TestApp.start();
    const started = performance.now();
    const data = await daemon.run("trap '' TERM; echo up; while :; do sleep 0.1; done", { hard_timeout: 0.2 });
    expect(data).toMatchObject({ status: 'timed_out', signal: 'SIGKILL', exit_code: -1, stdout: 'up\n' });
    expect(performance.now() - started).toBeGreaterThan(2000);
  });

  test('a hard timeout that never comes ends nothing', async () => {
    await using daemon = await TestApp.start();
    expect(await daemon.run('echo hi', { hard_timeout: 60 })).toMatchObject({ status: 'completed', exit_code: 0 });
  });
});

describe('how it is run', () => {
  test('[cmd.shell-auto] auto is bash', async () => {
    await using daemon = await TestApp.start();
    expect((await daemon.run('echo "$BASH_VERSION" | cut -c1; [[ a == a ]] && echo ok')).stdout).toMatch(/^\d\nok\n$/);
  });

  test.each([
    ['sh', 'echo "$0"', 'sh\n'],
    ['bash', 'echo "$0"', 'bash\n'],
    ['/bin/sh', 'echo "$0"', '/bin/sh\n'],
    [process.execPath, '', ''],
  ])('[cmd.shell-named] shell %s', async (shell, command, stdout) => {
    await using daemon = await TestApp.start();
    const data = await daemon.run(command, { shell, ...(shell === process.execPath && { timeout: 5 }) });
    if (stdout !== '') expect(data.stdout).toBe(stdout);
    else expect(data.status).toBe('completed');
  });

  test('[cmd.shell-none] [cmd.args] a program is run itself, its arguments unchanged', async () => {
    await using daemon = await TestApp.start();
    const args = ['%s|', 'a b', '$HOME', "it's", '*', '', 'ünï'];
    expect((await daemon.run('printf', { shell: 'none', args })).stdout).toBe("a b|$HOME|it's|*||ünï|");
  });

  test('[cmd.args-with-shell-400] args with a shell answer 400', async () => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', { command: 'echo', args: ['x'] });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().message).toMatch(/^args /);
  });

  test.each(['powershell', 'bin/sh', '', 'BASH'])('[cmd.shell-unknown] shell %j answers 422', async (shell) => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', { command: 'true', shell });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors[0].location).toEqual(['body', 'shell']);
  });

  test.each([
    ['an absolute path that does not exist', { command: 'true', shell: '/no/such/shell' }, 127],
    ['a program that is not on PATH', { command: 'no-such-program-x', shell: 'none' }, 127],
    ['a directory', { command: '/tmp', shell: 'none' }, 126],
    ['a file that is not executable', { command: '/etc/passwd', shell: 'none' }, 126],
  ])('[cmd.status-failed] %s has failed, and the message says why', async (_name, body, exitCode) => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', body);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      success: false,
      message: expect.stringMatching(/^the command could not be started: ./),
    });
    expect(answer.json().data).toMatchObject({
      status: 'failed',
      exit_code: exitCode,
      pid: null,
      stdout: '',
      stderr: '',
    });
  });

  test('[cmd.command-required] without a command 422', async () => {
    await using daemon = await TestApp.start();
    for (const body of [{}, { command: 5 }, { command: ['ls'] }, { command: 'a\0b' }]) {
      const answer = await daemon.post('/v2/commands', body);
      expect(answer.statusCode).toBe(422);
      expect(answer.json().errors[0].location).toEqual(['body', 'command']);
    }
  });

  test.each(['bash', 'sh'])(
    '[cmd.long-script] a script of 300 KB runs by %s, with here-documents and its exit code',
    async (shell) => {
      await using daemon = await TestApp.start();
      const filler = `: ${'x'.repeat(98)}\n`.repeat(3000);
      const script = `#!/bin/sh\n${filler}cat <<'END'\n$not expanded\nEND\nls /proc/self/fd | wc -l\nexit 7\n`;
      const data = await daemon.run(script, { shell });
      expect(data).toMatchObject({ exit_code: 7, stderr: '' });
      const short = await daemon.run('ls /proc/self/fd | wc -l', { shell });
      expect(data.stdout).toBe(`$not expanded\n${short.stdout}`);
    },
  );

  test('a long script reads its own stdin', async () => {
    await using daemon = await TestApp.start();
    const script = `${': pad\n'.repeat(30_000)}read -r line; echo "got $line"`;
    expect((await daemon.run(script, { stdin: 'input\n' })).stdout).toBe('got input\n');
  });

  test('an 8 MiB script runs', async () => {
    await using daemon = await TestApp.start();
    const script = `${'#'.repeat(8 * 1024 ** 2 - 9)}\necho ok`;
    expect((await daemon.run(script)).stdout).toBe('ok\n');
  });

  test('[cmd.command-too-long] a 10 MB command answers 422', async () => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', { command: 'x'.repeat(10_000_000) });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors[0]).toMatchObject({ location: ['body', 'command'] });
    expect(answer.body.length).toBeLessThan(1000);
  });

  test('[cmd.cwd-default] cwd is the home', async () => {
    await using daemon = await TestApp.start();
    expect((await daemon.run('pwd', { shell: '/bin/sh' })).stdout).toBe(`${homedir()}\n`);
  });

  test('[cmd.cwd-not-directory-400] a cwd that is none answers 400 and is named', async () => {
    await using daemon = await TestApp.start();
    const file = join(daemon.directory, 'file');
    await writeFile(file, '');
    for (const [cwd, message] of [
      [file, `cwd is not a directory: ${file}`],
      ['/no/such', 'cwd does not exist: /no/such'],
      ['relative', 'cwd is not an absolute path: relative'],
      ['~', 'cwd is not an absolute path: ~'],
    ]) {
      const answer = await daemon.post('/v2/commands', { command: 'true', cwd });
      expect([answer.statusCode, answer.json().message]).toEqual([400, message]);
    }
  });

  test.each([
    ['env', { env: { A: 'x\0y' } }, ['body', 'env', 'A']],
    ['env name', { env: { 'A\0': 'x' } }, ['body', 'env', 'A\0']],
    ['env name', { env: { '': 'x' } }, ['body', 'env', '']],
    ['args', { shell: 'none', args: ['a\0'] }, ['body', 'args', 0]],
    ['cwd', { cwd: '/a\0b' }, ['body', 'cwd']],
  ])('a NUL in %s answers 422 and is named', async (_name, body, location) => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', { command: 'true', ...body });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors[0].location).toEqual(location);
  });

  test('[status.unknown-user-400] a user that does not exist answers 400', async () => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', { command: 'true', user: 'nobody-by-that-name' });
    expect([answer.statusCode, answer.json().message]).toEqual([400, 'user does not exist: nobody-by-that-name']);
  });

  test.runIf(isRoot)(`[cmd.user] it runs with the account's uid, gid and groups${needsRoot}`, async () => {
    await using daemon = await TestApp.start();
    const own = execFileSync('id', ['games'], { encoding: 'utf8' });
    const data = await daemon.run('id; echo "$HOME $USER $LOGNAME"; echo x > /dev/stdout', { user: 'games', cwd: '/' });
    expect(data.stdout).toBe(`${own}/usr/games games games\nx\n`);
  });

  test.runIf(isRoot)(
    `[cmd.user-default] SVC_DEFAULT_USER is the account of calls that name none${needsRoot}`,
    async () => {
      await using daemon = await TestApp.start({ defaultUser: 'games' });
      expect((await daemon.run('id -un')).stdout).toBe('games\n');
      expect((await daemon.run('id -un', { user: 'root' })).stdout).toBe('root\n');
      const long = `${'# filler\n'.repeat(20_000)}id -un`;
      expect((await daemon.run(long)).stdout).toBe('games\n');
    },
  );
});

describe('the environment', () => {
  const inherited = {
    FROM_CONTAINER: 'yes',
    SVC_SECRET: 'no',
    SANDBOX_API_KEY: 'no',
    GATEWAY_PORT: '1',
    RUN_HOOK_INIT: 'no',
    npm_config_x: 'no',
    SUPERVISOR_ENABLED: 'no',
    NODE_CHANNEL_FD: '99',
    DISPLAY: ':7',
  };

  async function environmentOf(more: object = {}): Promise<Map<string, string>> {
    const before = { ...process.env };
    Object.assign(process.env, inherited);
    try {
      await using daemon = await TestApp.start({ apiKey: 'the-key' });
      const answer = await daemon.post('/v2/commands', { command: 'env -0', ...more }, { 'x-api-key': 'the-key' });
      const { stdout, command_id } = answer.json().data;
      const entries = String(stdout).split('\0').filter(Boolean);
      const map = new Map(
        entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
      );
      expect(map.get('SVC_COMMAND_ID')).toBe(command_id);
      return map;
    } finally {
      process.env = before;
    }
  }

  test('[env.container] [env.product-removed] [env.launcher-removed] [env.display] [secret.child-env] it is what the container was started with, less our own', async () => {
    const env = await environmentOf();
    expect(env.get('FROM_CONTAINER')).toBe('yes');
    expect(env.get('DISPLAY')).toBe(':7');
    const ours = [...env.keys()].filter((name) =>
      /^(SVC_|SANDBOX_API_KEY|GATEWAY_|RUN_HOOK_|npm_|SUPERVISOR_|NODE_CHANNEL)/.test(name),
    );
    expect(ours).toEqual(['SVC_COMMAND_ID']);
    expect([...env.values()].join('\n')).not.toContain('the-key');
  });

  test('[env.account] [env.command-id] the account is told, and TERM is dumb', async () => {
    const env = await environmentOf();
    const { username, homedir: home, shell } = userInfo();
    expect(Object.fromEntries(env)).toMatchObject({
      HOME: home,
      USER: username,
      LOGNAME: username,
      SHELL: shell,
      TERM: 'dumb',
      LANG: expect.any(String),
    });
    expect(env.get('PATH')).not.toMatch(/node_modules/);
  });

  test('[env.order] the call comes over the account, but never over the mark', async () => {
    const env = await environmentOf({
      env: { TERM: 'xterm', HOME: '/h', SVC_COMMAND_ID: 'forged', SVC_OTHER: 'fine' },
    });
    expect([env.get('TERM'), env.get('HOME'), env.get('SVC_OTHER')]).toEqual(['xterm', '/h', 'fine']);
  });
});

describe('ceilings', () => {
  test('[cmd.max-running-429] [status.capacity-429] [status.retry-after-5s] the next one answers 429 and lists the holders', async () => {
    await using daemon = await TestApp.start({ commandMaxRunning: 2 });
    const first = await daemon.run('sleep 60', { mode: 'async' });
    await daemon.run('sleep 60', { mode: 'async' });
    const answer = await daemon.post('/v2/commands', { command: 'true' });
    expect(answer.statusCode).toBe(429);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(5);
    expect(answer.json().data.holders).toHaveLength(2);
    expect(answer.json().data.holders[0]).toMatchObject({ command_id: first.command_id, command: 'sleep 60' });
    await daemon.post(`/v2/commands/${first.command_id}/kill`, { signal: 'KILL' });
    await daemon.inject(`/v2/commands/${first.command_id}?wait=true`);
    expect((await daemon.post('/v2/commands', { command: 'true' })).statusCode).toBe(200);
  });

  test('64 at once are all answered', async () => {
    await using daemon = await TestApp.start();
    const all = await Promise.all(Array.from({ length: 64 }, (_, i) => daemon.run(`echo ${i}; exit ${i}`)));
    expect(all.map(({ stdout, exit_code }) => [stdout, exit_code])).toEqual(all.map((_, i) => [`${i}\n`, i]));
  });

  test('a thousand in a row leave no zombie, no descriptor and no file behind', async () => {
    await using daemon = await TestApp.start({ commandMaxRecords: 10 });
    const descriptors = async () => Number((await daemon.run('ls /proc/$PPID/fd | wc -l')).stdout);
    for (let i = 0; i < 100; i += 1) await daemon.run('echo x');
    const before = await descriptors();
    for (let i = 0; i < 1000; i += 1) await daemon.run('/bin/true', { shell: 'none' });
    expect(await descriptors()).toBeLessThanOrEqual(before + 2);
    const children = execFileSync('ps', ['-o', 'stat=', '--ppid', String(process.pid)], { encoding: 'utf8' });
    expect(children).not.toMatch(/Z/);
    expect((await daemon.inject('/v2/commands?limit=10000')).json().data.commands.length).toBeLessThanOrEqual(1102);
  }, 60_000);

  test('[status.no-repeat-once-begun] past its wait a call that has begun answers 200', async () => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', { command: 'sleep 60', timeout: 0 });
    expect([answer.statusCode, answer.json().data.status]).toEqual([200, 'running']);
  });
});

/** No process carries the mark of the command. */
async function expectNothingLeft(id: string): Promise<void> {
  const pids = execFileSync('ps', ['-eo', 'pid='], { encoding: 'utf8' }).trim().split(/\s+/);
  const marked = await Promise.all(
    pids.map(async (pid) =>
      (await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')).includes(`SVC_COMMAND_ID=${id}`) ? pid : '',
    ),
  );
  expect(marked.filter(Boolean)).toEqual([]);
}
