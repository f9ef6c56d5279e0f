import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { describeKernels, errorOf, PATIENCE_MS, python, resultOf } from '../cells.fixture.ts';
import { kernelSessionsFor, memoryLimit } from '../session/kernel-sessions.ts';

describeKernels('cells of Python', () => {
  let daemon: TestApp;
  const cell = (code: string, more: object = {}) => python(daemon, code, { session_id: 's', ...more });

  beforeAll(async () => {
    daemon = await TestApp.start();
    await cell('1');
  }, PATIENCE_MS);
  afterAll(async () => daemon[Symbol.asyncDispose]());

  test('[code.execute] a cell answers all fields', async () => {
    const answer = await daemon.post('/v2/code/execute', {
      language: 'python',
      code: 'import sys\nprint("out")\nprint("err", file=sys.stderr)\n6 * 7',
      session_id: 's',
    });
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        success: true,
        message: 'the cell ended',
        hint: null,
        data: {
          execution_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          language: 'python',
          code: 'import sys\nprint("out")\nprint("err", file=sys.stderr)\n6 * 7',
          status: 'ok',
          execution_count: expect.any(Number),
          exit_code: null,
          signal: null,
          oom_killed: null,
          oom_process: null,
          outputs: expect.arrayContaining([
            { output_type: 'stream', name: 'stdout', text: 'out\n' },
            { output_type: 'stream', name: 'stderr', text: 'err\n' },
          ]),
          stdout: 'out\n',
          stderr: 'err\n',
          session_id: 's',
          kernel_name: 'python3',
          warnings: [],
          waiting_for_input: null,
          started_at: expect.any(String),
          ended_at: expect.any(String),
        },
      },
    ]);
    expect(resultOf(answer.json().data)).toBe('42');
  });

  test('[code.outputs] [code.mime] a display has all its representations', async () => {
    const code = [
      'from IPython.display import display, HTML',
      'class Both:',
      '    def _repr_mimebundle_(self, **kwargs):',
      '        return {"text/plain": "plain", "text/html": "<b>rich</b>", "application/json": {"a": [1]}}',
      'display(Both())',
      'HTML("<i>last</i>")',
    ].join('\n');
    expect((await cell(code)).outputs).toEqual([
      {
        output_type: 'display_data',
        data: { 'text/plain': 'plain', 'text/html': '<b>rich</b>', 'application/json': { a: [1] } },
        metadata: {},
      },
      {
        output_type: 'execute_result',
        data: { 'text/plain': expect.any(String), 'text/html': '<i>last</i>' },
        metadata: {},
        execution_count: expect.any(Number),
      },
    ]);
  });

  test(
    '[code.mime] an image of 30 MB passes whole',
    async () => {
      const code = [
        'import os',
        'from IPython.display import display, Image',
        'display(Image(data=b"\\x89PNG\\r\\n\\x1a\\n" + os.urandom(30_000_000), format="png"))',
      ].join('\n');
      const { outputs, stderr } = await cell(code);
      const png = Buffer.from(String(outputs[0]?.data?.['image/png']), 'base64');
      expect([png.length, stderr]).toEqual([30_000_008, '']);
    },
    PATIENCE_MS,
  );

  test('[code.merged] pieces of a stream are one output, updates replace, a clearing removes', async () => {
    const code = [
      'from IPython.display import display, clear_output',
      'import sys, time',
      'print("gone"); clear_output()',
      'handle = display("one", display_id=True)',
      'for i in range(3): print(i, flush=True); time.sleep(0.05)',
      'handle.update("two")',
    ].join('\n');
    expect((await cell(code)).outputs).toEqual([
      { output_type: 'display_data', data: { 'text/plain': "'two'" }, metadata: {} },
      { output_type: 'stream', name: 'stdout', text: '0\n1\n2\n' },
    ]);
  });

  test('[code.failed] [status.cell-error-is-200] a cell that raises is 200 with success false', async () => {
    const code = 'try:\n    1 / 0\nexcept Exception as error:\n    raise ValueError("second") from error';
    const answer = await daemon.post('/v2/code/execute', { language: 'python', code, session_id: 's' });
    const { success, message, data } = answer.json();
    expect([answer.statusCode, success, message, data.status]).toEqual([200, false, 'ValueError: second', 'error']);
    const [error] = data.outputs;
    expect(error).toMatchObject({ output_type: 'error', ename: 'ValueError', evalue: 'second' });
    expect(error.traceback.join('\n')).toMatch(/ZeroDivisionError.*direct cause/s);
  });

  test.each([
    ['a syntax error', 'def f(:', 'SyntaxError'],
    ['[code.input] input()', 'input()', 'StdinNotImplementedError'],
    ['sys.exit', 'import sys; sys.exit(3)', 'SystemExit'],
  ])('[code.failed] %s', async (_name, code, ename) => {
    expect(errorOf(await cell(code))).toBe(ename);
  });

  test('a cell may fork; what a child and a system call write is part of the output', async () => {
    const code = [
      'import os, subprocess',
      'pid = os.fork()',
      'if pid == 0:',
      '    os._exit(0)',
      'os.waitpid(pid, 0)',
      'subprocess.run("echo from a program", shell=True)',
      'None',
    ].join('\n');
    expect((await cell(code)).stdout).toContain('from a program');
    expect(resultOf(await cell('1 + 1'))).toBe('2');
  });

  test('what a thread prints after the end of its cell is not an output of the next', async () => {
    await cell('import threading\ngo = threading.Event()\nthreading.Thread(target=lambda: go.wait()).start()');
    expect((await cell('go.set()\n5')).outputs).toHaveLength(1);
    expect((await cell('6')).outputs).toHaveLength(1);
  });

  test(
    '[code.cap] after 2,000,000 characters a note on stderr replaces the rest',
    async () => {
      const { stdout, stderr, status } = await cell('for i in range(1000): print("x" * 99_999)', { timeout: 120 });
      expect([stdout.length, status]).toEqual([2_000_000, 'ok']);
      expect(stderr).toBe('\n[output of more than 2000000 characters is left out from here on]\n');
    },
    PATIENCE_MS,
  );

  test('[code.version] a version that is not installed is served by the nearest', async () => {
    const { warnings, language, kernel_name } = await cell('1', { language: 'python3.2' });
    expect([language, kernel_name]).toEqual(['python', 'python3']);
    expect(warnings).toEqual([
      expect.stringMatching(/^python3\.2 is not installed: python3 \(3\.\d+\.\d+\) runs the cell$/),
    ]);
  });

  test('[code.unknown] an unknown language or kernel is 422 and lists what there is', async () => {
    for (const body of [{ language: 'cobol' }, { language: 'python', kernel_name: 'nope' }]) {
      const answer = await daemon.post('/v2/code/execute', { ...body, code: '1' });
      expect(answer.statusCode).toBe(422);
      const field = 'kernel_name' in body ? 'kernel_name' : 'language';
      expect(answer.json().errors[0].location).toEqual(['body', field]);
      expect(answer.json().message).toMatch(/is not installed: (cobol|nope); there is .*python/);
    }
  });

  test('[code.bounds] a directory or an account that there is not answers 400', async () => {
    for (const more of [
      { cwd: '/nonexistent' },
      { cwd: 'no/such' },
      { cwd: '~no-such-account' },
      { user: 'nobody-of-that-name' },
    ]) {
      const answer = await daemon.post('/v2/code/execute', { language: 'python', code: '1', ...more });
      expect([more, answer.statusCode]).toEqual([more, 400]);
    }
  });

  test('[code.info] info lists Python with its version, aliases and limits', async () => {
    const { data } = (await daemon.inject('/v2/code/info')).json();
    expect(data).toMatchObject({ default_timeout: 30, max_timeout: 900 });
    expect(data.languages.find(({ language }: { language: string }) => language === 'python')).toMatchObject({
      aliases: expect.arrayContaining(['python3']),
      version: expect.stringMatching(/^3\.\d+\.\d+$/),
      max_sessions: kernelSessionsFor(memoryLimit()),
      session_timeout_seconds: 3600,
      details: { ipykernel: expect.any(String), kernels: expect.arrayContaining(['python3']) },
    });
  });

  test('[code.activity] a running cell holds the sandbox; the last one is noted', async () => {
    const activity = async () => (await daemon.inject('/v2/sandbox/activity')).json().data;
    const { execution_id } = await cell('import time; time.sleep(60)', { async: true });
    expect((await activity()).holders).toContainEqual({
      kind: 'cell',
      id: execution_id,
      key: null,
      since: expect.any(String),
    });
    await daemon.post(`/v2/code/executions/${execution_id}/interrupt`);
    await daemon.inject(`/v2/code/executions/${execution_id}?wait=true&offset=99`);
    await expect.poll(async () => (await activity()).holders).toEqual([]);
    expect((await activity()).last.cell).toEqual(expect.any(String));
  });
});
