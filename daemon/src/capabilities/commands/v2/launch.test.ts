import { execFileSync } from 'node:child_process';
import { chmod, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { identityOfCommands, TestApp } from '../../../app.fixture.ts';
import { describeOnHosts } from '../../../hosts.fixture.ts';

const isRoot = process.getuid?.() === 0;
const needsRoot = isRoot ? '' : ' (skipped: needs root)';

describeOnHosts('launching', () => {
  test('[cmd.shell-auto] auto is bash', async () => {
    await using daemon = await TestApp.start();
    expect((await daemon.run('echo "$BASH_VERSION" | cut -c1; [[ a == a ]] && echo ok')).stdout).toMatch(/^\d\nok\n$/);
  });

  test('[cmd.shell-auto] auto is sh where bash is not on PATH', async () => {
    await using daemon = await TestApp.start();
    await using directory = await tempDir();
    await chmod(directory.path, 0o755);
    await symlink('/bin/sh', join(directory.path, 'sh'));
    const env = { PATH: directory.path };
    expect(await daemon.run('echo "$0"', { env })).toMatchObject({ status: 'completed', stdout: 'sh\n' });
    await symlink('/bin/bash', join(directory.path, 'bash'));
    expect((await daemon.run('[[ "$BASH_VERSION" ]] && echo "$0"', { env })).stdout).toMatch(/\/bash\n$/);
  });

  test.each([
    ['sh', 'echo "$0"', 'sh\n'],
    ['bash', 'echo "$0"', 'bash\n'],
    ['/bin/sh', 'echo "$0"', '/bin/sh\n'],
    [process.execPath, '', ''],
  ])('[cmd.shell-named] shell %s', async (shell, command, stdout) => {
    await using daemon = await TestApp.start();
    const data = await daemon.run(command, { shell });
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
    expect((await daemon.run('pwd', { shell: '/bin/sh' })).stdout).toBe(`${identityOfCommands().home}\n`);
  });

  test('[cmd.cwd-not-directory-400] a cwd that is not a directory answers 400 and is named', async () => {
    await using daemon = await TestApp.start();
    const file = join(daemon.directory, 'file');
    await writeFile(file, '');
    for (const [cwd, message] of [
      [file, `cwd is not a directory: ${file}`],
      ['/no/such', 'cwd does not exist: /no/such'],
      ['~no-such-account', 'no account has the name of ~no-such-account'],
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
