import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { describeOnBackends, sharedDirectory } from '../pty.fixture.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describeOnBackends('capacity of v1', (config) => {
  test('[pty.lease] a session that exec made does not give way before its call is answered', async () => {
    const directory = await sharedDirectory();
    const fifo = join(directory, 'fifo');
    execFileSync('mkfifo', ['-m', '666', fifo]);
    // The shell stops before its first prompt: it runs no command, and no viewer is attached.
    vi.stubEnv('PROMPT_COMMAND', `read -r _ < ${fifo}; unset PROMPT_COMMAND`);
    await using daemon = await TestApp.start({ ...config, shellMaxSessions: 1 });
    const answer = daemon.post('/v1/shell/exec', { command: 'echo done' });
    const sessions = async () => Object.keys((await daemon.inject('/v2/pty/sessions')).json().data.sessions);
    await expect.poll(sessions).toHaveLength(1);
    const [id] = await sessions();
    const full = await daemon.post('/v2/pty/sessions', {});
    expect([full.statusCode, full.json().data?.holders[0].session_id]).toEqual([429, id]);
    await writeFile(fifo, '\n');
    expect((await answer).json().data).toMatchObject({ output: 'done\n', status: 'completed' });
    expect((await daemon.post('/v2/pty/sessions', {})).statusCode).toBe(200);
    expect(await sessions()).not.toContain(id);
    await rm(directory, { recursive: true });
  });

  test('[pty.capacity] a session that exec made does not give way while its command runs', async () => {
    await using daemon = await TestApp.start({ ...config, shellMaxSessions: 1 });
    const answer = await daemon.post('/v1/shell/exec', { command: 'sleep 1000', async_mode: true });
    const full = await daemon.post('/v2/pty/sessions', {});
    expect([full.statusCode, full.json().data?.holders[0].session_id]).toEqual([429, answer.json().data.session_id]);
  });

  test('[pty.place] 32 callers without an id share 12 places, and each command runs', async () => {
    await using daemon = await TestApp.start({ ...config, shellMaxSessions: 12 });
    const call = (i: number) => daemon.post('/v1/shell/exec', { command: `echo ${i}` });
    const answers = await Promise.all(Array.from({ length: 32 }, (_, i) => call(i)));
    expect(answers.map((answer) => answer.json().data?.output)).toEqual(answers.map((_, i) => `${i}\n`));
  });

  test('[pty.place] callers get the only place in order of arrival', async () => {
    const directory = await sharedDirectory();
    const order = join(directory, 'order');
    await using daemon = await TestApp.start({ ...config, shellMaxSessions: 1 });
    const names = ['a', 'b', 'c', 'd'];
    const call = (name: string) => daemon.post('/v1/shell/exec', { command: `echo ${name} >> ${order}` });
    const answers = await Promise.all(names.map(call));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect(await readFile(order, 'utf8')).toBe('a\nb\nc\nd\n');
    await rm(directory, { recursive: true });
  });

  test('[pty.place] a call waits for a place no longer than its timeout', async () => {
    await using daemon = await TestApp.start({ ...config, shellMaxSessions: 1 });
    await daemon.post('/v1/shell/exec', { command: 'sleep 1000', async_mode: true });
    const begun = performance.now();
    const refused = await daemon.post('/v1/shell/exec', { command: 'echo', timeout: 0.5 });
    expect(refused.statusCode).toBe(429);
    expect(performance.now() - begun).toBeGreaterThan(490);
  });
});
