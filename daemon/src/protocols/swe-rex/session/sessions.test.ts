import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { alive } from '../../../../../scripts/testing/alive.ts';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { DaemonProcess } from '../../../daemon-process.fixture.ts';
import { RexClient } from '../rex-client.fixture.ts';

async function opened(): Promise<RexClient> {
  const client = await RexClient.start();
  await client.ok('create_session', { startup_timeout: 60 });
  return client;
}

test('[swe-rex.sessions] the output of a command is exact, and so is its exit code', async () => {
  await using client = await opened();
  const exact = [
    ["echo ''", '\n'],
    ["printf '\\n\\nx\\n\\n\\n'", '\n\nx\n\n\n'],
    ["printf '  x'", '  x'],
    ["echo 'hello\nworld'", 'hello\nworld\n'],
    ["\n\n echo 'test1' \n \n echo 'test2' \n\n", 'test1\ntest2\n'],
    ['cat <<EOF\na\n\nb\nEOF\n', 'a\n\nb\n'],
    ["# echo 'hello'", ''],
    ['\n\n \n', ''],
    ["echo 'hw';A=();echo 'asdf'", 'hw\nasdf\n'],
    ['for i in {1..3};\n do echo hi;\n done', 'hi\nhi\nhi\n'],
    ['printf "%s\\n" "a\tb" \'!!\' "ü"', 'a\tb\n!!\nü\n'],
  ] as const;
  for (const [command, output] of exact) {
    const answer = { output, exit_code: 0, failure_reason: '', expect_string: 'SHELLPS1PREFIX', session_type: 'bash' };
    expect(await client.run(command)).toEqual(answer);
  }
  expect(await client.run('no-such-program', { check: 'silent' })).toMatchObject({ exit_code: 127 });
  expect(await client.run('false && true', { check: 'silent' })).toMatchObject({ exit_code: 1, output: '' });
  expect(await client.run('false', { check: 'ignore' })).toMatchObject({ exit_code: null });
  expect((await client.run('seq 1 20000')).output.split('\n')).toHaveLength(20_001);
});

test('[swe-rex.sessions] programs see a plain terminal, and no file keeps the lines of the service', async () => {
  await using client = await opened();
  expect((await client.run('echo $TERM [$HISTFILE]')).output).toBe('dumb []\n');
});

test('[swe-rex.sessions] a shell that has ended is named so by each call', async () => {
  await using client = await opened();
  const ended = ['swerex.exceptions.SessionNotInitializedError', expect.stringMatching(/has ended/)];
  expect(await client.raised('run_in_session', { command: 'exit 3' })).toEqual(ended);
  expect(await client.raised('run_in_session', { command: 'echo' })).toEqual(ended);
  expect(await client.raised('run_in_session', { action_type: 'bash_interrupt' })).toEqual(ended);
  await client.ok('create_session', { startup_timeout: 60 });
  expect((await client.run('echo again')).output).toBe('again\n');
});

test('[swe-rex.sessions] sessions keep their variables apart, and calls of one wait for each other', async () => {
  await using client = await opened();
  await client.ok('create_session', { session: 'two', startup_timeout: 60 });
  await Promise.all([client.run('x=42; sleep 0.2'), client.run('y=24', { session: 'two' })]);
  const [one, two] = await Promise.all([client.run('echo $x$y'), client.run('echo $x$y', { session: 'two' })]);
  expect([one.output, two.output]).toEqual(['42\n', '24\n']);
  const many = await Promise.all(Array.from({ length: 8 }, (_, n) => client.run(`echo ${n}`)));
  expect(many.map(({ output }) => output)).toEqual(Array.from({ length: 8 }, (_, n) => `${n}\n`));
});

test('[swe-rex.errors] exceptions carry the classes that the client raises again', async () => {
  await using client = await opened();
  const raised = (path: string, body: object) => client.raised(path, body);
  const run = (body: object) => raised('run_in_session', body);
  expect(await run({ command: 'false', error_msg: 'why' })).toEqual([
    'swerex.exceptions.NonZeroExitCodeError',
    expect.stringMatching(/^why: Command 'false' failed with exit code 1/),
  ]);
  const syntax = await client.post('run_in_session', { command: '(a' });
  expect(syntax.json.swerexception).toMatchObject({
    class_path: 'swerex.exceptions.BashIncorrectSyntaxError',
    extra_info: { bash_stdout: '', bash_stderr: expect.stringContaining('syntax error') },
  });
  expect(JSON.stringify(syntax.json)).not.toContain(tmpdir());
  expect(await client.run('echo still')).toMatchObject({ output: 'still\n' });
  const missing = { session: 'none', command: 'ls' };
  expect((await run(missing))[0]).toBe('swerex.exceptions.SessionDoesNotExistError');
  expect((await raised('close_session', missing))[0]).toBe('swerex.exceptions.SessionDoesNotExistError');
  expect((await raised('create_session', {}))[0]).toBe('swerex.exceptions.SessionExistsError');
  expect((await run({ command: 'sleep 600', timeout: 0.1 }))[0]).toBe('swerex.exceptions.CommandTimeoutError');
  await client.ok('run_in_session', { action_type: 'bash_interrupt', timeout: 5 });
  expect(await client.run('echo again')).toMatchObject({ output: 'again\n' });
  expect((await run({ command: 'exit 3' }))[0]).toBe('swerex.exceptions.SessionNotInitializedError');
  await client.ok('create_session', { startup_timeout: 60 });
  expect(await client.run('echo new')).toMatchObject({ output: 'new\n' });
});

