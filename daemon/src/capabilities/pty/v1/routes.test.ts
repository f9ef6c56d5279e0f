import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { afterSilence, screen, TestViewer } from '../pty.fixture.ts';

/** The schemas of 1.x, as existing clients send and parse. */
const WIRE = join(import.meta.dirname, '../../../../../docs/openapi/1.x-wire.json');
const ajv = new Ajv2020({ strict: false, formats: { 'date-time': (text: string) => !Number.isNaN(Date.parse(text)) } });
ajv.addSchema(JSON.parse(readFileSync(WIRE, 'utf8')), 'wire');

/** Schemas of the request and of the answer of each route. */
const SCHEMAS: Readonly<Record<string, readonly [string, string]>> = {
  exec: ['ShellExecRequest', 'Response_ShellCommandResult_'],
  view: ['ShellViewRequest', 'Response_ShellViewResult_'],
  wait: ['ShellWaitRequest', 'Response_ShellWaitResult_'],
  write: ['ShellWriteToProcessRequest', 'Response_ShellWriteResult_'],
  kill: ['ShellKillProcessRequest', 'Response_ShellKillResult_'],
  'sessions/create': ['ShellCreateSessionRequest', 'Response_ShellCreateSessionResponse_'],
  'sessions/update': ['ShellUpdateSessionRequest', 'Response'],
};

async function call(daemon: TestApp, route: string, body: object) {
  const [request = '', response = ''] = SCHEMAS[route] ?? [];
  expectValid(request, body);
  const answer = await daemon.post(`/v1/shell/${route}`, body);
  expect([answer.statusCode, answer.statusCode === 200 || answer.body]).toEqual([200, true]);
  expectValid(response, answer.json());
  return answer.json().data;
}

async function get(daemon: TestApp, route: string, response: string) {
  const answer = await daemon.inject(`/v1/shell/${route}`);
  expect(answer.statusCode).toBe(200);
  expectValid(response, answer.json());
  return answer.json().data;
}

function expectValid(schema: string, value: unknown): void {
  const validate = ajv.getSchema(`wire#/components/schemas/${schema}`);
  if (!validate) throw new Error(`no such schema: ${schema}`);
  expect([schema, validate(value), validate.errors]).toEqual([schema, true, null]);
}

test('[v1.shell-exec] docs/contract.md §12 /shell exec strict: exec makes a session or uses that of its id', async () => {
  await using daemon = await TestApp.start();
  const first = await call(daemon, 'exec', { command: 'export A=1; cd /tmp; echo hi' });
  expect(first).toMatchObject({
    command: 'export A=1; cd /tmp; echo hi',
    status: 'completed',
    output: 'hi\n',
    exit_code: 0,
  });
  expect(first.console).toMatchObject([{ command: 'export A=1; cd /tmp; echo hi', output: 'hi\n' }]);
  const id = first.session_id;
  const second = await call(daemon, 'exec', {
    id,
    command: 'echo "$A $PWD"; (exit 3)',
    exec_dir: '/usr',
    strict: null,
  });
  expect(second).toMatchObject({ session_id: id, output: '1 /usr\n', exit_code: 3 });
  expect((await daemon.post('/v1/shell/exec', { id: 'none', command: 'true' })).statusCode).toBe(404);
  const wrong = await daemon.post('/v1/shell/exec', { id, command: 'true', exec_dir: '/no/such', strict: true });
  expect([wrong.statusCode, wrong.json().message]).toEqual([400, 'exec_dir does not exist: /no/such']);
  expect((await daemon.post('/v1/shell/exec', {})).json().detail[0].loc).toEqual(['body', 'command']);
});

test('[v1.shell-create] create answers the existing session of its id, and with an empty id a new session', async () => {
  await using daemon = await TestApp.start();
  const first = await call(daemon, 'sessions/create', { id: 'mine', exec_dir: '/tmp' });
  expect(first).toEqual({ session_id: 'mine', working_dir: '/tmp' });
  await call(daemon, 'exec', { id: 'mine', command: 'A=kept' });
  expect((await call(daemon, 'sessions/create', { id: 'mine', no_change_timeout: 5 })).session_id).toBe('mine');
  expect((await call(daemon, 'exec', { id: 'mine', command: 'echo $A' })).output).toBe('kept\n');
  const empty = await call(daemon, 'sessions/create', { id: '' });
  expect(empty.session_id).not.toBe('');
  const asked = Date.now();
  const { sessions } = await get(daemon, 'sessions', 'Response_ActiveShellSessionsResult_');
  expect(Object.keys(sessions).sort()).toEqual(['mine', empty.session_id].sort());
  const { created_at, age_seconds, current_command } = sessions.mine;
  const secondsTo = (time: number) => Math.floor((time - Date.parse(created_at)) / 1000);
  expect(age_seconds).toBeGreaterThanOrEqual(secondsTo(asked));
  expect(age_seconds).toBeLessThanOrEqual(secondsTo(Date.now()));
  expect(current_command).toBe(null);
  expect(await get(daemon, 'sessions/stats', 'Response_ShellSessionStats_')).toMatchObject({
    total_sessions: 2,
    max_sessions: 20,
    session_timeout: 3600,
  });
});

