import { afterAll, beforeAll, expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { identityOfCommands, TestApp } from '../../../app.fixture.ts';
import { kernelSessionsFor, memoryLimit } from '../session/kernel-sessions.ts';

let daemon: TestApp;
const execute = (body: object, headers: Record<string, string> = {}) => daemon.post('/v2/code/execute', body, headers);

beforeAll(async () => {
  daemon = await TestApp.start();
});
afterAll(async () => daemon[Symbol.asyncDispose]());

const KEYS = [
  'execution_id',
  'language',
  'code',
  'status',
  'execution_count',
  'exit_code',
  'signal',
  'oom_killed',
  'oom_process',
  'session_id',
  'kernel_name',
  'warnings',
  'waiting_for_input',
  'started_at',
  'ended_at',
  'outputs',
  'stdout',
  'stderr',
];

const LANGUAGES = [
  ['javascript', 'process.stdout.write("out\\n"); process.stderr.write("err\\n"); process.exitCode = 0', 1],
  ['typescript', 'const s: string = "out"; console.log(s); console.error("err")', 1],
  ['bash', 'echo out; echo err >&2', null],
] as const;

test.each(LANGUAGES)('[code.execute] a cell of %s answers all fields', async (language, code, count) => {
  const { success, message, hint, data } = (await execute({ language, code })).json();
  expect([success, message, hint, Object.keys(data).sort()]).toEqual([true, 'the cell ended', null, KEYS.toSorted()]);
  expect(data).toMatchObject({ language, code, status: 'ok', exit_code: 0, signal: null, oom_killed: null });
  expect(data).toMatchObject({ session_id: null, kernel_name: null, warnings: [], stdout: 'out\n', stderr: 'err\n' });
  expect(data.execution_count).toBe(count);
  expect(Date.parse(data.ended_at)).toBeGreaterThanOrEqual(Date.parse(data.started_at));
});

test.each([
  ['javascript', 'throw new RangeError("no")', 'RangeError', 1],
  ['typescript', 'throw new RangeError("no" as string)', 'RangeError', 1],
  ['bash', 'exit 3', undefined, 3],
])('[code.failed] a cell of %s that fails is 200 with success false', async (language, code, ename, exitCode) => {
  const answer = await execute({ language, code });
  const { success, data } = answer.json();
  expect([answer.statusCode, success, data.status, data.exit_code]).toEqual([200, false, 'error', exitCode]);
  expect(data.outputs.at(-1)?.ename).toBe(ename);
});

test.each(['javascript', 'typescript', 'bash'])(
  '[code.stateful] %s keeps its state under a made-up id',
  async (language) => {
    const set = language === 'bash' ? 'kept=5' : 'var kept = 5';
    const show = language === 'bash' ? 'echo $kept' : 'console.log(kept)';
    const { session_id } = (await execute({ language, code: set, stateful: true })).json().data;
    expect(session_id).toMatch(/^[0-9a-f-]{36}$/);
    const next = (await execute({ language, code: show, session_id })).json().data;
    expect([next.session_id, next.stdout]).toEqual([session_id, '5\n']);
    const other = (await execute({ language, code: show, stateful: false })).json().data;
    expect([other.session_id, other.stdout === '5\n']).toEqual([null, false]);
  },
);

test.each(['javascript', 'bash'])('[code.home] %s runs in the home of its account', async (language) => {
  const home = identityOfCommands().home;
  const code = language === 'bash' ? 'pwd' : 'console.log(process.cwd())';
  expect((await execute({ language, code })).json().data.stdout).toBe(`${home}\n`);
  const made = (await daemon.post('/v2/code/sessions', { language })).json().data;
  expect(made.working_dir).toBe(home);
});

test.runIf(has('root')).each(['javascript', 'bash'])(
  '[code.context] %s runs as the account of its call',
  async (language) => {
    const code = language === 'bash' ? 'id -u' : 'console.log(process.getuid())';
    const body = { language, code, user: 'nobody', cwd: '/' };
    expect((await execute(body)).json().data.stdout).toBe('65534\n');
    const id = `as-nobody-${language}`;
    expect((await execute({ ...body, session_id: id })).json().data.stdout).toBe('65534\n');
    expect((await daemon.inject(`/v2/code/sessions/${id}`)).json().data.user).toBe('nobody');
  },
);

test('[code.bounds] null for a field, or in the map of variables, means absent', async () => {
  const nulls = {
    session_id: null,
    stateful: null,
    timeout: null,
    cwd: null,
    user: null,
    kernel_name: null,
    version: null,
  };
  const env = { GIVEN: 'yes', LEFT: null };
  const { statusCode, json } = await execute({
    language: 'bash',
    code: 'echo $GIVEN; printenv LEFT || echo unset',
    env,
    async: null,
    ...nulls,
  });
  expect([statusCode, json().data.stdout]).toEqual([200, 'yes\nunset\n']);
  expect((await execute({ language: 'bash', code: 'true', timeout: 900 })).statusCode).toBe(200);
});

test('[code.info] each language has its limits', async () => {
  const { languages } = (await daemon.inject('/v2/code/info')).json().data;
  const limits = Object.fromEntries(
    languages.map(({ language, max_sessions, session_timeout_seconds }: Record<string, unknown>) => [
      language,
      [max_sessions, session_timeout_seconds],
    ]),
  );
  expect(limits).toMatchObject({
    javascript: [20, 1800],
    typescript: [20, 1800],
    bash: [20, 1800],
    ...(has('python3') && { python: [kernelSessionsFor(memoryLimit()), 3600] }),
  });
});

test('[code.stream] a call that is refused is no stream', async () => {
  const accept = { accept: 'application/x-ndjson' };
  const refused = await execute({ language: 'cobol', code: '1' }, accept);
  expect([refused.statusCode, refused.headers['content-type']]).toEqual([422, expect.stringContaining('json;')]);
  expect(refused.json()).toMatchObject({ success: false, data: null });
});

test('[code.read] a stream of an execution begins at any number, also behind its end', async () => {
  const { execution_id } = (await execute({ language: 'javascript', code: 'console.log(1); 2' })).json().data;
  const lines = async (query: string) => {
    const { body, headers } = await daemon.inject(`/v2/code/executions/${execution_id}?${query}`);
    expect(headers['content-type']).toBe('application/x-ndjson');
    return body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  for (const [offset, types] of [
    [0, ['execution', 'output', 'output', 'result']],
    [1, ['execution', 'output', 'result']],
    [2, ['execution', 'result']],
    [99, ['execution', 'result']],
  ] as const) {
    const read = await lines(`stream=true&offset=${offset}`);
    expect([offset, read.map(({ type }) => type)]).toEqual([offset, types]);
    expect(read[0]).toEqual({ type: 'execution', execution_id, session_id: null });
    expect(read.at(-1)).toMatchObject({ offset: 2, status: 'ok', exit_code: 0, execution_id, stdout: '1\n' });
  }
  for (const query of ['offset=-1', 'offset=x', 'limit=0', 'wait_timeout=61', 'wait=perhaps']) {
    expect([query, (await daemon.inject(`/v2/code/executions/${execution_id}?${query}`)).statusCode]).toEqual([
      query,
      422,
    ]);
  }
});
