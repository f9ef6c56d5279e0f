import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { afterSilence, sharedDirectory, TestViewer } from '../pty.fixture.ts';
import { NO_CHANGE_SECONDS } from '../pty-service.ts';
import { ACTIVE_SECONDS } from './session-routes.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields that it reads.
type Json = any;

async function call(daemon: TestApp, route: string, body: object): Promise<Json> {
  const answer = await daemon.post(`/v1/shell/${route}`, body);
  expect([answer.statusCode, answer.statusCode === 200 || answer.body]).toEqual([200, true]);
  return answer.json().data;
}

const exec = (daemon: TestApp, body: object) => call(daemon, 'exec', body);

/** A directory and a symlink to it. */
async function linked(): Promise<{ real: string; link: string }> {
  const directory = await sharedDirectory();
  const [real, link] = [join(directory, 'real'), join(directory, 'li nk')];
  await mkdir(real);
  await symlink(real, link);
  return { real, link };
}

/** The events of a stream, in order. */
function eventsOf(body: string): { event: string; data: Json }[] {
  return [...body.matchAll(/^event: (.*)\n(?:id: .*\n)?data: (.*)\n\n/gm)].map(([, event = '', data = '']) => ({
    event,
    data: JSON.parse(data),
  }));
}

test('[shell-field.carried] [shell-field.id] directory, exports and functions carry over', async () => {
  await using daemon = await TestApp.start();
  const { session_id: id } = await exec(daemon, { id: null, command: 'cd /usr; export A=1; f() { echo "f $1"; }' });
  expect((await exec(daemon, { id, command: 'pwd; echo $A; f x' })).output).toBe('/usr\n1\nf x\n');
  expect((await exec(daemon, { command: 'true' })).session_id).not.toBe(id);
});

test('[shell-field.strict] a missing exec_dir is refused with strict alone', async () => {
  await using daemon = await TestApp.start();
  const { session_id: id } = await exec(daemon, { command: 'cd /usr' });
  for (const strict of [undefined, null, false]) {
    const data = await exec(daemon, { id, command: 'pwd', exec_dir: '/no/such', strict });
    expect(data).toMatchObject({ status: 'completed', output: '/usr\n', exit_code: 0 });
  }
  const command = 'touch /tmp/must-not-run';
  const refused = await daemon.post('/v1/shell/exec', { id, command, exec_dir: '/no/such', strict: true });
  expect([refused.statusCode, refused.json().message]).toEqual([400, 'exec_dir does not exist: /no/such']);
  expect((await exec(daemon, { command: 'pwd', exec_dir: '/no/such' })).status).toBe('completed');
  expect((await exec(daemon, { id, command: 'pwd', exec_dir: '/tmp', strict: true })).output).toBe('/tmp\n');
  const relative = await daemon.post('/v1/shell/exec', { id, command, exec_dir: 'tmp' });
  expect(relative.statusCode).toBe(400);
});

test.each(['bash', 'sh'])(
  '[shell-field.strict] %s enters the directory whatever its session has redefined',
  async (shell) => {
    await using daemon = await TestApp.start();
    const directory = await sharedDirectory();
    await daemon.post('/v2/pty/sessions', { id: 's', command: shell, env: { PS1: '$ ' }, cwd: '/usr' });
    await exec(daemon, { id: 's', command: 'cd() { return 1; }; pwd', exec_dir: directory });
    expect((await exec(daemon, { id: 's', command: 'pwd', exec_dir: '/tmp' })).output).toBe('/tmp\n');
    await exec(daemon, { id: 's', command: 'set -e' });
    const command = 'echo on';
    expect((await exec(daemon, { id: 's', command, exec_dir: '/usr' })).output).toBe('on\n');
  },
);

test('[shell-field.symlinks] pwd shows the real directory, or the path as it was given', async () => {
  await using daemon = await TestApp.start();
  const { real, link } = await linked();
  const created = await call(daemon, 'sessions/create', { id: 'a', exec_dir: link });
  expect(created.working_dir).toBe(real);
  const pwd = async (body: object) => (await exec(daemon, { command: 'pwd', ...body })).output;
  expect(await pwd({ id: 'a' })).toBe(`${real}\n`);
  await call(daemon, 'sessions/create', { id: 'b', exec_dir: link, preserve_symlinks: true });
  expect(await pwd({ id: 'b' })).toBe(`${link}\n`);
  for (const id of ['b', undefined]) {
    expect(await pwd({ id, exec_dir: link })).toBe(`${real}\n`);
    expect(await pwd({ id, exec_dir: link, preserve_symlinks: true })).toBe(`${link}\n`);
    expect(await pwd({ id, exec_dir: link, preserve_symlinks: null })).toBe(`${real}\n`);
  }
});