test('concurrent creates of one id all answer the one session, once its shell runs', async () => {
  await using daemon = await TestApp.start({ shellMaxSessions: 1 });
  await call(daemon, 'sessions/create', {});
  const calls = Array.from({ length: 8 }, () => call(daemon, 'sessions/create', { id: 'mine', exec_dir: '/tmp' }));
  expect(await Promise.all(calls)).toEqual(calls.map(() => ({ session_id: 'mine', working_dir: '/tmp' })));
  expect((await call(daemon, 'exec', { id: 'mine', command: 'echo "$PWD"' })).output).toBe('/tmp\n');
});

test('[v1.shell-write] [v1.shell-wait] [v1.shell-view] docs/contract.md §12 /shell view output: a command is written to, waited for and viewed', async () => {
  await using daemon = await TestApp.start();
  const { session_id: id } = await call(daemon, 'sessions/create', {});
  await screen(daemon, id, (output) => output.trim() !== '');
  await call(daemon, 'exec', { id, command: 'echo one' });
  const command = 'echo ready; read x; echo "got $x"';
  const running = await call(daemon, 'exec', { id, command, async_mode: true });
  expect(running).toMatchObject({ status: 'running', exit_code: null });
  await expect.poll(() => call(daemon, 'view', { id })).toMatchObject({ output: expect.stringMatching(/\nready$/) });
  expect(await call(daemon, 'wait', { id, seconds: 0 })).toEqual({ status: 'running' });
  expect(await call(daemon, 'write', { id, input: 'me', press_enter: true })).toMatchObject({
    status: expect.toBeOneOf(['running', 'completed']),
  });
  expect(await call(daemon, 'wait', { id, seconds: 80 })).toEqual({ status: 'completed' });
  const view = await call(daemon, 'view', { id });
  expect(view).toMatchObject({ session_id: id, status: 'completed', exit_code: 0 });
  expect(view.output).toMatch(/echo one\none\n[\s\S]*\nready\nme\ngot me(?:\n|$)/);
  expect(view.command).toBe(command);
  expect(view.console).toMatchObject([
    { command: 'echo one', output: 'one\n' },
    { command, output: 'ready\nme\ngot me\n' },
  ]);
  expect(view.console[0].ps1).toMatch(/\S+ $/);
  for (const route of ['wait', 'view', 'kill']) {
    expect((await daemon.post(`/v1/shell/${route}`, { id: 'none' })).statusCode).toBe(404);
  }
});

test('[v1.shell-kill] docs/contract.md §12 /shell kill exit_code: kill ends the command and keeps the session', async () => {
  await using daemon = await TestApp.start();
  const command = "bash -c 'echo begun; exec sleep 1000'";
  const { session_id: id } = await call(daemon, 'exec', { command, async_mode: true });
  await expect.poll(() => call(daemon, 'view', { id })).toMatchObject({ output: expect.stringMatching(/\nbegun$/) });
  const killed = await call(daemon, 'kill', { id });
  expect(killed).toMatchObject({ status: 'terminated', exit_code: null, returncode: null });
  expect((await call(daemon, 'exec', { id, command: 'echo on' })).output).toBe('on\n');
  expect(await call(daemon, 'kill', { id })).toMatchObject({ status: 'completed' });
});

test('[v1.shell-timeouts] docs/contract.md §12 /shell exec answer exit_code: each timeout of exec has a status of its own', async () => {
  await using daemon = await TestApp.start();
  const { session_id: id } = await call(daemon, 'sessions/create', { no_change_timeout: 120 });
  expect(await call(daemon, 'exec', { id, command: 'sleep 1000', timeout: 0.1 })).toMatchObject({ status: 'running' });
  const silent = await afterSilence('x\n', async (session, seconds) => {
    await call(daemon, 'sessions/create', { id: session });
    const command = 'echo x; sleep 1000';
    return call(daemon, 'exec', { id: session, command, no_change_timeout: Math.ceil(seconds) });
  });
  expect(silent).toMatchObject({ status: 'no_change_timeout', output: 'x\n' });
  const { session_id: other } = await call(daemon, 'sessions/create', {});
  expect(await call(daemon, 'sessions/update', { id: other, no_change_timeout: 1 })).toBe(null);
  expect(await call(daemon, 'exec', { id: other, command: 'sleep 1000' })).toMatchObject({
    status: 'no_change_timeout',
  });
  const { session_id: third } = await call(daemon, 'sessions/create', {});
  expect(await call(daemon, 'exec', { id: third, command: 'sleep 1000', hard_timeout: 0.1 })).toMatchObject({
    status: 'hard_timeout',
    exit_code: null,
  });
});

