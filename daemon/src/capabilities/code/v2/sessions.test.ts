import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { identityOfCommands, TestApp } from '../../../app.fixture.ts';

/** Python reads the second at its start, so that a kernel is not forked: the environment of a fork shows no mark. */
const MARKED = { MARK: 'of-stopped', PYTHONHASHSEED: '1' };

import {
  describeKernels,
  errorOf,
  PATIENCE_MS,
  processesWith,
  python,
  resultOf,
  testKernels,
} from '../cells.fixture.ts';

describeKernels('sessions', () => {
  let daemon: TestApp;
  const cell = (code: string, more: object = {}) => python(daemon, code, { session_id: 's', ...more });
  const session = async (id: string) => (await daemon.inject(`/v2/code/sessions/${id}`)).json().data;

  beforeAll(async () => {
    daemon = await TestApp.start();
    await cell('1');
  }, PATIENCE_MS);
  afterAll(async () => daemon[Symbol.asyncDispose]());

  test('[code.session] a session keeps its state', async () => {
    await cell('x = 40');
    expect(resultOf(await cell('x + 2'))).toBe('42');
  });

  test('[code.order] cells run in the order of the calls', async () => {
    await cell('seen = []');
    await Promise.all(Array.from({ length: 20 }, (_, index) => cell(`seen.append(${index})`)));
    expect(resultOf(await cell('seen == list(range(20))'))).toBe('True');
  });

  test('[code.busy] a cell whose turn does not come answers 429 before it begins', async () => {
    const { execution_id } = await cell('import time; time.sleep(60)', { async: true });
    const answer = await daemon.post('/v2/code/execute', {
      language: 'python',
      code: 'y = 1',
      session_id: 's',
      timeout: 0.2,
    });
    expect([answer.statusCode, answer.json().data]).toEqual([429, { holders: [{ execution_id }] }]);
    expect(answer.headers['retry-after']).toEqual(expect.any(String));
    await daemon.post(`/v2/code/executions/${execution_id}/interrupt`);
    expect(errorOf(await cell('y'))).toBe('NameError');
  });

  test('[code.interrupt] an interrupted cell ends, and the session keeps its state', async () => {
    await cell('kept = 1');
    const running = cell('import time\nprint("begun", flush=True)\ntime.sleep(60)');
    await expect.poll(async () => (await session('s')).state).toBe('busy');
    await expect
      .poll(async () => (await daemon.post('/v2/code/sessions/s/interrupt')).json().data.interrupted)
      .toBe(true);
    expect(await running).toMatchObject({ status: 'error' });
    expect(errorOf(await running)).toBe('KeyboardInterrupt');
    expect(resultOf(await cell('kept'))).toBe('1');
    expect((await daemon.post('/v2/code/sessions/s/interrupt')).json().data.interrupted).toBe(false);
  });

  test('[code.timeout] a cell past its timeout is interrupted, and the session lives', async () => {
    const { pid } = await session('s');
    const late = await cell('import time\nprint(1, flush=True)\ntime.sleep(60)', { timeout: 0.3 });
    expect(late).toMatchObject({ status: 'timeout', stdout: '1\n', exit_code: null });
    expect((await session('s')).pid).toBe(pid);
  });

  test(
    '[code.sessions] a session is created, shown, listed and deleted with its processes',
    async () => {
      const body = { id: 'made', language: 'python', cwd: '/tmp', env: { MARK: 'of-made' }, max_idle_seconds: 60 };
      const created = await daemon.post('/v2/code/sessions', body);
      expect(created.json().data).toMatchObject({
        session_id: 'made',
        created: true,
        language: 'python',
        kernel_name: 'python3',
        working_dir: '/tmp',
        state: 'idle',
        max_idle_seconds: 60,
        pid: expect.any(Number),
      });
      expect((await daemon.post('/v2/code/sessions', body)).json().data.created).toBe(false);
      const { sessions } = (await daemon.inject('/v2/code/sessions')).json().data;
      expect(sessions.map(({ session_id }: { session_id: string }) => session_id)).toEqual(['made', 's']);
      await cell('import subprocess; child = subprocess.Popen(["sleep", "600"])', { session_id: 'made' });
      // A kernel that was forked shows the environment of its zygote: its child is looked for.
      await expect.poll(() => processesWith('MARK=of-made').length).toBeGreaterThan(0);
      expect((await daemon.inject({ method: 'DELETE', url: '/v2/code/sessions/made' })).statusCode).toBe(200);
      await expect.poll(() => processesWith('MARK=of-made')).toEqual([]);
      expect((await daemon.inject({ method: 'DELETE', url: '/v2/code/sessions/made' })).statusCode).toBe(404);
      expect((await daemon.inject('/v2/code/sessions/made')).statusCode).toBe(404);
    },
    PATIENCE_MS,
  );

  test(
    '[code.context] a cell runs in directory and environment of its call',
    async () => {
      const more = { session_id: 'context', cwd: '/usr', env: { A_VARIABLE: 'given' } };
      const { stdout } = await cell(
        'import os\nprint(os.getcwd(), os.environ["A_VARIABLE"], os.environ["USER"])',
        more,
      );
      expect(stdout).toBe(`/usr given ${identityOfCommands().name}\n`);
      await daemon.inject({ method: 'DELETE', url: '/v2/code/sessions/context' });
    },
    PATIENCE_MS,
  );

  test('[code.sockets] the sockets are in a private directory of the account', async () => {
    const { pid } = await session('s');
    const file = readFileSync(`/proc/${pid}/cmdline`, 'latin1')
      .split('\0')
      .find((argument) => argument.endsWith('connection.json'));
    const directory = dirname(String(file));
    const { mode, uid } = await stat(directory);
    expect([mode & 0o777, uid]).toEqual([0o700, identityOfCommands().uid]);
    expect(readdirSync(directory).sort()).toEqual(['connection.json', 'k-1', 'k-2', 'k-3', 'k-4', 'k-5']);
    expect((await stat(String(file))).mode & 0o777).toBe(0o600);
  });

  test(
    '[code.restart] a restarted session has lost its state, and its cell has ended',
    async () => {
      await cell('before = 1');
      const { pid } = await session('s');
      const running = cell('import time; time.sleep(60)');
      await expect.poll(async () => (await session('s')).state).toBe('busy');
      const restarted = await daemon.post('/v2/code/sessions/s/restart');
      expect(restarted.json().data.pid).not.toBe(pid);
      expect((await running).status).toBe('error');
      expect(errorOf(await cell('before'))).toBe('NameError');
    },
    PATIENCE_MS,
  );
});

