import { afterAll, beforeAll, expect, test } from 'vitest';
import { identityOfCommands, TestApp } from '../../../app.fixture.ts';
import { expectValid } from '../../../wire.fixture.ts';
import { describeKernels, PATIENCE_MS } from '../cells.fixture.ts';

const CODE = '/v1/code/execute';
const NODE = '/v1/nodejs/execute';
const JUPYTER = '/v1/jupyter/execute';
const NODE_SESSIONS = '/v1/nodejs/sessions';

let daemon: TestApp;
const valid = async (schema: string, url: string, body: object) => {
  const answer = await daemon.post(url, body);
  expect([url, answer.statusCode, answer.body.slice(0, answer.statusCode === 200 ? 0 : 500)]).toEqual([url, 200, '']);
  expectValid(schema, answer.json());
  const hint = answer.json().data.status === 'timeout' ? expect.any(String) : null;
  expect(answer.json()).toMatchObject({ success: true, message: expect.any(String), hint });
  return answer.json().data;
};

beforeAll(async () => {
  daemon = await TestApp.start();
});
afterAll(async () => daemon[Symbol.asyncDispose]());

test('[v1-code.absent] null means absent in calls of /v1/code and /v1/nodejs', async () => {
  const nulls = { timeout: null, cwd: null, stateful: null, session_id: null };
  const cell = { code: '6 * 7', ...nulls };
  const code = await valid('Response_CodeExecuteResponse_', CODE, { language: 'javascript', ...cell });
  expect(code).toMatchObject({ status: 'ok', session_id: null, traceback: null, exit_code: 0 });
  const more = { stdin: null, version: null, files: null };
  const node = await valid('Response_NodeJSExecuteResponse_', NODE, { ...cell, ...more });
  expect(node).toMatchObject({ status: 'ok', session_id: null, warnings: [], exit_code: 0 });
  const files = { 'there.txt': 'x', 'left.txt': null };
  const names = await valid('Response_NodeJSExecuteResponse_', NODE, { code: 'require("fs").readdirSync(".")', files });
  expect(names.outputs[0].data['text/plain']).toBe("[ 'there.txt' ]");
  const body = { session_id: null, cwd: null, max_idle_time: null };
  const made = await valid('Response_NodeJSCreateSessionResponse_', `${NODE_SESSIONS}?version=`, body);
  expect(made).toMatchObject({ created: true, session: { max_idle_time: 86_400_000 } });
});

test('[code-field.timeout] [nodejs-field.answer] a timeout of 300 is taken, one of 301 is not', async () => {
  for (const [url, more] of [
    [CODE, { language: 'javascript' }],
    [NODE, {}],
  ] as const) {
    expect((await daemon.post(url, { code: '1', ...more, timeout: 300 })).statusCode).toBe(200);
    const refused = await daemon.post(url, { code: '1', ...more, timeout: 301 });
    expect(refused.statusCode).toBe(422);
    expectValid('HTTPValidationError', refused.json());
  }
});

test('[v1-code.absent] every end of a cell fits the schema of 1.x', async () => {
  const cells = [
    ['1', 'ok', 0],
    ['', 'ok', 0],
    ['({ a: [undefined, 1n], b: Symbol("s") })', 'ok', 0],
    ['throw new Error("x")', 'error', 1],
    ['throw null', 'error', 1],
    ['let let = 1', 'error', 1],
    ['process.exit(3)', 'error', 3],
    ['process.kill(process.pid, "SIGKILL"); await new Promise(() => {})', 'error', -1],
    ['for (;;);', 'timeout', -1],
  ] as const;
  for (const [code, status, exitCode] of cells) {
    const body = { code, timeout: code === 'for (;;);' ? 1 : 30 };
    const node = await valid('Response_NodeJSExecuteResponse_', NODE, body);
    expect([code, node.status, node.exit_code, node.code]).toEqual([code, status, exitCode, code]);
    expect(node.language).toBe('javascript');
    const same = await valid('Response_CodeExecuteResponse_', CODE, { language: 'javascript', ...body });
    expect([code, same.status, same.exit_code]).toEqual([code, status, exitCode]);
    // A script that chooses its exit code has raised nothing.
    expect([code, same.traceback === null]).toEqual([code, status === 'ok' || exitCode === 3]);
  }
});