test('exec takes a timeout beyond every timer', async () => {
  await using daemon = await TestApp.start();
  const body = { command: 'true', timeout: 9e173, hard_timeout: 9e173, no_change_timeout: 9e173 };
  expect((await call(daemon, 'exec', body)).status).toBe('completed');
});

test('[v1.shell-truncate] output is truncated at 30,000 characters unless truncate is false', async () => {
  await using daemon = await TestApp.start();
  const whole = `${Array.from({ length: 10_000 }, (_, i) => i + 1).join('\n')}\n`;
  const cut = await call(daemon, 'exec', { command: 'seq 1 10000' });
  expect(cut.output.length).toBe(30_000);
  expect(cut.output).toMatch(/^1\n2\n[\s\S]*characters left out[\s\S]*\n10000\n$/);
  const { output } = await call(daemon, 'exec', { id: cut.session_id, command: 'seq 1 10000', truncate: false });
  expect(output).toBe(whole);
});

test('[v1.shell-cleanup] DELETE closes one session or all sessions', async () => {
  await using daemon = await TestApp.start();
  for (const id of ['a', 'b', 'c']) await call(daemon, 'sessions/create', { id });
  const gone = await daemon.inject({ method: 'DELETE', url: '/v1/shell/sessions/a' });
  expectValid('Response', gone.json());
  expect((await daemon.inject({ method: 'DELETE', url: '/v1/shell/sessions/a' })).statusCode).toBe(404);
  expectValid('Response', (await daemon.inject({ method: 'DELETE', url: '/v1/shell/sessions' })).json());
  expect((await get(daemon, 'sessions', 'Response_ActiveShellSessionsResult_')).sessions).toEqual({});
});

test('[v1.terminal-url] docs/contract.md §12 /shell terminal-url data: the page of a new session, as the caller reached us', async () => {
  await using daemon = await TestApp.start();
  const answer = await daemon.inject({ url: '/v1/shell/terminal-url?a=1', headers: { host: 'localhost:8080' } });
  expectValid('Response_str_', answer.json());
  const [id] = Object.keys((await get(daemon, 'sessions', 'Response_ActiveShellSessionsResult_')).sessions);
  expect(answer.json().data).toBe(`http://localhost:8080/terminal/?session=${id}&a=1`);
});

test.each([
  ['127.0.0.1', /^https:\/\/10\.0\.0\.1\/box\/terminal\/\?session=[\w-]+$/],
  ['192.0.2.7', /^http:\/\/localhost:8080\/terminal\/\?session=[\w-]+$/],
])(
  '[v1.terminal-url] [proxy.gateway] the page has the scheme, host and prefix that %s forwards if it is trusted',
  async (remoteAddress, page) => {
    await using daemon = await TestApp.start({ trustedProxies: ['172.16.0.0/12'] });
    const forwarded = { proto: 'https', host: '10.0.0.1', prefix: '/box/' };
    const headers = Object.entries(forwarded).map(([name, value]) => [`x-forwarded-${name}`, value]);
    const answer = await daemon.inject({
      url: '/v1/shell/terminal-url',
      headers: { host: 'localhost:8080', ...Object.fromEntries(headers) },
      remoteAddress,
    });
    expect(answer.json().data).toMatch(page);
  },
);

test('[v1.shell-ws] the WebSocket of 1.x sends its session id first and takes input and resize', async () => {
  await using daemon = await TestApp.start();
  const ws = (await daemon.listen()).replace('http', 'ws');
  await using viewer = new TestViewer(`${ws}/v1/shell/ws`);
  await viewer.message('ready');
  expect(viewer.messages[0]).toEqual({ type: 'session_id', data: viewer.messages[1].session_id });
  viewer.send({ type: 'resize', data: { cols: 100, rows: 20 } });
  viewer.type('stty size\r');
  await viewer.shows('20 100');
  const { session_id: id } = await call(daemon, 'exec', { command: 'echo hello' });
  await using other = new TestViewer(`${ws}/v1/shell/ws?session_id=${id}`);
  await other.shows('hello');
  expect(other.messages[0]).toEqual({ type: 'session_id', data: id });
});
