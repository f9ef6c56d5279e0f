import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { expectValid } from '../../../wire.fixture.ts';
import { testKernels } from '../cells.fixture.ts';

const URL = '/v1/code/execute';
const NINE = [
  'output_type',
  'name',
  'text',
  'data',
  'metadata',
  'execution_count',
  'ename',
  'evalue',
  'traceback',
] as const;

async function run(daemon: TestApp, code: string, more: object = {}) {
  const answer = await daemon.post(URL, { language: 'javascript', code, ...more });
  expect([answer.statusCode, answer.body.slice(0, answer.statusCode === 200 ? 0 : 500)]).toEqual([200, '']);
  expectValid('Response_CodeExecuteResponse_', answer.json());
  return answer.json();
}

test('[code-field.answer] answers have the fields of 1.x', async () => {
  await using daemon = await TestApp.start();
  const { success, data } = await run(daemon, 'console.log("out"); console.error("err"); 1 + 1');
  expect(success).toBe(true);
  expect(data).toMatchObject({
    language: 'javascript',
    status: 'ok',
    code: expect.stringContaining('1 + 1'),
    stdout: 'out\n',
    stderr: 'err\n',
    exit_code: 0,
    traceback: null,
    session_id: null,
  });
  expect(data.outputs.map((output: object) => Object.keys(output))).toEqual([NINE, NINE, NINE]);
  expect(data.outputs[0].text).toBe('out\n');
  expect(data.outputs.at(-1)).toMatchObject({ output_type: 'execute_result', data: { 'text/plain': '2' }, text: null });
  const failed = await run(daemon, 'throw new TypeError("no")');
  expect(failed).toMatchObject({ success: true, data: { status: 'error', exit_code: 1 } });
  expect(failed.data.traceback[0]).toBe('TypeError: no');
});

test('[code-field.stateful] [code-field.session-id] variables stay under a session_id alone', async () => {
  await using daemon = await TestApp.start();
  const made = (await run(daemon, 'let x = 1', { stateful: true })).data;
  expect(made.session_id).toEqual(expect.any(String));
  const same = { stateful: true, session_id: made.session_id };
  expect((await run(daemon, 'x + 1', same)).data).toMatchObject({ status: 'ok', session_id: made.session_id });
  expect((await run(daemon, 'x + 1', { session_id: made.session_id })).data.status).toBe('ok');
  const apart = await run(daemon, 'typeof x', { stateful: false, session_id: made.session_id });
  expect(apart.data).toMatchObject({ session_id: null });
  expect(apart.data.outputs[0].data['text/plain']).toBe("'undefined'");
  expect((await run(daemon, '1', { session_id: '' })).data.session_id).toBeNull();
});

test('[code-field.timeout] timeouts are whole seconds up to 300', async () => {
  await using daemon = await TestApp.start();
  for (const timeout of [0, 301, 1.5, '5']) {
    const refused = await daemon.post(URL, { language: 'javascript', code: '1', timeout });
    expect([timeout, refused.statusCode]).toEqual([timeout, 422]);
    expect(refused.json().detail[0].loc).toEqual(['body', 'timeout']);
  }
  const ended = await run(daemon, 'for (;;);', { timeout: 1, session_id: 's' });
  expect(ended).toMatchObject({ success: true, data: { status: 'timeout' } });
  expect(Number.isInteger(ended.data.exit_code)).toBe(true);
  expect((await daemon.post(URL, { language: 'ruby', code: '1' })).statusCode).toBe(422);
  expect((await daemon.post(URL, { language: 'javascript', code: '1', cwd: '/no/such' })).statusCode).toBe(400);
});

testKernels('[code-field.answer] Python answers the value as an output and no exit code', async () => {
  await using daemon = await TestApp.start();
  const { data } = await run(daemon, 'print(1)\n2', { language: 'python' });
  expect(data).toMatchObject({ language: 'python', stdout: '1\n', exit_code: null });
  expect(data.outputs.map(({ output_type }: { output_type: string }) => output_type)).toEqual([
    'stream',
    'execute_result',
  ]);
});

test('[code-field.info] info names what runs each language', async () => {
  await using daemon = await TestApp.start();
  const answer = (await daemon.inject('/v1/code/info')).json();
  expectValid('Response_CodeInfoResponse_', answer);
  const { languages } = answer.data;
  expect(languages.map(({ language }: { language: string }) => language)).toEqual(['python', 'javascript']);
  expect(languages[1]).toMatchObject({ default_timeout: 30, max_timeout: 300 });
  expect(languages[1].runtime_version).toMatch(/^\d+\.\d+\.\d+$/);
});
