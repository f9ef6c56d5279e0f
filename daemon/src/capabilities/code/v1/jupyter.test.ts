import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { expectValid } from '../../../wire.fixture.ts';
import { describeKernels, PATIENCE_MS, testKernels } from '../cells.fixture.ts';
import { expectConflicts, IPYKERNEL, withKernels } from '../kernel-specs.fixture.ts';
import { kernelSessionsFor, memoryLimit } from '../session/kernel-sessions.ts';

describeKernels('/v1/jupyter', () => {
  let daemon: TestApp;
  const execute = (body: object) => daemon.post('/v1/jupyter/execute', body);

  beforeAll(async () => {
    daemon = await TestApp.start();
    await execute({ code: '1', session_id: 's' });
  }, PATIENCE_MS);
  afterAll(async () => daemon[Symbol.asyncDispose]());

  test('[jupyter.execute] a cell with all keys of its outputs', async () => {
    const code = 'print("a")\nprint("b")\n{"x": 1}';
    const answer = await execute({ code, session_id: 's' });
    const body = answer.json();
    expectValid('Response_JupyterExecuteResponse_', body);
    expect(body.data).toEqual({
      kernel_name: 'python3',
      session_id: 's',
      status: 'ok',
      execution_count: expect.any(Number),
      code,
      msg_id: expect.any(String),
      warnings: [],
      outputs: [
        { ...NONE, output_type: 'stream', name: 'stdout', text: 'a\nb\n' },
        {
          ...NONE,
          output_type: 'execute_result',
          data: { 'text/plain': "{'x': 1}" },
          metadata: {},
          execution_count: expect.any(Number),
        },
      ],
    });
  });

  test('[jupyter.execute] a cell that raises is a success of the call with status error', async () => {
    const body = (await execute({ code: '1 / 0', session_id: 's' })).json();
    expectValid('Response_JupyterExecuteResponse_', body);
    expect([body.success, body.data.status]).toEqual([true, 'error']);
    expect(body.data.outputs).toEqual([
      {
        ...NONE,
        output_type: 'error',
        ename: 'ZeroDivisionError',
        evalue: 'division by zero',
        traceback: expect.any(Array),
      },
    ]);
    const late = (await execute({ code: 'import time; time.sleep(60)', session_id: 's', timeout: 1 })).json();
    expectValid('Response_JupyterExecuteResponse_', late);
    expect([late.success, late.data.status]).toEqual([true, 'timeout']);
  });

  test('[code.version] a kernel name of 1.x is served by what there is', async () => {
    const body = (await execute({ code: '1', session_id: 's', kernel_name: 'python3.2' })).json();
    expect(body.data).toMatchObject({ kernel_name: 'python3', warnings: [expect.stringContaining('python3.2')] });
    expect((await execute({ code: '1', kernel_name: 'cobol' })).statusCode).toBe(422);
  });

  test('[jupyter.timeout] is a whole number up to 300', async () => {
    for (const timeout of [0, 301, 1.5]) {
      const answer = await execute({ code: '1', timeout });
      expect(answer.statusCode).toBe(422);
      expectValid('HTTPValidationError', answer.json());
    }
  });

  test('[code.capabilities] the report says what runs code', async () => {
    const { data } = (await daemon.inject('/v1/capabilities')).json();
    expect(data.code_interpreter).toMatchObject({ backend: 'native', jupyter_backend: 'ipykernel' });
    expect(data.code_interpreter.python_kernels).toContain('python3');
  });

  test('[jupyter.info] names kernels, counts and limits', async () => {
    const body = (await daemon.inject('/v1/jupyter/info')).json();
    expectValid('Response_JupyterInfoResponse_', body);
    expect(body.data).toMatchObject({
      default_kernel: 'python3',
      available_kernels: expect.arrayContaining(['python3']),
      active_sessions: 1,
      session_timeout_seconds: 3600,
      max_sessions: kernelSessionsFor(memoryLimit()),
    });
  });

  test(
    '[jupyter.create] [jupyter.sessions] [jupyter.delete] sessions by id',
    async () => {
      const created = (
        await daemon.post('/v1/jupyter/sessions/create', { session_id: 'made', kernel_name: 'python3' })
      ).json();
      expectValid('Response_JupyterCreateSessionResponse_', created);
      expect(created.data).toMatchObject({ session_id: 'made', kernel_name: 'python3', message: expect.any(String) });
      const unnamed = (await daemon.post('/v1/jupyter/sessions/create', { session_id: '' })).json();
      expect(unnamed.data.session_id).toMatch(/^[0-9a-f-]{36}$/);

      const sessions = (await daemon.inject('/v1/jupyter/sessions')).json();
      expectValid('Response_ActiveSessionsResult_', sessions);
      const { last_used, age_seconds } = sessions.data.sessions.made;
      expect(Math.abs(last_used - Date.now() / 1000)).toBeLessThan(60);
      expect(Number.isInteger(age_seconds)).toBe(true);
      expect(Object.keys(sessions.data.sessions).sort()).toEqual(['made', 's', unnamed.data.session_id].sort());

      const remove = (id: string) => daemon.inject({ method: 'DELETE', url: `/v1/jupyter/sessions/${id}` });
      expectValid('Response', (await remove('made')).json());
      expect((await remove('made')).statusCode).toBe(404);
      const all = await daemon.inject({ method: 'DELETE', url: '/v1/jupyter/sessions' });
      expectValid('Response', all.json());
      expect((await daemon.inject('/v1/jupyter/sessions')).json().data.sessions).toEqual({});
    },
    PATIENCE_MS,
  );
});

test('[status.no-ipykernel-501] without ipykernel every route answers 501', async () => {
  const path = process.env['PATH'];
  process.env['PATH'] = '/nonexistent';
  try {
    await using daemon = await TestApp.start();
    for (const [method, url] of [
      ['POST', '/v1/jupyter/execute'],
      ['GET', '/v1/jupyter/info'],
      ['GET', '/v1/jupyter/sessions'],
      ['POST', '/v1/jupyter/sessions/create'],
      ['DELETE', '/v1/jupyter/sessions'],
      ['DELETE', '/v1/jupyter/sessions/x'],
    ] as const) {
      const refused = await daemon.inject({ method, url, payload: { code: '1' } });
      expect([url, refused.statusCode, refused.json().hint]).toEqual([url, 501, expect.stringContaining('ipykernel')]);
    }
  } finally {
    process.env['PATH'] = path;
  }
});

const NONE = {
  name: null,
  text: null,
  data: null,
  metadata: null,
  execution_count: null,
  ename: null,
  evalue: null,
  traceback: null,
};

testKernels(
  '[code.conflict] the session of another kernel is 409',
  async () => {
    await withKernels({ mine: IPYKERNEL }, async (daemon) => {
      const cell = { code: '1', kernel_name: 'mine', session_id: 's' };
      expect((await daemon.post('/v1/jupyter/execute', cell)).statusCode).toBe(200);
      await expectConflicts(daemon, ['/v1/code/execute', '/v1/jupyter/execute'], 's');
    });
  },
  PATIENCE_MS,
);