test('[swe-rex.records] a session that cannot be recorded is refused, and nothing is left of it', async () => {
  await using client = await RexClient.start();
  mkdirSync(join(client.app.directory, 'protocols/swe-rex/sessions.json.next'), { recursive: true });
  expect((await client.post('create_session')).status).toBe(503);
  expect((await client.raised('run_in_session', { command: 'ls' }))[0]).toContain('SessionDoesNotExistError');
  expect((await client.app.inject('/v2/pty/sessions')).json().data.stats.total_sessions).toBe(0);
});

test('[swe-rex.interactive] a program is driven line by line, with what is expected', async () => {
  await using client = await opened();
  const terms = { is_interactive_command: true, expect: ['>>> '], timeout: 60 };
  const begun = await client.run(
    'while printf ">>> "; read -r l; do [ "$l" = quit ] && break; echo "got $l"; done',
    terms,
  );
  expect(begun.expect_string).toBe('>>> ');
  expect(await client.run('one two', terms)).toMatchObject({ output: 'got one two', exit_code: 0 });
  const quit = await client.run('quit', { is_interactive_quit: true, timeout: 60 });
  expect(quit.expect_string).toBe('SHELLPS1PREFIX');
  expect(await client.run('echo normal')).toMatchObject({ output: 'normal\n' });
  const late = { command: 'cat', is_interactive_command: true, expect: ['WONTHIT'], timeout: 0.1 };
  expect((await client.raised('run_in_session', late))[0]).toBe('swerex.exceptions.CommandTimeoutError');
  await client.ok('run_in_session', { action_type: 'bash_interrupt', timeout: 5 });
  const wrong = { command: 'echo x', expect: ['('], timeout: 5 };
  expect((await client.raised('run_in_session', wrong))[0]).toBe('builtins.ValueError');
});

test('[swe-rex.interactive] a pattern that takes too long harms no other call', async () => {
  await using client = await opened();
  const slow = { command: `printf '%s' ${'a'.repeat(40)}; sleep 5`, expect: ['(a+)+$b'], timeout: 5 };
  expect((await client.raised('run_in_session', slow))[1]).toContain('takes over');
  expect((await fetch(`${client.url}/is_alive`)).status).toBe(200);
});

test('[swe-rex.sessions] a close ends what runs in the session, and a startup file is sourced', async () => {
  await using place = await tempDir();
  writeFileSync(join(place.path, 'start'), 'STARTED=yes; PS1=other; echo begun');
  await using client = await RexClient.start();
  const created = await client.ok('create_session', {
    startup_source: [join(place.path, 'start')],
    startup_timeout: 60,
  });
  expect(created).toEqual({ output: 'begun\n', session_type: 'bash' });
  const pid = Number((await client.run('sleep 600 & echo $STARTED $!')).output.match(/yes (\d+)/)?.[1]);
  await client.ok('close_session', {});
  await expect.poll(() => alive(pid)).toBe(false);
  await client.ok('create_session', { startup_timeout: 60 });
  await client.ok('close');
  expect((await client.raised('run_in_session', { command: 'ls' }))[0]).toContain('SessionDoesNotExistError');
});

test.runIf(process.platform === 'linux')(
  '[swe-rex.restart] a session outlives the death of the daemon, with its variables',
  { timeout: 180_000 },
  async () => {
    await using place = await tempDir();
    const post = async (base: string, path: string, body: object) => {
      const answer = await fetch(`${base}/compat/swe-rex/${path}`, { method: 'POST', body: JSON.stringify(body) });
      return (await answer.json()) as Record<string, unknown>;
    };
    const first = await DaemonProcess.start(place.path);
    await post(first.base, 'create_session', { startup_timeout: 30 });
    await post(first.base, 'run_in_session', { command: 'A=kept' });
    await first.stop('SIGKILL');
    await using second = await DaemonProcess.start(place.path);
    expect(await post(second.base, 'run_in_session', { command: 'echo $A' })).toMatchObject({ output: 'kept\n' });
    await post(second.base, 'close', {});
  },
);