test('[nodejs-field.record] age_seconds counts from the last use', async () => {
  await valid('Response_NodeJSExecuteResponse_', NODE, {
    code: 'await new Promise((resolve) => setTimeout(resolve, 1100))',
    session_id: 'aged',
  });
  const { session } = (await daemon.inject(`${NODE_SESSIONS}/aged`)).json().data;
  expect(session.last_used - session.created_at).toBeGreaterThanOrEqual(1000);
  expect(session.age_seconds).toBeLessThan(Math.floor((Date.now() - session.created_at) / 1000));
  expect(session.state).toBe('IDLE');
});

test('[code.home] [nodejs-field.stateful] sessions of 1.x begin in the home of the account', async () => {
  const { home } = identityOfCommands();
  const body = { code: 'process.cwd()', stateful: true };
  const node = await valid('Response_NodeJSExecuteResponse_', NODE, body);
  const code = await valid('Response_CodeExecuteResponse_', CODE, { language: 'javascript', ...body });
  for (const { outputs } of [node, code]) expect(outputs[0].data['text/plain']).toBe(`'${home}'`);
});

test('[nodejs-field.session-id] imports and bindings stay, also of a call that sends stateful false', async () => {
  const more = { session_id: 'imports', stateful: false };
  const run = (code: string) => valid('Response_NodeJSExecuteResponse_', NODE, { code, ...more });
  await run('import { sep } from "node:path"; const waited = await Promise.resolve(4)');
  expect((await run('sep.length + waited')).outputs[0].data['text/plain']).toBe('5');
});

test.each([
  [CODE, { language: 'cobol', code: '1' }, 422],
  [CODE, { language: 'typescript', code: '1' }, 422],
  [CODE, { code: '1' }, 422],
  [CODE, { language: 'javascript' }, 422],
  [CODE, { language: 'javascript', code: 1 }, 422],
  [CODE, { language: 'javascript', code: '1', stateful: 'perhaps' }, 422],
  [NODE, {}, 422],
  [NODE, { code: '1', session_id: 'x'.repeat(129) }, 422],
  [NODE, { code: '1', cwd: 'relative' }, 400],
  [NODE, { code: '1', cwd: '/no/such' }, 400],
  [NODE_SESSIONS, { cwd: '/etc/passwd' }, 400],
  [NODE_SESSIONS, { max_idle_time: 60.5 }, 422],
] as const)('[v1-code.refused] %s %j answers %i', async (url, body, status) => {
  const refused = await daemon.post(url, body);
  expect([refused.statusCode, refused.json()]).toEqual([
    status,
    expect.objectContaining({ success: false, message: expect.any(String), data: null }),
  ]);
  if (status === 422) expectValid('HTTPValidationError', refused.json());
});

test('[nodejs-field.info] [code-field.info] without any interpreter info says so in its fields', async () => {
  const path = process.env['PATH'];
  process.env['PATH'] = '/nonexistent';
  try {
    await using bare = await TestApp.start();
    const node = (await bare.inject('/v1/nodejs/info')).json();
    expectValid('Response_NodeJSRuntimeInfo_', node);
    expect(node.data).toMatchObject({
      error: expect.stringContaining('node'),
      available_versions: [],
      node_version: '',
    });
    const code = (await bare.inject('/v1/code/info')).json();
    expectValid('Response_CodeInfoResponse_', code);
    expect(code.data).toEqual({ languages: [] });
    const refused = await bare.post(NODE, { code: '1' });
    expect([refused.statusCode, refused.json().hint]).toEqual([503, expect.any(String)]);
  } finally {
    process.env['PATH'] = path;
  }
});

