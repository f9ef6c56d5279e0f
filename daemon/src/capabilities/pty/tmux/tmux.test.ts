import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { alive } from '../../../../../scripts/testing/alive.ts';
import { TestApp } from '../../../app.fixture.ts';
import { findTool } from '../../../core/tool-path.ts';
import { DaemonProcess } from '../../../daemon-process.fixture.ts';
import { describeOnHosts } from '../../../hosts.fixture.ts';
import { BARE, create, exec, info, input, screen, sharedDirectory, TestViewer } from '../pty.fixture.ts';

/** Lists the pids of the clients of the server that holds the shell which runs it. */
const CLIENTS = `tmux -L "$(tr '\\0' '\\n' < /proc/$PPID/cmdline | grep ^svc-)" list-clients -F '#{client_pid}'`;

const there = findTool('tmux') !== undefined;
if (!there) process.stderr.write('not tested: terminals held by tmux, which is not installed\n');

describeOnHosts('tmux', ({ processHost }) => {
  test.runIf(there)('[pty.tmux] the first sessions of a server may be opened at the same time', async () => {
    await using daemon = await TestApp.start({ shellBackend: 'tmux' });
    const ids = Array.from({ length: 8 }, (_, i) => `s${i}`);
    await Promise.all(ids.map((id) => create(daemon, id)));
    const outputs = await Promise.all(ids.map(async (id) => (await exec(daemon, id, `echo ${id}`)).output));
    expect(outputs).toEqual(ids.map((id) => `${id}\n`));
  });

  test.runIf(there)(
    '[pty.tmux] [config.shell-backend] a session is a tmux session and behaves as a native one',
    async () => {
      await using daemon = await TestApp.start({ shellBackend: 'tmux' });
      const ws = (await daemon.listen()).replace('http', 'ws');
      await create(daemon, 'a', { ...BARE, cols: 90, cwd: '/tmp' });
      expect(await exec(daemon, 'a', 'echo "$TERM; $PWD;"; stty size')).toMatchObject({
        output: 'xterm-256color; /tmp;\n24 90\n',
        exit_code: 0,
      });
      await using viewer = new TestViewer(`${ws}/v2/pty/sessions/a/ws`);
      expect(await viewer.message('ready')).toMatchObject({ backend: 'tmux' });
      viewer.send({ type: 'resize', cols: 100, rows: 30 });
      await expect.poll(async () => (await exec(daemon, 'a', 'stty size')).output).toBe('30 100\n');
      expect(await exec(daemon, 'a', 'exit 7')).toMatchObject({ status: 'completed', exit_code: 7 });
      expect(await exec(daemon, 'a', "printf 'ü日本 %s' {a..c}")).toMatchObject({ output: 'ü日本 aü日本 bü日本 c' });
      await screen(daemon, 'a', (output) => output.trimEnd().endsWith('$'));
      await input(daemon, 'a', 'kill -9 $$\r');
      await expect.poll(() => info(daemon, 'a')).toMatchObject({ status: 'exited', exit_code: -1 });
      expect((await viewer.message('exit')).signal).toBe('SIGKILL');
    },
  );

  test.runIf(there)(
    'input reaches the terminal after a program of the account has ended the client of tmux',
    async () => {
      await using daemon = await TestApp.start({ shellBackend: 'tmux', processHost });
      await create(daemon, 'a', BARE);
      const { output } = await exec(daemon, 'a', `kill -KILL $(${CLIENTS} | tee /dev/tty); echo`);
      const pid = Number(output);
      expect(pid).toBeGreaterThan(0);
      await expect.poll(() => alive(pid)).toBe(false);
      expect(await exec(daemon, 'a', 'echo typed')).toMatchObject({ status: 'completed', output: 'typed\n' });
    },
  );

  test.runIf(there)('a size that the client of tmux has not passed on when it was ended takes effect', async () => {
    await using daemon = await TestApp.start({ shellBackend: 'tmux', processHost });
    await create(daemon, 'a', BARE);
    const { output } = await exec(daemon, 'a', `${CLIENTS}; echo $PPID`);
    const [client = 0, server = 0] = String(output).split('\n').map(Number);
    process.kill(server, 'SIGSTOP');
    const size = { cols: 100, rows: 30 };
    expect((await daemon.inject({ method: 'PATCH', url: '/v2/pty/sessions/a', payload: size })).statusCode).toBe(200);
    process.kill(client, 'SIGKILL');
    process.kill(server, 'SIGCONT');
    await expect.poll(() => alive(client)).toBe(false);
    await expect.poll(async () => (await exec(daemon, 'a', 'stty size')).output).toBe('30 100\n');
  });

  test.runIf(there)('[pty.tmux-survives] a tmux session survives SIGKILL of the daemon on either host', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sandboxd-tmux-'));
    const shared = await sharedDirectory();
    const [go, done] = [join(shared, 'go'), join(shared, 'done')];
    const env = { SVC_SHELL_BACKEND: 'tmux', SVC_PROCESS_HOST: processHost };
    const first = await DaemonProcess.start(directory, env);
    await first.data('/v2/pty/sessions', { ...BARE, id: 'a' });
    const screenOf = (daemon: DaemonProcess) => daemon.data('/v2/pty/sessions/a/screen');
    await expect.poll(() => screenOf(first)).toMatchObject({ output: expect.stringMatching(/^\$/) });
    await first.data('/v2/pty/sessions/a/exec', { command: 'echo early; A=kept' });
    const before = await first.data('/v2/pty/sessions/a');
    await expect.poll(() => screenOf(first)).toMatchObject({ output: expect.stringMatching(/\nearly\n\$/) });
    const away = `echo begun; until [ -e ${go} ]; do sleep 0.05; done; printf '\\e[31mmean%s\\e[0m\\n' while; : > ${done}`;
    await first.data('/v2/pty/sessions/a/exec', { command: away, async: true });
    await expect.poll(() => screenOf(first)).toMatchObject({ output: expect.stringMatching(/\nbegun\n/) });
    await first.stop('SIGKILL');
    await writeFile(go, '');
    await expect.poll(() => existsSync(done)).toBe(true);
    await using second = await DaemonProcess.start(directory, env);
    expect(second.startLog.filter((line) => line.includes('lost'))).toEqual([]);
    expect(await second.data('/v2/pty/sessions/a')).toMatchObject({ pid: before.pid });
    expect(await second.data('/v2/pty/sessions/a/exec', { command: 'echo "$A"' })).toMatchObject({ output: 'kept\n' });
    const all = /^\$ echo early; A=kept\nearly\n[\s\S]*\nmeanwhile\n\$ echo "\$A"\nkept\n\$/;
    await expect.poll(() => screenOf(second)).toMatchObject({ output: expect.stringMatching(all) });
    const { output, cursor } = await screenOf(second);
    expect(cursor.y).toBe(output.trimEnd().split('\n').length - 1);
    const { output: coloured } = await second.data('/v2/pty/sessions/a/screen?format=ansi');
    expect(coloured).toContain('\x1b[31mmeanwhile');
    await second.stop('SIGTERM');
    await Promise.all([directory, shared].map((path) => rm(path, { recursive: true })));
  });
});
