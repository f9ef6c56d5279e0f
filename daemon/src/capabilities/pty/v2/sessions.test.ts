import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { describeOnHosts } from '../../../hosts.fixture.ts';
import { isAlive } from '../../commands/processes.fixture.ts';
import { BARE, create, exec, info, input, screen, TestViewer } from '../pty.fixture.ts';

describeOnHosts('sessions', () => {
  test('[pty.create] [pty.record] a session is created, listed, inspected and closed', async () => {
    await using daemon = await TestApp.start();
    expect(await create(daemon, 'a', { ...BARE, cwd: '/tmp' })).toEqual({ session_id: 'a', working_dir: '/tmp' });
    await screen(daemon, 'a', (output) => output.startsWith('$'));
    const record = await info(daemon, 'a');
    expect(await isAlive(record.pid)).toBe(true);
    expect(record).toMatchObject({ session_id: 'a', working_dir: '/tmp', cols: 80, rows: 24, status: 'idle' });
    expect(record).toMatchObject({ attached: 0, exit_code: null, pid: expect.any(Number), first_offset: 0 });
    expect(record.offset).toBeGreaterThan(0);
    const { sessions, stats } = (await daemon.inject('/v2/pty/sessions')).json().data;
    expect(Object.keys(sessions)).toEqual(['a']);
    expect(stats).toEqual({
      total_sessions: 1,
      active_sessions: 0,
      idle_sessions: 1,
      max_sessions: 20,
      session_timeout: 3600,
      usage_ratio: 0.05,
    });
    expect((await daemon.inject({ method: 'DELETE', url: '/v2/pty/sessions/a' })).statusCode).toBe(200);
    expect((await daemon.inject('/v2/pty/sessions/a')).statusCode).toBe(404);
    expect(existsSync(`/proc/${record.pid}`)).toBe(false);
  });

  test('a screen waits for a fraction of a millisecond too', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a', BARE);
    const answer = await daemon.inject('/v2/pty/sessions/a/screen?wait=0.0002416');
    expect([answer.statusCode, answer.json().success]).toEqual([200, true]);
  });

  test('[pty.login-shell] without a command a session runs the login shell of the account, interactive', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a', {});
    const { output, exit_code } = await exec(daemon, 'a', 'case $- in *i*) echo "$0 interactive";; esac; tty');
    expect(output).toMatch(/sh interactive\n\/dev\/pts\/\d+\n$/);
    expect(exit_code).toBe(0);
  });

  test('[pty.resize] a resize reaches the program and the screen', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    const answer = await daemon.inject({
      method: 'PATCH',
      url: '/v2/pty/sessions/a',
      payload: { cols: 100, rows: 30 },
    });
    expect(answer.json().data).toMatchObject({ cols: 100, rows: 30 });
    expect((await exec(daemon, 'a', 'stty size')).output).toBe('30 100\n');
    expect(await screen(daemon, 'a', () => true)).toMatchObject({ cols: 100, rows: 30 });
  });

  test.each([
    ['/v2/pty/sessions', { cols: 0 }, ['body', 'cols']],
    ['/v2/pty/sessions', { rows: 100_000 }, ['body', 'rows']],
    ['/v2/pty/sessions', { cols: 'wide' }, ['body', 'cols']],
    ['/v2/pty/sessions', { retention: 'eternal' }, ['body', 'retention']],
    ['/v2/pty/sessions', { env: { 'A=B': 'x' } }, ['body', 'env', 'A=B']],
    ['/v2/pty/sessions/a/exec', {}, ['body', 'command']],
    ['/v2/pty/sessions/a/exec', { command: 'a\0b' }, ['body', 'command']],
    ['/v2/pty/sessions/a/signal', { signal: 'SIGNONE' }, ['body', 'signal']],
    ['/v2/pty/sessions/a/input', {}, ['body', 'input']],
  ])('[pty.bad-input] %s %j names the field', async (url, body, location) => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    const answer = await daemon.post(url, body);
    expect([answer.statusCode, answer.json().errors[0].location]).toEqual([422, location]);
  });

  test('invalid terms of a session are refused with a message', async () => {
    await using daemon = await TestApp.start();
    const refused = async (body: object) => {
      const answer = await daemon.post('/v2/pty/sessions', body);
      return [answer.statusCode, answer.json().message];
    };
    expect(await refused({ cwd: '/no/such' })).toEqual([400, 'cwd does not exist: /no/such']);
    expect(await refused({ cwd: '~no-such-account' })).toEqual([400, 'no account has the name of ~no-such-account']);
    expect(await refused({ user: 'nobody-at-all' })).toEqual([400, 'user does not exist: nobody-at-all']);
    expect(await refused({ command: 'no-such-program' })).toEqual([400, 'program not found: no-such-program']);
    await create(daemon, 'a');
    expect((await refused({ id: 'a' }))[0]).toBe(409);
    expect((await daemon.inject('/v2/pty/sessions')).json().data.stats.total_sessions).toBe(1);
  });

  test('[pty.signal] a signal reaches the foreground group, and the session continues', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    const running = exec(daemon, 'a', "bash -c 'echo begun; exec sleep 1000'");
    await screen(daemon, 'a', (output) => /^begun/m.test(output));
    const answer = await daemon.post('/v2/pty/sessions/a/signal');
    expect(answer.json().data).toEqual({ session_id: 'a', signal: 'SIGINT', delivered: true });
    expect(await running).toMatchObject({ status: 'terminated', exit_code: 130 });
    expect(await exec(daemon, 'a', 'echo still')).toMatchObject({ status: 'completed', output: 'still\n' });
  });

  test('[pty.ends] a session ends when its shell exits, and its history stays', async () => {
    await using daemon = await TestApp.start();
    await create(daemon, 'a');
    await screen(daemon, 'a', (output) => output.startsWith('$'));
    await input(daemon, 'a', 'exit 5\r');
    await expect.poll(() => info(daemon, 'a')).toMatchObject({ status: 'exited', exit_code: 5, pid: null });
    expect((await screen(daemon, 'a', () => true)).output).toContain('exit 5');
    expect((await daemon.post('/v2/pty/sessions/a/exec', { command: 'true' })).statusCode).toBe(409);
    expect((await daemon.post('/v2/pty/sessions/a/input', { input: 'x' })).statusCode).toBe(409);
    expect(await create(daemon, 'a')).toMatchObject({ session_id: 'a' });
    expect(await exec(daemon, 'a', 'echo new')).toMatchObject({ output: 'new\n' });
  });

  test('[pty.capacity] [config.terminals] the longest idle unnamed session gives way; named, busy and viewed sessions do not', async () => {
    await using daemon = await TestApp.start({ shellMaxSessions: 3 });
    const base = await daemon.listen();
    const unnamed = async () => (await daemon.post('/v2/pty/sessions', BARE)).json().data.session_id;
    await create(daemon, 'named');
    const [first, second] = [await unnamed(), await unnamed()];
    const status = async (id: string) => (await daemon.inject('/v2/pty/sessions')).json().data.sessions[id].status;
    for (const id of [first, second]) await expect.poll(() => status(id)).toBe('idle');
    await using viewer = new TestViewer(`${base.replace('http', 'ws')}/v2/pty/sessions/${first}/ws`);
    await viewer.message('ready');
    const third = await unnamed();
    expect((await daemon.inject(`/v2/pty/sessions/${second}`)).statusCode).toBe(404);
    await exec(daemon, third, 'sleep 1000', { async: true });
    const full = await daemon.post('/v2/pty/sessions', BARE);
    expect([full.statusCode, full.headers['retry-after']]).toEqual([429, '1']);
    const holders = full.json().data.holders.map((holder: { session_id: string }) => holder.session_id);
    expect(holders.sort()).toEqual(['named', first, third].sort());
  });

  test('[stop.ends-terminals] a daemon that is stopped ends its terminals', async () => {
    const daemon = await TestApp.start();
    await create(daemon, 'a');
    const { pid } = await info(daemon, 'a');
    expect(await isAlive(pid)).toBe(true);
    await daemon[Symbol.asyncDispose]();
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });
});