test('[shell-field.console] console has the commands of the callers alone', async () => {
  await using daemon = await TestApp.start();
  const { session_id: id } = await exec(daemon, { command: 'true', exec_dir: '/usr' });
  await exec(daemon, { id, command: 'echo a', exec_dir: '/tmp' });
  const { console } = await call(daemon, 'view', { id });
  expect(console).toEqual([
    { ps1: expect.any(String), command: 'true', output: '' },
    { ps1: expect.any(String), command: 'echo a', output: 'a\n' },
  ]);
});

test('[shell-field.async] [shell-field.timeout] [shell-field.wait] neither timeout nor wait ends the command', async () => {
  await using daemon = await TestApp.start();
  const begun = await exec(daemon, { command: 'read -r x; echo "got $x"', async_mode: true });
  expect(begun).toMatchObject({ status: 'running', exit_code: null });
  const { session_id: id } = begun;
  for (const terms of [{ seconds: 0 }, { max_wait_seconds: 0 }]) {
    expect(await call(daemon, 'wait', { id, ...terms })).toEqual({ status: 'running' });
  }
  await call(daemon, 'write', { id, input: 'x', press_enter: true });
  expect(await call(daemon, 'wait', { id, max_wait_seconds: 80 })).toEqual({ status: 'completed' });
  const early = await exec(daemon, { id, command: 'read -r x; echo "got $x"', timeout: 0.05 });
  expect(early).toMatchObject({ status: 'running', exit_code: null });
  await call(daemon, 'write', { id, input: 'y', press_enter: true });
  await call(daemon, 'wait', { id, seconds: 80 });
  expect((await call(daemon, 'view', { id })).console.at(-1).output).toBe('y\ngot y\n');
});

test('[shell-field.press-enter] input is typed as it is', async () => {
  await using daemon = await TestApp.start();
  const { session_id: id } = await exec(daemon, { command: 'read -r x; echo "[$x]"', async_mode: true });
  await call(daemon, 'write', { id, input: 'a' });
  await call(daemon, 'write', { id, input: 'b\n' });
  expect(await call(daemon, 'wait', { id, seconds: 80 })).toEqual({ status: 'completed' });
  expect((await call(daemon, 'view', { id })).console[0].output).toBe('ab\n[ab]\n');
});

test('[shell-field.no-change] silence is answered by the term of the call, else of the session, else of 120 s', async () => {
  await using daemon = await TestApp.start();
  expect(NO_CHANGE_SECONDS).toBe(120);
  const silent = await afterSilence('x\n', async (id, seconds) => {
    await call(daemon, 'sessions/create', { id, no_change_timeout: 1000 });
    return exec(daemon, { id, command: 'echo x; sleep 1000', no_change_timeout: Math.ceil(seconds) });
  });
  expect(silent).toMatchObject({ status: 'no_change_timeout', exit_code: null });
  expect(await call(daemon, 'view', { id: silent.session_id })).toMatchObject({ status: 'running' });
});

test('[shell-field.update] null changes nothing', async () => {
  await using daemon = await TestApp.start();
  await call(daemon, 'sessions/create', { id: 's', no_change_timeout: 1000 });
  await call(daemon, 'sessions/update', { id: 's', no_change_timeout: 1 });
  await call(daemon, 'sessions/update', { id: 's', no_change_timeout: null });
  expect((await exec(daemon, { id: 's', command: 'sleep 1000' })).status).toBe('no_change_timeout');
});