describeKernels('/v1/jupyter', () => {
  const execute = (body: object) => valid('Response_JupyterExecuteResponse_', JUPYTER, body);

  test('[v1-code.absent] null means absent', { timeout: PATIENCE_MS }, async () => {
    const nulls = { timeout: null, kernel_name: null, session_id: null, cwd: null };
    expect(await execute({ code: '6 * 7', ...nulls })).toMatchObject({ kernel_name: 'python3', session_id: null });
    const body = { session_id: null, kernel_name: null, cwd: null };
    const made = await valid('Response_JupyterCreateSessionResponse_', '/v1/jupyter/sessions/create', body);
    await daemon.inject({ method: 'DELETE', url: `/v1/jupyter/sessions/${made.session_id}` });
    expect((await daemon.post(JUPYTER, { code: '1', timeout: 300 })).statusCode).toBe(200);
  });

  test('[jupyter.cwd] [code.home] a kernel runs in cwd, else in the home', { timeout: PATIENCE_MS }, async () => {
    const code = '__import__("os").getcwd()';
    const at = async (more: object) => (await execute({ code, ...more })).outputs[0].data['text/plain'];
    expect(await at({})).toBe(`'${identityOfCommands().home}'`);
    expect(await at({ cwd: '/usr' })).toBe("'/usr'");
    await daemon.post('/v1/jupyter/sessions/create', { session_id: 'placed', cwd: '/usr' });
    expect(await at({ session_id: 'placed' })).toBe("'/usr'");
    for (const cwd of ['/no/such', 'relative']) {
      expect([cwd, (await daemon.post(JUPYTER, { code, cwd })).statusCode]).toEqual([cwd, 400]);
    }
  });

  test('[jupyter.ages] age_seconds counts from the creation', { timeout: PATIENCE_MS }, async () => {
    await execute({ code: 'import time; time.sleep(1.1)', session_id: 'aged' });
    const { sessions } = (await daemon.inject('/v1/jupyter/sessions')).json().data;
    expect(sessions.aged.age_seconds).toBeGreaterThanOrEqual(1);
    expect(Math.floor(Date.now() / 1000 - sessions.aged.last_used)).toBeLessThan(sessions.aged.age_seconds + 1);
  });

  test('[v1-code.absent] every end of a cell fits the schema', { timeout: PATIENCE_MS }, async () => {
    for (const [code, status] of [
      ['', 'ok'],
      ['import sys; print("a"); print("b", file=sys.stderr)', 'ok'],
      ['from IPython.display import display, HTML; display(HTML("<b>"))', 'ok'],
      ['def f(:', 'error'],
      ['import os; os._exit(3)', 'error'],
    ] as const) {
      const data = await execute({ code, session_id: 'ends' });
      expect([code, data.status, data.code]).toEqual([code, status, code]);
      const same = await valid('Response_CodeExecuteResponse_', CODE, { language: 'python', code });
      expect([code, same.status, same.traceback === null]).toEqual([code, status, status === 'ok']);
    }
  });

  test('[v1-code.refused] a full table is 429 with its holders', { timeout: PATIENCE_MS }, async () => {
    await using full = await TestApp.start({ kernelMaxSessions: 1 });
    await full.post('/v1/jupyter/sessions/create', { session_id: 'one' });
    for (const [url, body] of [
      ['/v1/jupyter/sessions/create', { session_id: 'more' }],
      [JUPYTER, { code: '1', session_id: 'more' }],
      [CODE, { language: 'python', code: '1', stateful: true, timeout: 1 }],
    ] as const) {
      const refused = await full.post(url, body);
      expect([url, refused.statusCode, refused.json().hint]).toEqual([url, 429, expect.any(String)]);
      expect(refused.json().data.holders).toEqual([expect.objectContaining({ session_id: 'one' })]);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(5);
    }
    expect((await full.post(CODE, { language: 'python', code: '1' })).statusCode).toBe(200);
  });
});
