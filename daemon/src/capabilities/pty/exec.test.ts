import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withGrowingTime } from '../../../../scripts/testing/rounds.ts';
import { TestApp } from '../../app.fixture.ts';
import { findTool } from '../../core/tool-path.ts';
import { describeOnHosts } from '../../hosts.fixture.ts';
import { afterSilence, BARE, create, exec, info, input, screen, sharedDirectory } from './pty.fixture.ts';

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
      `[pty.exec] [pty.exec-survives] ${name}: exec survives what commands do to their shell`,
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
        // A shell answers a syntax error with 1 or 2.
        expect(await run('if')).toEqual(['completed', expect.any(String), expect.toBeOneOf([1, 2])]);
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

    test.runIf(there)(`[pty.exec-invisible] ${name}: the screen shows only prompt, command and output`, async () => {
      await using daemon = await TestApp.start();
      await create(daemon, 'a', { ...shell, cols: 60 });
      await screen(daemon, 'a', (text) => /^(\$|\S+[#%])$/.test(text.trim()));
      await exec(daemon, 'a', 'echo one');
      await screen(daemon, 'a', (text) => /\none\n.*[$#%]$/.test(text.trimEnd()));
      const { console } = await exec(daemon, 'a', 'echo two');
      const { output } = await screen(daemon, 'a', (text) => /\ntwo\n.+/.test(text.trimEnd()));
      const ps1 = console[0].ps1;
      expect(ps1).toMatch(/[$#%] $/);
      expect(output.trimEnd().split('\n')).toEqual([`${ps1}echo one`, 'one', `${ps1}echo two`, 'two', ps1.trimEnd()]);
    });
  }

  test('a command that reads the terminal receives typed input', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    const running = exec(daemon, 'a', 'read -r -p "name? " line; echo "got $line"');
    await screen(daemon, 'a', (output) => /^name\?/m.test(output));
    expect((await info(daemon, 'a')).status).toBe('active');
    await input(daemon, 'a', 'me\r');
    expect((await running).output).toBe('name? me\ngot me\n');
  });

  test('[pty.exec-serial] 32 concurrent calls of one session each receive their own output', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    const calls = Array.from({ length: 32 }, (_, i) => exec(daemon, 'a', `for n in 1 2 3; do echo "$n of ${i}"; done`));
    const outputs = (await Promise.all(calls)).map(({ output }) => output);
    expect(outputs).toEqual(outputs.map((_, i) => `1 of ${i}\n2 of ${i}\n3 of ${i}\n`));
  });

  test('[pty.exec-async] [pty.exec-timeout] [pty.exec-no-change] a call may be answered before its command ends', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    const command = 'echo begun; read x; echo $x';
    expect(await exec(daemon, 'a', command, { async: true })).toMatchObject({ status: 'running', exit_code: null });
    await screen(daemon, 'a', (output) => /^begun$/m.test(output));
    const blocked = await daemon.post('/v2/pty/sessions/a/exec', { command: 'true', timeout: 0.1 });
    expect([blocked.statusCode, blocked.json().data.command]).toEqual([409, command]);
    await input(daemon, 'a', 'done\r');
    expect((await exec(daemon, 'a', 'echo next')).output).toBe('next\n');
    const silent = await afterSilence('first\n', async (id, no_change_timeout) => {
      await create(daemon, id);
      return exec(daemon, id, 'echo first; read y', { no_change_timeout });
    });
    expect(silent).toMatchObject({ status: 'no_change_timeout', output: 'first\n', exit_code: null });
    const waited = "bash -c 'echo waited; exec sleep 1000'";
    expect(await exec(daemon, 'a', waited, { timeout: 0.3 })).toMatchObject({ status: 'running' });
    await screen(daemon, 'a', (output) => /^waited$/m.test(output));
    await daemon.post('/v2/pty/sessions/a/signal', { signal: 'KILL' });
    expect((await exec(daemon, 'a', 'echo free')).output).toBe('free\n');
  });

  test.concurrent.each([
    ['a program', "bash -c ': > BEGUN; exec sleep 1000'", 130, 0],
    [
      'a program that ignores signals',
      'bash -c "trap \'\' INT TERM; : > BEGUN; while :; do sleep 0.1; done"',
      137,
      2000,
    ],
    ['a loop of the shell', ': > BEGUN; while :; do :; done', 130, 0],
  ])('[pty.exec-hard-timeout] the hard timeout ends %s', async (_name, command, code, graceMs) => {
    const directory = await sharedDirectory();
    await using daemon = await TestApp.start();
    // A command that has not begun by its hard timeout proves nothing; the next round has a longer one.
    const [seconds, took, ended] = await withGrowingTime(0.2, async (hard_timeout) => {
      const [id, begun] = [`timed-${hard_timeout}`, join(directory, `begun-${hard_timeout}`)];
      await create(daemon, id);
      const asked = performance.now();
      const answer = await exec(daemon, id, command.replace('BEGUN', begun), { hard_timeout });
      const answered = performance.now();
      expect(answer.status).toBe('hard_timeout');
      expect(await exec(daemon, id, 'echo free')).toMatchObject({ output: 'free\n' });
      return existsSync(begun) ? ([hard_timeout, answered - asked, answer] as const) : undefined;
    });
    expect(ended.exit_code).toBe(code);
    expect(took).toBeGreaterThanOrEqual(seconds * 1000 + graceMs);
    await rm(directory, { recursive: true });
  });

  test('a hard timeout longer than the longest timer of Node does not end the command', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    const month = { hard_timeout: 31 * 86_400, timeout: 60 * 86_400 };
    expect(await exec(daemon, 'a', 'sleep 0.2; echo on', month)).toMatchObject({ status: 'completed', output: 'on\n' });
    await exec(daemon, 'a', 'echo begun; read -r x; echo "got $x"', { hard_timeout: 31 * 86_400, async: true });
    await screen(daemon, 'a', (output) => /^begun$/m.test(output));
    await input(daemon, 'a', 'it\r');
    await screen(daemon, 'a', (output) => /^got it$/m.test(output));
  });

  test('[pty.exec-fallback] if a program owns the terminal the command is typed to the program', async () => {
    await using daemon = await TestApp.start();
    let session = '';
    const typed = await afterSilence('hello cat\nhello cat\n', async (id, no_change_timeout) => {
      session = id;
      await create(daemon, id);
      await screen(daemon, id, (output) => output.startsWith('$'));
      await input(daemon, id, 'cat\r');
      await screen(daemon, id, (output) => /^\$ cat$/m.test(output));
      await expect.poll(() => info(daemon, id)).toMatchObject({ status: 'active' });
      return exec(daemon, id, 'hello cat', { no_change_timeout });
    });
    expect(typed).toMatchObject({ status: 'no_change_timeout', exit_code: null });
    await daemon.post(`/v2/pty/sessions/${session}/signal`);
    await expect.poll(() => info(daemon, session)).toMatchObject({ status: 'idle' });
    expect((await exec(daemon, session, 'echo shell')).output).toBe('shell\n');
  });

  test('a half-typed line does not become part of a command', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    await screen(daemon, 'a', (output) => output.startsWith('$'));
    await input(daemon, 'a', 'rm -rf half-typed ');
    await screen(daemon, 'a', (output) => output.includes('half-typed'));
    expect(await exec(daemon, 'a', 'echo clean')).toMatchObject({ output: 'clean\n', exit_code: 0 });
  });

  test('a megabyte of output is complete and has no escape sequences', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    const { output } = await exec(daemon, 'a', "seq 1 150000; printf '\\e[31mred\\e[0m\\n'");
    expect(output).toBe(`${Array.from({ length: 150_000 }, (_, i) => i + 1).join('\n')}\nred\n`);
  });
});
