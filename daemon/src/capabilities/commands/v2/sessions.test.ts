import { describe, expect, test } from 'vitest';
import { soonestOf } from '../../../../../scripts/testing/rounds.ts';
import { TestApp } from '../../../app.fixture.ts';
import { read } from '../output.fixture.ts';
import { isAlive } from '../processes.fixture.ts';
import { toldAt, UNYIELDING } from '../unyielding.fixture.ts';

describe('sessions', () => {
  test('[session.create] [session.fields] [cmd.session-defaults] a session carries cwd, env and user', async () => {
    await using daemon = await TestApp.start();
    const user = process.getuid?.() === 0 ? { user: 'games' } : {};
    const answer = await daemon.post('/v2/commands/sessions', {
      id: 'work',
      cwd: '/tmp',
      env: { A: '1', B: '2' },
      ...user,
    });
    expect(answer.json().data).toEqual({
      session_id: 'work',
      status: 'ready',
      working_dir: '/tmp',
      created_at: expect.stringMatching(/Z$/),
      last_used_at: expect.stringMatching(/Z$/),
      current_command: null,
      command_count: 0,
    });
    const { stdout, session_id } = await daemon.run('pwd; echo $A$B; id -un', { session: 'work' });
    expect(session_id).toBe('work');
    expect(stdout).toBe(`/tmp\n12\n${user.user ?? (await daemon.run('id -un')).stdout.trim()}\n`);
    const over = await daemon.run('pwd; echo $A$B', { session: 'work', cwd: '/', env: { A: '9' } });
    expect(over.stdout).toBe('/\n92\n');
  });

  test('[cmd.env-session-wide] [cmd.env-own] env is session-wide with a session, the call’s own without', async () => {
    await using daemon = await TestApp.start();
    await daemon.post('/v2/commands/sessions', { id: 's', env: { A: '1' } });
    await daemon.run('true', { session: 's', env: { B: '2' } });
    expect((await daemon.run('echo $A$B', { session: 's' })).stdout).toBe('12\n');
    await daemon.run('true', { env: { C: '3' } });
    expect((await daemon.run('echo "[$C]"')).stdout).toBe('[]\n');
  });

  test('[cmd.session-id-name] session_id is the same field, at both routes', async () => {
    await using daemon = await TestApp.start();
    expect((await daemon.post('/v2/commands/sessions', { session_id: 's' })).json().data.session_id).toBe('s');
    expect((await daemon.run('true', { session_id: 's' })).session_id).toBe('s');
    expect((await daemon.post('/v2/commands/sessions')).json().data.session_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('[session.list] sessions are listed with their running commands', async () => {
    await using daemon = await TestApp.start();
    await daemon.post('/v2/commands/sessions', { id: 'a' });
    await daemon.post('/v2/commands/sessions', { id: 'b' });
    await daemon.run('true', { session: 'b' });
    await daemon.run('sleep 60', { session: 'b', mode: 'async' });
    const { sessions } = (await daemon.inject('/v2/commands/sessions')).json().data;
    expect(sessions).toMatchObject([
      { session_id: 'a', command_count: 0, current_command: null },
      { session_id: 'b', command_count: 2, current_command: 'sleep 60' },
    ]);
    expect((await daemon.inject('/v2/commands/sessions/b')).json().data).toEqual(sessions[1]);
  });

  test('[session.delete-kills] DELETE ends every process of its commands, also those left behind', async () => {
    await using daemon = await TestApp.start();
    await daemon.post('/v2/commands/sessions', { id: 's' });
    const left = await daemon.run('setsid sleep 91 > /dev/null 2>&1 & echo $!', { session: 's' });
    const stubborn = await daemon.run("trap '' TERM; echo up; while :; do sleep 0.1; done", {
      session: 's',
      mode: 'async',
    });
    await daemon.inject(`/v2/commands/${stubborn.command_id}?wait=true`);
    const other = await daemon.run('sleep 92', { mode: 'async' });
    const answer = await daemon.inject({ method: 'DELETE', url: '/v2/commands/sessions/s' });
    expect(answer.json().data).toMatchObject({ session_id: 's', status: 'closed' });
    const status = async (id: string) => (await daemon.inject(`/v2/commands/${id}`)).json().data.command.status;
    expect(await status(stubborn.command_id)).toBe('killed');
    expect(await status(other.command_id)).toBe('running');
    await expect.poll(() => isAlive(Number(left.stdout))).toBe(false);
    expect((await daemon.inject({ method: 'DELETE', url: '/v2/commands/sessions/s' })).statusCode).toBe(404);
  });

  test('[session.delete-kills] DELETE sends SIGTERM, and SIGKILL 2 s later to the remaining processes', async () => {
    await using daemon = await TestApp.start();
    const close = (id: string) => daemon.inject({ method: 'DELETE', url: `/v2/commands/sessions/${id}` });
    await daemon.post('/v2/commands/sessions', { id: 'stubborn' });
    const { command_id } = await daemon.run(UNYIELDING, { session: 'stubborn', mode: 'async' });
    await read(daemon, command_id, '?wait=true');
    const asked = Date.now();
    expect((await close('stubborn')).statusCode).toBe(200);
    const { stdout, command } = await read(daemon, command_id);
    expect(command).toMatchObject({ status: 'killed', signal: 'SIGKILL' });
    const [told, ended] = [Number(toldAt(stdout)), Date.parse(String(command.ended_at))];
    expect(told).toBeGreaterThanOrEqual(asked);
    expect(ended - asked).toBeGreaterThanOrEqual(1998);
    expect(ended - told).toBeLessThan(4000);
  });

  test('DELETE of a session whose commands yield to SIGTERM does not wait for the 2 s', async () => {
    await using daemon = await TestApp.start();
    const soonest = await soonestOf(async () => {
      await daemon.post('/v2/commands/sessions', { id: 's' });
      const { command_id } = await daemon.run('exec sleep 93', { session: 's', mode: 'async' });
      const asked = performance.now();
      expect((await daemon.inject({ method: 'DELETE', url: '/v2/commands/sessions/s' })).statusCode).toBe(200);
      const took = performance.now() - asked;
      expect((await read(daemon, command_id)).command).toMatchObject({ status: 'killed', signal: 'SIGTERM' });
      return took;
    });
    expect(soonest).toBeLessThan(1000);
  });

  test('[session.unknown-404] [cmd.session-unknown-404] an unknown session answers 404', async () => {
    await using daemon = await TestApp.start();
    expect((await daemon.inject({ method: 'DELETE', url: '/v2/commands/sessions/none' })).statusCode).toBe(404);
    expect((await daemon.inject('/v2/commands/sessions/none')).statusCode).toBe(404);
    const answer = await daemon.post('/v2/commands', { command: 'true', session: 'none' });
    expect([answer.statusCode, answer.json().message]).toEqual([404, 'no command session with id none']);
  });

  test.each([
    [{ cwd: '/no/such' }, 400],
    [{ cwd: 'x' }, 400],
    [{ user: 'nobody-by-that-name' }, 400],
    [{ id: '' }, 422],
    [{ id: 'x'.repeat(129) }, 422],
    [{ env: { '': 'x' } }, 422],
  ])('an invalid body is refused: %o', async (body, status) => {
    await using daemon = await TestApp.start();
    expect((await daemon.post('/v2/commands/sessions', body)).statusCode).toBe(status);
    expect((await daemon.inject('/v2/commands/sessions')).json().data.sessions).toEqual([]);
  });

  test('a taken id answers 409, the ceiling 429 with the holders', async () => {
    await using daemon = await TestApp.start({ commandMaxSessions: 1 });
    await daemon.post('/v2/commands/sessions', { id: 's' });
    expect((await daemon.post('/v2/commands/sessions', { id: 's' })).statusCode).toBe(409);
    const full = await daemon.post('/v2/commands/sessions', { id: 't' });
    expect(full.statusCode).toBe(429);
    expect(full.json().data.holders).toMatchObject([{ session_id: 's' }]);
  });
});

describe('idempotency keys', () => {
  test('[cmd.idempotent] [cmd.idempotent-waits] many calls with one key start one command and all wait for it', async () => {
    await using daemon = await TestApp.start();
    const body = { idempotency_key: 'k', env: { A: '1' } };
    const all = await Promise.all(Array.from({ length: 8 }, () => daemon.run('sleep 0.2; echo $A', body)));
    expect(new Set(all.map(({ command_id }) => command_id)).size).toBe(1);
    expect(all.every(({ stdout, status }) => stdout === '1\n' && status === 'completed')).toBe(true);
    expect((await daemon.inject('/v2/commands')).json().data.commands).toHaveLength(1);
  });

  test('[cmd.idempotent-conflict-409] another body under the key answers 409', async () => {
    await using daemon = await TestApp.start();
    await daemon.run('echo 1', { idempotency_key: 'k' });
    const answer = await daemon.post('/v2/commands', { command: 'echo 2', idempotency_key: 'k' });
    expect([answer.statusCode, answer.json().success]).toEqual([409, false]);
  });

  test('a refused call leaves its key free', async () => {
    await using daemon = await TestApp.start();
    expect((await daemon.post('/v2/commands', { command: 'true', cwd: '/no', idempotency_key: 'k' })).statusCode).toBe(
      400,
    );
    expect((await daemon.run('echo 2', { idempotency_key: 'k' })).stdout).toBe('2\n');
  });

  test('[cmd.idempotent-length] a key over 128 characters answers 422', async () => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', { command: 'true', idempotency_key: 'k'.repeat(129) });
    expect(answer.json().errors[0].location).toEqual(['body', 'idempotency_key']);
  });
});
