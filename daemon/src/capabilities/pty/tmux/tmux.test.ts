import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
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

/** Clients of tmux that are ended while something is typed. */
const ROUNDS = 10;

/** A client of the server, once it has one; 0 if it has none when `isOver`. */
async function clientOf(server: number, isOver = () => false): Promise<number> {
  const socket = /svc-[0-9a-f]+/.exec(readFileSync(`/proc/${server}/cmdline`, 'latin1'))?.[0] ?? '';
  let pid = 0;
  const list = ['-L', socket, 'list-clients', '-F', '#{client_pid}'];
  await expect
    .poll(() => {
      pid = Number(spawnSync('tmux', list, { encoding: 'utf8' }).stdout.trim());
      return pid > 0 || isOver();
    })
    .toBe(true);
  return pid;
}

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

  test.runIf(there)('[pty.tmux] a program that has asked for focus events ends alone', async () => {
    const [directory, shared] = [await mkdtemp(join(tmpdir(), 'sandboxd-tmux-')), await sharedDirectory()];
    const go = join(shared, 'go');
    const env = { SVC_SHELL_BACKEND: 'tmux', SVC_PROCESS_HOST: processHost };
    const first = await DaemonProcess.start(directory, env);
    const execIn = (daemon: DaemonProcess, id: string, body: object) =>
      daemon.data(`/v2/pty/sessions/${id}/exec`, body);
    for (const id of ['a', 'b', 'c']) await first.data('/v2/pty/sessions', { ...BARE, id });
    await execIn(first, 'a', { command: "printf '\\e[?1004h'" });
    await first.data('/v2/pty/sessions/a/input', { input: 'exit 3\r' });
    await expect.poll(() => first.data('/v2/pty/sessions/a')).toMatchObject({ status: 'exited', exit_code: 3 });
    expect(await execIn(first, 'c', { command: 'A=kept; echo "$A"' })).toMatchObject({ output: 'kept\n' });
    const { pid } = await first.data('/v2/pty/sessions/b');
    const input = `until [ -e ${go} ]; do sleep 0.05; done; printf '\\e[?1004h'; echo mean''while; exit 4\r`;
    await first.data('/v2/pty/sessions/b/input', { input });
    await first.stop('SIGKILL');
    await writeFile(go, '');
    await expect.poll(() => alive(pid)).toBe(false);
    await using second = await DaemonProcess.start(directory, env);
    await expect.poll(() => second.data('/v2/pty/sessions/b')).toMatchObject({ status: 'exited', exit_code: 4 });
    const { output } = await second.data('/v2/pty/sessions/b/screen');
    expect(output).toMatch(/\nmeanwhile\nexit\n/);
    expect(output).not.toContain('dead');
    expect(await execIn(second, 'c', { command: 'echo "$A"' })).toMatchObject({ output: 'kept\n' });
    await second.stop('SIGTERM');
    await Promise.all([directory, shared].map((path) => rm(path, { recursive: true })));
  });

  test.runIf(there)('[run.exec-limits] variables and arguments may be as long as the kernel takes them', async () => {
    await using daemon = await TestApp.start({ shellBackend: 'tmux', processHost });
    const env = { ...BARE.env, LONG: "it's ;".repeat(20_000), NEXT: 'y'.repeat(50_000) };
    await create(daemon, 'a', { ...BARE, env });
    expect(await exec(daemon, 'a', 'printf %s "$LONG$NEXT" | wc -c')).toMatchObject({ output: '170000\n' });
    const script = `: ${'z'.repeat(100_000)}; echo ran; sleep 1000`;
    await create(daemon, 'b', { command: 'bash', args: ['-c', script] });
    await screen(daemon, 'b', (output) => output.startsWith('ran\n'));
    for (const more of [{ env: { LONG: 'x'.repeat(200_000) } }, { command: 'sh', args: ['-c', 'x'.repeat(200_000)] }])
      expect((await daemon.post('/v2/pty/sessions', more)).statusCode).toBe(422);
  });

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

  test.runIf(there)('what was typed when the client of tmux was ended is executed once', async () => {
    await using daemon = await TestApp.start({ shellBackend: 'tmux', processHost });
    await create(daemon, 'a', BARE);
    const typed = () => input(daemon, 'a', 'n=$((n + 1)); echo "count $n"\r');
    for (let round = 1; round <= ROUNDS; round++) {
      const { output } = await exec(daemon, 'a', `${CLIENTS}; echo $PPID`);
      const [client = 0, server = 0] = String(output).split('\n').map(Number);
      const isBefore = round % 2 === 0;
      process.kill(server, 'SIGSTOP');
      if (isBefore) await typed();
      process.kill(client, 'SIGKILL');
      const late = isBefore ? undefined : typed();
      process.kill(server, 'SIGCONT');
      await late;
      await screen(daemon, 'a', (text) => text.includes(`\ncount ${round}\n`));
    }
    expect((await exec(daemon, 'a', 'echo $n')).output).toBe(`${ROUNDS}\n`);
  });

  test.runIf(there)('[pty.tmux] a long input is whole although clients of tmux are ended meanwhile', async () => {
    const directory = await sharedDirectory();
    await using daemon = await TestApp.start({ shellBackend: 'tmux', processHost });
    await create(daemon, 'a', BARE);
    const { output } = await exec(daemon, 'a', `echo $PPID; ${CLIENTS}`);
    const [server = 0, ...clients] = String(output).trim().split('\n').map(Number);
    await input(daemon, 'a', `stty -echo; cat > ${directory}/typed; echo done\r`);
    await expect.poll(() => existsSync(join(directory, 'typed'))).toBe(true);
    const text = Array.from({ length: 3000 }, (_, n) => `line ${n} of a long input\n`).join('');
    const typed = input(daemon, 'a', text);
    const killing = (async () => {
      for (let kills = 0; kills < 3; kills++) {
        // After the last line has been executed, no further client starts.
        const isOver = () => statSync(join(directory, 'typed')).size === text.length;
        const pid = clients.pop() ?? (await clientOf(server, isOver));
        if (pid === 0) return;
        process.kill(pid, 'SIGKILL');
        await expect.poll(() => alive(pid)).toBe(false);
      }
    })();
    await Promise.all([typed, killing]);
    await input(daemon, 'a', '\x04');
    await screen(daemon, 'a', (shown) => shown.includes('\ndone\n'));
    expect(readFileSync(join(directory, 'typed'), 'latin1')).toBe(text);
    await rm(directory, { recursive: true });
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
