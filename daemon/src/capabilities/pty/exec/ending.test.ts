import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { TestApp } from '../../../app.fixture.ts';
import { InExecve } from '../../../core/process/find/in-execve.fixture.ts';
import { describeOnHosts } from '../../../hosts.fixture.ts';
import { create, exec, info, input, screen, sharedDirectory } from '../pty.fixture.ts';

describeOnHosts('the end of a command', () => {
  test('[pty.end-rest] the rest of the line does not run, and the state of the shell stays', async () => {
    const directory = await sharedDirectory();
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    await exec(daemon, 'a', 'state=kept');
    const [begun, rest] = [join(directory, 'begun'), join(directory, 'rest')];
    await exec(daemon, 'a', `: > ${begun}; sleep 1000; : > ${rest}; sleep 1000`, { async: true });
    await expect.poll(() => existsSync(begun)).toBe(true);
    const killed = await daemon.post('/v1/shell/kill', { id: 'a' });
    expect(killed.json()).toMatchObject({ data: { status: 'terminated' }, message: 'command of session a terminated' });
    expect((await exec(daemon, 'a', 'echo "$state"')).output).toBe('kept\n');
    expect(existsSync(rest)).toBe(false);
    await rm(directory, { recursive: true });
  });

  test('[pty.end-rest] [pty.signal] another signal reaches the foreground program alone', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    const command = `bash -c 'trap "exit 3" USR1; echo begun; while :; do sleep 0.05; done'; echo "rest $?"`;
    const running = exec(daemon, 'a', command);
    await screen(daemon, 'a', (output) => /^begun$/m.test(output));
    await daemon.post('/v2/pty/sessions/a/signal', { signal: 'USR1' });
    expect(await running).toMatchObject({ status: 'completed', output: expect.stringMatching(/\nrest 3\n$/) });
  });

  test('[pty.end-lost] a shell that ignores interrupts is replaced where it was, and the answer says so', async () => {
    const directory = await sharedDirectory();
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    const command = `cd ${directory}; trap '' INT; : > begun; sleep 1000; : > rest`;
    await exec(daemon, 'a', command, { async: true });
    await expect.poll(() => existsSync(join(directory, 'begun'))).toBe(true);
    const { pid } = await info(daemon, 'a');
    const answer = await daemon.post('/v2/pty/sessions/a/signal', { signal: 'TERM' });
    expect(answer.json().message).toBe(
      'SIGTERM sent; the shell did not survive, another one continues without its state',
    );
    expect((await exec(daemon, 'a', 'pwd')).output).toBe(`${directory}\n`);
    expect((await info(daemon, 'a')).pid).not.toBe(pid);
    expect(existsSync(join(directory, 'rest'))).toBe(false);
    await rm(directory, { recursive: true });
  });

  test('[pty.end-rest] SIGKILL during the end of a command cuts its grace', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    await exec(daemon, 'a', `bash -c 'trap "" INT TERM; echo begun; while :; do sleep 1000; done'`, { async: true });
    await screen(daemon, 'a', (output) => /^begun$/m.test(output));
    const ends = ['TERM', 'KILL'].map((signal) => daemon.post('/v2/pty/sessions/a/signal', { signal }));
    expect((await Promise.all(ends)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect((await exec(daemon, 'a', 'echo free')).output).toBe('free\n');
  });

  test.each(['bash --norc', 'zsh -f', 'sh'])(
    '[pty.end-rest] %s: what was typed at a program in raw mode is no part of the next command',
    async (line) => {
      const [command = '', ...args] = line.split(' ');
      const directory = await sharedDirectory();
      await using daemon = await TestApp.start();
      await create(daemon, 'a', { command, args, env: { PS1: '$ ' } });
      const begun = join(directory, 'begun');
      await exec(daemon, 'a', `stty raw -echo; : > ${begun}; sleep 1000`, { async: true });
      await expect.poll(() => existsSync(begun)).toBe(true);
      await input(daemon, 'a', 'echo typed {');
      await daemon.post('/v2/pty/sessions/a/signal', { signal: 'TERM' });
      expect(await exec(daemon, 'a', 'echo next', { timeout: 30 })).toMatchObject({ output: 'next\n', exit_code: 0 });
      await rm(directory, { recursive: true });
    },
  );

  test.runIf(has('python3'))('[pty.end-rest] SIGKILL does not wait for looks that prove nothing', async () => {
    const directory = await sharedDirectory();
    await using daemon = await TestApp.start();
    const path = join(directory, 'interrupts');
    const interrupts = () => readFileSync(path, 'latin1').split('\n').filter(Boolean).map(Number);
    // Seconds between two interrupts of one shell: 1 or more, each time, if the second waits for the looks.
    const between = async (id: string): Promise<number> => {
      await create(daemon, id);
      await exec(daemon, id, `trap 'echo $EPOCHREALTIME >> ${path}' INT; : > ${path}; while :; do :; done`, {
        async: true,
      });
      await expect.poll(() => existsSync(path)).toBe(true);
      await using _process = await InExecve.start();
      const term = daemon.post(`/v2/pty/sessions/${id}/signal`, { signal: 'TERM' });
      await expect.poll(() => interrupts().length, { interval: 5 }).toBe(1);
      const kill = daemon.post(`/v2/pty/sessions/${id}/signal`, { signal: 'KILL' });
      await expect.poll(() => interrupts().length, { interval: 5 }).toBe(2);
      const [first = 0, second = 0] = interrupts();
      expect((await Promise.all([term, kill])).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
      await rm(path);
      return second - first;
    };
    // A busy machine is late by itself: the quickest of a few counts.
    let quickest = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 5 && quickest >= 0.9; round += 1) {
      quickest = Math.min(quickest, await between(`s${round}`));
    }
    expect(quickest).toBeLessThan(0.9);
    await rm(directory, { recursive: true });
  });
});
