import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { findTool } from '../../core/tool-path.ts';
import { BARE, create, describeOnBackends, exec, info, input, screen } from './pty.fixture.ts';

const SHELLS: readonly (readonly [string, object])[] = [
  ['bash', BARE],
  ['zsh', { command: 'zsh', args: ['-f'] }],
  ['sh', { command: 'sh', env: { PS1: '$ ' } }],
];

describeOnBackends('the state of the shell between calls', (config) => {
  for (const [name, shell] of SHELLS) {
    test.runIf(findTool(name) !== undefined)(`[pty.exec-status] ${name}: $? is that of the call before`, async () => {
      await using daemon = await TestApp.start(config);
      await create(daemon, 'a', { ...shell, cwd: '/tmp' });
      const run = async (command: string) => {
        const { output, exit_code } = await exec(daemon, 'a', command);
        return [output, exit_code];
      };
      expect(await run('echo $?')).toEqual(['0\n', 0]);
      expect(await run('(exit 7)')).toEqual(['', 7]);
      expect(await run('echo $?')).toEqual(['7\n', 0]);
      expect(await run('echo $?')).toEqual(['0\n', 0]);
      await run('(exit 9)');
      expect(await run('echo $?')).toEqual(['9\n', 0]);
      // The message of a syntax error shows the line of the caller, nothing before it.
      expect((await run('echo )'))[0]).not.toContain('__svc');
      await run('set -u; (exit 4)');
      expect(await run('echo $?')).toEqual(['4\n', 0]);
      await run('trap "echo end $?" EXIT; set -e; (exit 5) && true');
      expect(await run('echo still here')).toEqual(['still here\n', 0]);
    });

    test.runIf(findTool(name) !== undefined)(`[pty.exec-trace] ${name}: set -x shows the command alone`, async () => {
      await using daemon = await TestApp.start(config);
      await create(daemon, 'a', { ...shell, cwd: '/tmp' });
      const outputs: string[] = [];
      for (const command of ['set -x', 'echo one', '(exit 3)', 'echo "two $?"', 'cd /usr', 'echo three'])
        outputs.push((await exec(daemon, 'a', command)).output);
      const lines = outputs.join('').split('\n').filter(Boolean);
      expect(lines.filter((line) => !/^\+/.test(line))).toEqual(['one', 'two 3', 'three']);
      expect(lines.join('\n')).not.toMatch(/svc|printf|builtin|local|133/);
      expect(lines.filter((line) => /^\+.*echo/.test(line))).toHaveLength(3);
      expect((await exec(daemon, 'a', 'case $- in *x*) echo on ;; esac')).output).toContain('on\n');
      const shown = await screen(daemon, 'a', (output) => output.includes('on\n'));
      expect(JSON.stringify(shown)).not.toMatch(/svc|builtin|133/);
      await exec(daemon, 'a', 'set +x');
      expect((await exec(daemon, 'a', 'echo four')).output).toBe('four\n');
    });
  }

  test('[pty.exec-survives] a job in the background holds neither the end of its shell nor the next command', async () => {
    await using daemon = await TestApp.start(config);
    await create(daemon, 'a', { ...BARE, cwd: '/tmp' });
    const job = Number((await exec(daemon, 'a', 'sleep 1000 & echo $!')).output.trim().split('\n').at(-1));
    expect(await exec(daemon, 'a', 'exit 7')).toMatchObject({ status: 'completed', exit_code: 7 });
    expect(await exec(daemon, 'a', 'echo next')).toMatchObject({ output: 'next\n', exit_code: 0 });
    const last = Number((await exec(daemon, 'a', 'sleep 1000 & echo $!')).output.trim().split('\n').at(-1));
    await input(daemon, 'a', 'exit\n');
    await expect.poll(async () => (await info(daemon, 'a')).status).toBe('exited');
    for (const pid of [job, last]) process.kill(pid, 'SIGKILL');
  });
});
