import { expect, test } from 'vitest';
import { describeSilentKeeper } from '../../silent-keeper.fixture.ts';

const READER = 'stty raw -echo; echo ready; head -c 1000001 | wc -c | sed "s/$/ bytes/"; exec cat >/dev/null';

describeSilentKeeper('terminals beside a keeper that is stopped', (kit) => {
  const { stop, goOn } = kit;
  const metrics = async (): Promise<string> => (await fetch(`${kit.daemon.base}/metrics`)).text();

  test('a terminal is answered, can be used when the keeper goes on, and closed before that', async () => {
    stop();
    const [used, closed] = await Promise.all([
      kit.daemon.data('/v2/pty/sessions', { command: '/bin/cat' }),
      kit.daemon.data('/v2/pty/sessions', { command: '/bin/cat' }),
    ]);
    const path = `/v2/pty/sessions/${used.session_id}`;
    const typed = await fetch(`${kit.daemon.base}${path}/input`, {
      method: 'POST',
      body: JSON.stringify({ input: 'x' }),
    });
    expect(typed.status).toBe(503);
    const ended = await fetch(`${kit.daemon.base}/v2/pty/sessions/${closed.session_id}`, { method: 'DELETE' });
    expect(ended.status).toBe(200);
    goOn();
    await expect.poll(async () => (await kit.daemon.data(path)).pid).toBeGreaterThan(0);
    const listed = await kit.daemon.data('/v2/pty/sessions');
    expect(Object.keys(listed.sessions)).toEqual([used.session_id]);
    // The shell of the other one ends, and nothing of it is kept.
    await expect.poll(async () => metrics()).toMatch(/^keeper_processes 1$/m);
  });

  test('the answer to a new session says that its shell starts later', async () => {
    const messageOf = async (path: string): Promise<string> => {
      const answer = await fetch(kit.daemon.base + path, { method: 'POST', body: '{}' });
      return ((await answer.json()) as { message: string }).message;
    };
    const paths = ['/v2/pty/sessions', '/v1/shell/sessions/create'];
    // On a busy machine the first shells may start later too.
    for (const path of paths) await expect.poll(() => messageOf(path)).toMatch(/is open$/);
    stop();
    for (const message of await Promise.all(paths.map(messageOf))) {
      expect(message).toMatch(/is open; its shell starts when the process keeper answers/);
    }
    goOn();
  });

  test('input that the keeper does not take is 503, and input is typed when the keeper goes on', async () => {
    const { session_id } = await kit.daemon.data('/v2/pty/sessions', { command: '/bin/sh', args: ['-c', READER] });
    const path = `/v2/pty/sessions/${session_id}`;
    const screen = async (): Promise<string> => (await kit.daemon.data(`${path}/screen`)).output;
    await expect.poll(screen).toContain('ready');
    const type = (bytes: number): Promise<Response> =>
      fetch(`${kit.daemon.base}${path}/input`, { method: 'POST', body: JSON.stringify({ input: 'x'.repeat(bytes) }) });
    stop();
    // Not acknowledged: the daemon alone has it until the keeper takes it.
    const refused = await type(1);
    expect([refused.status, await refused.json()]).toEqual([503, expect.objectContaining({ data: null })]);
    const full = await type(1_500_000);
    expect(full.status).toBe(503);
    expect(await full.json()).toMatchObject({ hint: expect.stringContaining('never ended automatically') });
    goOn();
    expect((await type(1_000_001)).status).toBe(200);
    await expect.poll(screen).toContain('1000001 bytes');
    expect((await type(1)).status).toBe(200);
  });

  test('[pty.exec] exec in a new session is answered as running, and runs once when the keeper goes on', async () => {
    stop();
    const answer = await kit.daemon.data('/v1/shell/exec', { command: 'echo $((40 + 2))', timeout: 0.5 });
    expect(answer).toMatchObject({ status: 'running', exit_code: null });
    const later = kit.daemon.data('/v1/shell/exec', { id: answer.session_id, command: 'echo next' });
    goOn();
    expect(await later).toMatchObject({ status: 'completed', output: expect.stringContaining('next') });
    const { console } = await kit.daemon.data('/v1/shell/view', { id: answer.session_id });
    expect(console.map(({ output }: { readonly output: string }) => output.trim())).toEqual(['42', 'next']);
  });

  test('[pty.exec] exec that the keeper may type later is 503 with the way to find out, and is typed once', async () => {
    const { session_id } = await kit.daemon.data('/v2/pty/sessions', { command: 'bash', args: ['--norc'] });
    const path = `/v2/pty/sessions/${session_id}`;
    await kit.daemon.data(`${path}/exec`, { command: 'true' });
    stop();
    const body = JSON.stringify({ command: 'echo $((40 + 2))', async: true });
    const refused = await fetch(`${kit.daemon.base}${path}/exec`, { method: 'POST', body });
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      {
        data: null,
        message: expect.stringContaining('may be taken'),
        hint: expect.stringContaining('read the screen'),
      },
    ]);
    goOn();
    await expect.poll(async () => (await kit.daemon.data(`${path}/screen`)).output).toMatch(/^42$/m);
  });

  test('[pty.exec-hard-timeout] a command that is not typed yet can be ended, and is never typed', async () => {
    stop();
    const { session_id } = await kit.daemon.data('/v2/pty/sessions', { command: '/bin/bash' });
    const ended = { command: 'echo never', hard_timeout: 0.3 };
    expect(await kit.daemon.data(`/v2/pty/sessions/${session_id}/exec`, ended)).toMatchObject({
      status: 'hard_timeout',
    });
    const later = kit.daemon.data(`/v2/pty/sessions/${session_id}/exec`, { command: 'echo next' });
    goOn();
    expect(await later).toMatchObject({ status: 'completed' });
    const { data } = (await (await fetch(`${kit.daemon.base}/v2/pty/sessions/${session_id}/screen`)).json()) as {
      data: { output: string };
    };
    expect(data.output).toContain('next');
    expect(data.output).not.toContain('never');
  });
});
