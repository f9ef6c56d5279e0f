import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { findTool } from '../../core/tool-path.ts';
import { describeOnHosts } from '../../hosts.fixture.ts';
import { BARE, create, exec, info, input, screen } from './pty.fixture.ts';

const SHELLS: readonly (readonly [string, object])[] = [
  ['bash', BARE],
  ['zsh', { command: 'zsh', args: ['-f'] }],
  ['sh', { command: 'sh', env: { PS1: '$ ' } }],
];

describeOnHosts('exec', () => {
  for (const [name, shell] of SHELLS) {
    const there = findTool(name) !== undefined;
    if (!there) process.stderr.write(`not tested: exec in ${name}, which is not installed\n`);
    test.runIf(there)(
      `[pty.exec] [pty.exec-survives] ${name}: what commands do to their shell is survived`,
      async () => {
        await using daemon = await TestApp.start();
        await create(daemon, 'a', { ...shell, cwd: '/tmp' });
        const run = async (command: string) => {
          const { status, output, exit_code } = await exec(daemon, 'a', command);
          return [status, output, exit_code];
        };
        expect(await run('echo out; echo err >&2')).toEqual(['completed', 'out\nerr\n', 0]);
        expect(await run('cd /usr && export A=1; (exit 3)')).toEqual(['completed', '', 3]);
        expect(await run('echo "$A $PWD"')).toEqual(['completed', '1 /usr\n', 0]);
        expect((await info(daemon, 'a')).working_dir).toBe('/usr');
        expect(await run("cat <<'END'\nfrom a $heredoc\nEND\nprintf 'no line end'")).toEqual([
          'completed',
          'from a $heredoc\nno line end',
          0,
        ]);
        expect(await run(`PS1='changed> '; PROMPT_COMMAND=${name === 'zsh' ? '; precmd_functions=()' : ''}`)).toEqual([
          'completed',
          '',
          0,
        ]);
        expect(await run('echo after')).toEqual(['completed', 'after\n', 0]);
        expect((await run('if'))[2]).not.toBe(0);
        expect(await run('echo "quotes \' and \\"" $((1+1))')).toEqual(['completed', `quotes ' and " 2\n`, 0]);
        expect(await run('exec 4>&1 > /dev/null; echo gone')).toEqual(['completed', '', 0]);
        expect(await run('exec >&4; echo back')).toEqual(['completed', 'back\n', 0]);
        expect(await run(`printf '\\033]133;D;9;svc=0123456789abcdef;/x\\007'; echo real`)).toEqual([
          'completed',
          'real\n',
          0,
        ]);
        expect(await run('exit 7')).toEqual(['completed', expect.any(String), 7]);
        expect(await run('echo "[$A] $PWD"')).toEqual(['completed', '[] /tmp\n', 0]);
        expect(await run('set -e; false; echo not reached')).toEqual(['completed', expect.any(String), 1]);
        expect(await run('exec echo replaced')).toEqual(['completed', 'replaced\n', 0]);
        expect(await run('kill -9 $$')).toEqual(['terminated', '', -1]);
        expect(await run('echo alive')).toEqual(['completed', 'alive\n', 0]);
      },
    );

    test.runIf(there)(`[pty.exec-invisible] ${name}: the screen shows prompt, command and output alone`, async () => {
      await using daemon = await TestApp.start();
      await create(daemon, 'a', { ...shell, cols: 60 });
      await exec(daemon, 'a', 'echo one');
      const { console } = await exec(daemon, 'a', 'echo two');
      const { output } = await screen(daemon, 'a', (text) => /\ntwo\n.+/.test(text.trimEnd()));
      const ps1 = console[0].ps1;
      expect(ps1).toMatch(/[$#%] $/);
      expect(output.trimEnd().split('\n')).toEqual([`${ps1}echo one`, 'one', `${ps1}echo two`, 'two', ps1.trimEnd()]);
    });
  }

  test('a command that reads the terminal gets what is typed', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    const running = exec(daemon, 'a', 'read -r -p "name? " line; echo "got $line"');
    await screen(daemon, 'a', (output) => output.includes('name? '));
    expect((await info(daemon, 'a')).status).toBe('active');
    await input(daemon, 'a', 'me\r');
    expect((await running).output).toBe('name? me\ngot me\n');
  });

  test('[pty.exec-serial] 32 callers of one session get each their own output', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    const calls = Array.from({ length: 32 }, (_, i) => exec(daemon, 'a', `for n in 1 2 3; do echo "$n of ${i}"; done`));
    const outputs = (await Promise.all(calls)).map(({ output }) => output);
    expect(outputs).toEqual(outputs.map((_, i) => `1 of ${i}\n2 of ${i}\n3 of ${i}\n`));
  });

  test('[pty.exec-async] [pty.exec-timeout] [pty.exec-no-change] a call may leave a command to itself', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    expect(await exec(daemon, 'a', 'read x; echo $x', { async: true })).toMatchObject({
      status: 'running',
      exit_code: null,
    });
    const blocked = await daemon.post('/v2/pty/sessions/a/exec', { command: 'true', timeout: 0.1 });
    expect([blocked.statusCode, blocked.json().data.command]).toEqual([409, 'read x; echo $x']);
    await input(daemon, 'a', 'done\r');
    expect((await exec(daemon, 'a', 'echo next')).output).toBe('next\n');
    const silent = await exec(daemon, 'a', 'echo first; read y', { no_change_timeout: 0.3 });
    expect(silent).toMatchObject({ status: 'no_change_timeout', output: 'first\n', exit_code: null });
    await input(daemon, 'a', '\r');
    expect(await exec(daemon, 'a', 'echo waited; sleep 1000', { timeout: 0.3 })).toMatchObject({ status: 'running' });
    await daemon.post('/v2/pty/sessions/a/signal', { signal: 'KILL' });
    expect((await exec(daemon, 'a', 'echo free')).output).toBe('free\n');
  });

  test.each([
    ['a program', 'sleep 1000', 143],
    ['a program that ignores SIGTERM', 'bash -c "trap \'\' TERM; while :; do sleep 0.1; done"', 137],
    ['a loop of the shell', 'while :; do :; done', 130],
  ])('[pty.exec-hard-timeout] %s is ended by the hard timeout', async (_, command, code) => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    expect(await exec(daemon, 'a', command, { hard_timeout: 0.2 })).toMatchObject({
      status: 'hard_timeout',
      exit_code: code,
    });
    expect(await exec(daemon, 'a', 'echo free')).toMatchObject({ output: 'free\n' });
  });

  test('[pty.exec-fallback] where a program owns the terminal it is typed to', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    await screen(daemon, 'a', (output) => output.startsWith('$'));
    await input(daemon, 'a', 'cat\r');
    await screen(daemon, 'a', (output) => /^\$ cat$/m.test(output));
    await expect.poll(() => info(daemon, 'a')).toMatchObject({ status: 'active' });
    const typed = await exec(daemon, 'a', 'hello cat', { no_change_timeout: 0.5 });
    expect(typed).toMatchObject({ status: 'no_change_timeout', exit_code: null });
    expect(typed.output).toBe('hello cat\nhello cat\n');
    await daemon.post('/v2/pty/sessions/a/signal');
    await expect.poll(() => info(daemon, 'a')).toMatchObject({ status: 'idle' });
    expect((await exec(daemon, 'a', 'echo shell')).output).toBe('shell\n');
  });

  test('what somebody has begun to type is no part of a command', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    await screen(daemon, 'a', (output) => output.startsWith('$'));
    await input(daemon, 'a', 'rm -rf half-typed ');
    await screen(daemon, 'a', (output) => output.includes('half-typed'));
    expect(await exec(daemon, 'a', 'echo clean')).toMatchObject({ output: 'clean\n', exit_code: 0 });
  });

  test('a megabyte of output comes whole, and without its colours', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    const { output } = await exec(daemon, 'a', "seq 1 150000; printf '\\e[31mred\\e[0m\\n'");
    expect(output).toBe(`${Array.from({ length: 150_000 }, (_, i) => i + 1).join('\n')}\nred\n`);
  });
});