test.each([
  ['within the call', {}],
  ['after the answer', { timeout: 0.01 }],
  ['async', { async_mode: true }],
])('[shell-field.hard-timeout] [shell-field.view-status] a hard timeout %s', async (_name, terms) => {
  await using daemon = await TestApp.start();
  const command = "trap 'echo late; exit 0' TERM; sleep 1000 & wait";
  const first = await exec(daemon, { command: `bash -c ${JSON.stringify(command)}`, hard_timeout: 0.3, ...terms });
  const { session_id: id } = first;
  expect(first).toMatchObject({ status: 'timeout' in terms || 'async_mode' in terms ? 'running' : 'hard_timeout' });
  expect(first.exit_code).toBeNull();
  expect(await call(daemon, 'wait', { id, seconds: 80 })).toEqual({ status: 'hard_timeout' });
  const view = await call(daemon, 'view', { id });
  expect(view).toMatchObject({ status: 'hard_timeout', exit_code: null });
  expect((await exec(daemon, { id, command: 'echo on' })).output).toBe('on\n');
  expect(await call(daemon, 'view', { id })).toMatchObject({ status: 'completed', command: 'echo on', exit_code: 0 });
});

test('[shell-field.kill] [shell-field.exit-code] a killed command is terminated and has no exit code', async () => {
  await using daemon = await TestApp.start();
  const { session_id: id } = await exec(daemon, { command: 'sleep 1000', async_mode: true });
  expect(await call(daemon, 'kill', { id })).toEqual({ status: 'terminated', exit_code: null, returncode: null });
  expect(await call(daemon, 'wait', { id, seconds: 0 })).toEqual({ status: 'terminated' });
  expect(await call(daemon, 'view', { id })).toMatchObject({ status: 'terminated', exit_code: null });
  const ended = await exec(daemon, { id, command: '(exit 7)' });
  expect(ended).toMatchObject({ status: 'completed', exit_code: 7 });
  expect(await call(daemon, 'kill', { id })).toEqual({ status: 'completed', exit_code: 7, returncode: 7 });
});

test('[shell-field.truncate] without truncate the answer has all output', async () => {
  await using daemon = await TestApp.start();
  const line = 'x'.repeat(100);
  const command = `for i in $(seq 400); do echo ${line}; done`;
  expect((await exec(daemon, { command, truncate: false })).output).toBe(`${line}\n`.repeat(400));
  expect((await exec(daemon, { command })).output.length).toBe(30_000);
});

test('[shell-field.view-output] output is the text of the terminal: what was typed and all output', async () => {
  await using daemon = await TestApp.start();
  const { session_id: id } = await exec(daemon, { command: 'echo first; seq 1 60' });
  const long = 'y'.repeat(300);
  await exec(daemon, { id, command: `echo ${long}` });
  const view = async (): Promise<string> => (await call(daemon, 'view', { id })).output;
  // The prompt comes after the end of the command, in a write of its own.
  await expect.poll(view).toContain(`\n${long}\n`);
  const output = await view();
  expect(output).toContain(`echo first; seq 1 60\nfirst\n1\n2\n`);
  expect(output).toContain(`\n60\n`);
  expect(await view()).toBe(output);
});

test('[shell-field.create-id] [shell-field.sessions] create answers the session; an ended one is not listed', async () => {
  await using daemon = await TestApp.start();
  await call(daemon, 'sessions/create', { id: 's', exec_dir: '/usr' });
  expect((await call(daemon, 'sessions/create', { id: 's', exec_dir: '/tmp' })).session_id).toBe('s');
  const listed = async () => (await daemon.inject('/v1/shell/sessions')).json().data.sessions;
  expect(await listed()).toMatchObject({ s: { age_seconds: expect.any(Number), current_command: null } });
  await call(daemon, 'write', { id: 's', input: 'exit', press_enter: true });
  await expect.poll(listed).toEqual({});
});

test('[shell-field.stats] a session is active for five minutes after its last use, busy or not', async () => {
  await using daemon = await TestApp.start({ shellMaxSessions: 4, shellSessionTimeout: 600 });
  expect(ACTIVE_SECONDS).toBe(300);
  for (const id of ['idle', 'busy']) await call(daemon, 'sessions/create', { id });
  await exec(daemon, { id: 'busy', command: 'sleep 1000', async_mode: true });
  const { data } = (await daemon.inject('/v1/shell/sessions/stats')).json();
  expect(data).toEqual({
    total_sessions: 2,
    active_sessions: 2,
    idle_sessions: 0,
    max_sessions: 4,
    session_timeout: 600,
    usage_ratio: 0.5,
  });
  const { stats } = (await daemon.inject('/v2/pty/sessions')).json().data;
  expect([stats.active_sessions, stats.idle_sessions]).toEqual([1, 1]);
});

