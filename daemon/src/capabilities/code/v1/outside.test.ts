import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../../../scripts/testing/free-port.ts';
import { has } from '../../../../../scripts/testing/machine.ts';
import { TestApp } from '../../../app.fixture.ts';
import { DaemonProcess } from '../../../daemon-process.fixture.ts';
import { expectValid } from '../../../wire.fixture.ts';
import { PATIENCE_MS } from '../cells.fixture.ts';
import { RunningJupyter } from './jupyter-server.fixture.ts';

describe.runIf(has('jupyter-server'))('the Jupyter server of SVC_JUPYTER_ENDPOINT', () => {
  let jupyter: RunningJupyter;
  let daemon: TestApp;
  const cell = async (code: string, more: object = {}) => {
    const body = { code, session_id: 's', timeout: 60, ...more };
    const answer = await daemon.post('/v1/jupyter/execute', body);
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.body}`);
    expectValid('Response_JupyterExecuteResponse_', answer.json());
    return answer.json().data;
  };

  /** Kernels are ended after the answer of their last cell. */
  const onlyOneKernel = () => expect.poll(() => jupyter.kernels(), { timeout: 60_000 }).toHaveLength(1);

  beforeAll(async () => {
    jupyter = await RunningJupyter.start();
    daemon = await TestApp.start({ jupyterEndpoint: jupyter.endpoint });
  }, PATIENCE_MS);
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]();
    await jupyter[Symbol.asyncDispose]();
  });

  test(
    '[code.outside] its kernels run the cells of /v1/jupyter, with state, outputs, errors and timeouts',
    async () => {
      await cell('x = 40; import os');
      expect((await cell('print("é")\nx + 2')).outputs).toMatchObject([
        { output_type: 'stream', name: 'stdout', text: 'é\n' },
        { output_type: 'execute_result', data: { 'text/plain': '42' } },
      ]);
      expect((await cell('os.getcwd()')).outputs[0].data['text/plain']).toBe(`'${jupyter.directory}'`);
      expect(await jupyter.kernels()).toHaveLength(1);
      expect(await cell('1 / 0')).toMatchObject({ status: 'error', outputs: [{ ename: 'ZeroDivisionError' }] });
      expect(await cell('input()')).toMatchObject({ status: 'error' });
      expect(await cell('import time; time.sleep(60)', { timeout: 1 })).toMatchObject({ status: 'timeout' });
      const image = await cell(
        'from IPython.display import Image, display\ndisplay(Image(data=b"\\x89PNG" * 200_000, format="png"))',
      );
      expect(image.outputs[0].data['image/png']).toHaveLength(1_066_668);
      expect((await cell('x')).outputs[0].data['text/plain']).toBe('40');
      const { warnings, kernel_name } = await cell('x', { kernel_name: 'python3.2' });
      expect([kernel_name, warnings]).toEqual(['python3', [expect.stringContaining('python3.2 is not installed')]]);
    },
    PATIENCE_MS,
  );

  test(
    '[code.outside] a cell without a session leaves no kernel; one that ends its kernel drops the session',
    async () => {
      expect(await cell('7', { session_id: '' })).toMatchObject({ status: 'ok', session_id: null });
      expect(await cell('7', { session_id: 'there', cwd: '/usr' })).toMatchObject({ status: 'ok' });
      expect((await cell('__import__("os").getcwd()', { session_id: 'there' })).outputs[0].data).toEqual({
        'text/plain': "'/usr'",
      });
      expect(await cell('import os; os._exit(3)', { session_id: 'there' })).toMatchObject({
        status: 'error',
        outputs: [{ ename: 'InterpreterDied' }],
      });
      const sessions = (await daemon.inject('/v1/jupyter/sessions')).json().data.sessions;
      expect(Object.keys(sessions)).toEqual(['s']);
      await onlyOneKernel();
      const bad = await daemon.post('/v1/jupyter/execute', { code: '1', cwd: '/nonexistent' });
      expect([bad.statusCode, bad.json().message]).toEqual([400, expect.stringContaining('/nonexistent')]);
      expect((await daemon.post('/v1/jupyter/execute', { code: '1', kernel_name: 'cobol' })).statusCode).toBe(422);
      await onlyOneKernel();
    },
    PATIENCE_MS,
  );

  test('[code.outside] info names its kernels; /v2/code does not use it', { timeout: PATIENCE_MS }, async () => {
    const info = (await daemon.inject('/v1/jupyter/info')).json();
    expectValid('Response_JupyterInfoResponse_', info);
    expect(info.data).toMatchObject({ default_kernel: 'python3', kernel_detection: expect.stringContaining('SVC_J') });
    const native = await daemon.post('/v2/code/execute', { language: 'python', code: '1', session_id: 's' });
    expect(native.statusCode).toBe(409);
  });

  test('[code.outside] a restarted daemon finds its kernels again', { timeout: PATIENCE_MS }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sandboxd-outside-'));
    const env = { SVC_JUPYTER_ENDPOINT: jupyter.endpoint };
    const first = await DaemonProcess.start(directory, env);
    await first.data('/v1/jupyter/execute', { code: 'x = 5', session_id: 'kept' });
    await first.stop('SIGKILL');
    {
      await using second = await DaemonProcess.start(directory, env);
      const { outputs } = await second.data('/v1/jupyter/execute', { code: 'x', session_id: 'kept' });
      expect(outputs[0].data['text/plain']).toBe('5');
      await second.stop('SIGTERM');
    }
    await rm(directory, { recursive: true, force: true });
    await onlyOneKernel();
  });
});

test('[code.outside] a server that does not answer gives 503 with a hint', async () => {
  await using daemon = await TestApp.start({ jupyterEndpoint: `http://127.0.0.1:${await freePort()}/` });
  const answer = await daemon.post('/v1/jupyter/execute', { code: '1' });
  expect([answer.statusCode, answer.json().message, answer.json().hint]).toEqual([
    503,
    expect.stringContaining('ECONNREFUSED'),
    expect.stringContaining('address'),
  ]);
});