testKernels(
  '[code.ceiling] a full table answers 429 with the holders; cells without a session run',
  async () => {
    await using daemon = await TestApp.start({ kernelMaxSessions: 1 });
    await python(daemon, '1', { session_id: 'a' });
    const answer = await daemon.post('/v2/code/execute', { language: 'python', code: '1', session_id: 'b' });
    expect(answer.statusCode).toBe(429);
    expect(answer.json().data.holders).toEqual([expect.objectContaining({ session_id: 'a', language: 'python' })]);
    expect(answer.json().hint).toEqual(expect.any(String));
    expect(resultOf(await python(daemon, '1'))).toBe('1');
    const { body } = await daemon.inject({ method: 'DELETE', url: '/v2/code/sessions/a' });
    expect(body).toContain('ended');
    expect(resultOf(await python(daemon, '2', { session_id: 'b' }))).toBe('2');
  },
  PATIENCE_MS,
);

test('[code.idle] an idle session is closed, a busy one is not', async () => {
  await using daemon = await TestApp.start();
  const make = (id: string) => daemon.post('/v2/code/sessions', { id, language: 'bash', max_idle_seconds: 2 });
  const shown = async () => (await daemon.inject('/v2/code/sessions')).json().data.sessions;
  await Promise.all([make('idle'), make('busy')]);
  const cell = { language: 'bash', code: 'sleep 600', session_id: 'busy', async: true, timeout: 900 };
  const { execution_id } = (await daemon.post('/v2/code/execute', cell)).json().data;
  // Used after the cell began: when it is closed, the busy one has been without use for longer.
  await make('later');
  const left = async () => (await shown()).map(({ session_id }: { session_id: string }) => session_id);
  await expect.poll(left).toEqual(['busy']);
  // The session that was made, and not one that the cell has made anew.
  expect(await shown()).toMatchObject([{ max_idle_seconds: 2, state: 'busy' }]);
  expect((await daemon.inject(`/v2/code/executions/${execution_id}`)).json().data.status).toBe('running');
});

testKernels(
  '[code.stopped] a daemon that stops leaves no interpreter and no directory',
  async () => {
    let file = '';
    {
      await using daemon = await TestApp.start();
      await python(daemon, '1', { session_id: 'a', env: MARKED });
      void python(daemon, 'import time; time.sleep(60)', { env: MARKED }).catch(() => undefined);
      await expect.poll(() => processesWith('MARK=of-stopped').length, { timeout: 30_000 }).toBeGreaterThan(1);
      const [pid] = processesWith('MARK=of-stopped');
      const found = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
      file = found.find((argument) => argument.endsWith('connection.json')) ?? '';
    }
    await expect.poll(() => processesWith('MARK=of-stopped')).toEqual([]);
    await expect(stat(dirname(dirname(file)))).rejects.toThrow('ENOENT');
  },
  PATIENCE_MS,
);