test('[shell-field.terminal-url] each call makes a session and names its page', async () => {
  await using daemon = await TestApp.start();
  const addresses = await Promise.all([0, 1].map(() => daemon.inject('/v1/shell/terminal-url')));
  const ids = addresses.map((answer) => new URL(answer.json().data).searchParams.get('session'));
  expect(addresses.map((answer) => new URL(answer.json().data).pathname)).toEqual(['/terminal/', '/terminal/']);
  expect(Object.keys((await daemon.inject('/v1/shell/sessions')).json().data.sessions).sort()).toEqual(ids.sort());
});

test('[shell-field.ws] the socket says session_id, then ready, and takes both layouts', async () => {
  await using daemon = await TestApp.start();
  const ws = (await daemon.listen()).replace('http', 'ws');
  await using viewer = new TestViewer(`${ws}/v1/shell/ws`);
  await viewer.message('ready');
  expect(viewer.messages.slice(0, 2).map(({ type }) => type)).toEqual(['session_id', 'ready']);
  viewer.send({ type: 'pong', timestamp: 1 });
  viewer.send({ type: 'pong', data: { timestamp: 1 } });
  viewer.send({ type: 'resize', data: { cols: 91, rows: 21 } });
  viewer.send({ type: 'input', data: 'stty size\n' });
  await viewer.shows('21 91');
  viewer.send({ type: 'resize', cols: 92, rows: 22 });
  viewer.send({ type: 'input', data: 'stty size\n' });
  await viewer.shows('22 92');
  expect(viewer.messages.filter(({ type }) => type === 'error')).toEqual([]);
});

test('[shell-field.events] exec streams its lines and then the answer of the call', async () => {
  await using daemon = await TestApp.start();
  const accept = { accept: 'text/event-stream' };
  const command = 'echo one; printf "50%%\\r100%%\\n"; printf two';
  const answer = await daemon.post('/v1/shell/exec', { command }, accept);
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/event-stream']);
  const events = eventsOf(answer.body);
  expect(events.map(({ event }) => event).slice(-2)).toEqual(['output', 'result']);
  const { data: envelope } = events.pop() ?? { data: {} };
  expect(envelope).toMatchObject({
    success: true,
    data: { status: 'completed', exit_code: 0, output: 'one\n100%\ntwo' },
  });
  expect(events.map(({ data }) => data.output).join('')).toBe('one\n100%\ntwo');
  expect((await daemon.post('/v1/shell/exec', { id: 'none', command }, accept)).json().success).toBe(false);
});

test('[shell-field.events] lines come while the command runs, to exec and to view', async () => {
  await using daemon = await TestApp.start();
  const base = await daemon.listen();
  await call(daemon, 'sessions/create', { id: 's' });
  const stream = async (route: string, body: object) => {
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' };
    const url = `${base}/v1/shell/${route}`;
    const { body: answer } = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ id: 's', ...body }) });
    if (answer === null) throw new Error('no body');
    return answer.pipeThrough(new TextDecoderStream()).getReader();
  };
  const rest = async (reader: Awaited<ReturnType<typeof stream>>): Promise<string> => {
    const { value = '', done } = await reader.read();
    return done ? value : value + (await rest(reader));
  };
  const first = await stream('exec', { command: 'echo early; read -r x; echo "late $x"' });
  expect(eventsOf((await first.read()).value ?? '')).toEqual([{ event: 'output', data: { output: 'early\n' } }]);
  const second = await stream('view', {});
  expect(eventsOf((await second.read()).value ?? '')).toEqual([{ event: 'output', data: { output: 'early\n' } }]);
  await call(daemon, 'write', { id: 's', input: 'x', press_enter: true });
  for (const reader of [first, second]) {
    const events = eventsOf(await rest(reader));
    expect(events.at(-1)).toMatchObject({ event: 'result', data: { data: { status: 'completed', exit_code: 0 } } });
    expect(
      events
        .slice(0, -1)
        .map(({ data }) => data.output)
        .join(''),
    ).toBe('x\nlate x\n');
  }
});
