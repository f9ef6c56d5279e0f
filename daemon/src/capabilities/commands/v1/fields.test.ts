import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withGrowingTime } from '../../../../../scripts/testing/rounds.ts';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields that it reads.
type Json = any;

async function call(daemon: TestApp, route: string, body: object): Promise<Json> {
  const answer = await daemon.post(`/v1/bash/${route}`, body);
  expect([answer.statusCode, answer.statusCode === 200 || answer.body]).toEqual([200, true]);
  return answer.json().data;
}

const exec = (daemon: TestApp, body: object) => call(daemon, 'exec', body);
const output = (daemon: TestApp, body: object) => call(daemon, 'output', body);

/** A file that any account may read, in a directory that it may enter. */
async function shared(directory: string, name: string, text: string): Promise<string> {
  await chmod(directory, 0o755);
  await writeFile(join(directory, name), text, { mode: 0o644 });
  return join(directory, name);
}

test('[bash-field.session-id] an absent, null or empty session_id is a new session', async () => {
  await using daemon = await TestApp.start();
  const bodies = [{}, { session_id: null }, { session_id: '' }];
  const ids = await Promise.all(
    bodies.map(async (body) => (await exec(daemon, { ...body, command: 'true' })).session_id),
  );
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/./);
  expect((await call(daemon, 'sessions/create', { session_id: '' })).session_id).toMatch(/./);
});

test('[bash-field.directory-only] cd and export end with the command', async () => {
  await using daemon = await TestApp.start();
  await exec(daemon, { session_id: 's', exec_dir: '/tmp', command: 'cd /usr; export A=1' });
  expect((await exec(daemon, { session_id: 's', command: 'echo "$PWD[$A]"' })).stdout).toBe('/tmp[]\n');
});

test('[bash-field.exec-dir] exec_dir is the directory of the command and the new default', async () => {
  await using daemon = await TestApp.start();
  for (const exec_dir of ['/tmp', '/usr']) {
    expect((await exec(daemon, { session_id: 's', exec_dir, command: 'pwd' })).stdout).toBe(`${exec_dir}\n`);
    expect((await exec(daemon, { session_id: 's', command: 'pwd' })).stdout).toBe(`${exec_dir}\n`);
  }
});

test('[bash-field.async] an async exec answers at once, whatever timeout and max_output_length are', async () => {
  await using daemon = await TestApp.start();
  const command = 'printf 0123456789; exec sleep 60';
  const begun = await exec(daemon, { session_id: 's', command, async_mode: true, timeout: 60, max_output_length: 4 });
  expect([begun.status, begun.exit_code]).toEqual(['running', null]);
  expect('0123456789').toContain(begun.stdout);
  await expect.poll(async () => (await output(daemon, { session_id: 's' })).stdout).toBe('0123456789');
});

test('[bash-field.timeout] [bash-field.exit-code] past timeout the command goes on', async () => {
  await using daemon = await TestApp.start();
  const command = 'echo begun; read -r x < fifo; exit 4';
  await using directory = await tempDir();
  await chmod(directory.path, 0o777);
  await exec(daemon, { session_id: 's', exec_dir: directory.path, command: 'mkfifo -m 666 fifo' });
  const early = await exec(daemon, { session_id: 's', command, timeout: 0.05 });
  expect(early).toMatchObject({ status: 'running', exit_code: null });
  await exec(daemon, { session_id: 'other', exec_dir: directory.path, command: 'echo > fifo' });
  const ended = async () => (await output(daemon, { session_id: 's' })).command;
  await expect.poll(ended).toMatchObject({ status: 'completed', exit_code: 4 });
  expect((await output(daemon, { session_id: 's' })).stdout).toBe('begun\n');
});

test.each([
  ['within timeout', { timeout: 60 }],
  ['without timeout', {}],
  ['after timeout', { timeout: 0.01 }],
  ['async', { async_mode: true }],
])('[bash-field.hard-timeout] hard_timeout ends the command: %s', async (_name, terms) => {
  await using daemon = await TestApp.start();
  await exec(daemon, { session_id: 's', command: 'sleep 60', hard_timeout: 0.1, ...terms });
  const ended = async () => (await output(daemon, { session_id: 's' })).command;
  await expect.poll(ended).toMatchObject({ status: 'timed_out', exit_code: -1 });
});

test('[bash-field.env] docs/contract.md §12 /bash exec env: no later command of the session sees it', async () => {
  await using daemon = await TestApp.start();
  const command = 'echo "[$A]"';
  expect((await exec(daemon, { session_id: 's', command, env: { A: '1' } })).stdout).toBe('[1]\n');
  expect((await exec(daemon, { session_id: 's', command })).stdout).toBe('[]\n');
  await exec(daemon, { session_id: 't', command, env: { A: '1' } });
  expect((await exec(daemon, { session_id: 't', command })).stdout).toBe('[]\n');
});

test.each([
  ['ASCII', 'a', 1],
  ['two bytes', 'é', 2],
  ['four bytes', '😀', 4],
])('[bash-field.max-output] [bash-field.offsets] characters are counted: %s', async (_name, character, bytes) => {
  await using daemon = await TestApp.start();
  const run = (count: number, max_output_length: number) => {
    const command = `for i in $(seq ${count}); do printf ${character}; printf ${character} >&2; done`;
    return exec(daemon, { command, max_output_length });
  };
  expect((await run(11, 11)).stdout).toBe(character.repeat(11));
  for (const [count, left] of [
    [12, 7],
    [200, 195],
  ] as const) {
    const cut = `${character.repeat(3)}\n[... ${left * bytes} bytes left out ...]\n${character.repeat(2)}`;
    const data = await run(count, 5);
    expect([data.stdout, data.stderr]).toEqual([cut, cut]);
    expect([data.offset, data.stderr_offset]).toEqual([count * bytes, count * bytes]);
  }
  expect((await run(200, 0)).stdout).toBe(character.repeat(200));
});

test('[bash-field.status] [bash-field.partial-output] [bash-field.kill] a killed command keeps its output', async () => {
  await using daemon = await TestApp.start();
  for (const signal of ['SIGTERM', 'SIGKILL', 'SIGINT']) {
    await exec(daemon, { session_id: 's', command: 'echo out; echo err >&2; exec sleep 60', async_mode: true });
    await expect.poll(async () => (await output(daemon, { session_id: 's' })).stderr).toBe('err\n');
    await call(daemon, 'kill', { session_id: 's', signal });
    const ended = async () => (await output(daemon, { session_id: 's' })).command;
    await expect.poll(ended).toMatchObject({ status: 'killed', exit_code: -1 });
    expect(await output(daemon, { session_id: 's' })).toMatchObject({ stdout: 'out\n', stderr: 'err\n' });
  }
  expect(await exec(daemon, { session_id: 's', command: 'exit 9' })).toMatchObject({
    status: 'completed',
    exit_code: 9,
  });
  const timed = await withGrowingTime(0.3, async (hard_timeout) => {
    const data = await exec(daemon, { command: 'echo out; exec sleep 60', hard_timeout });
    return data.stdout === '' ? undefined : data;
  });
  expect(timed).toMatchObject({ status: 'timed_out', stdout: 'out\n' });
});

test('[bash-field.output-offsets] [bash-field.output-newest] output reads on in raw bytes', async () => {
  await using daemon = await TestApp.start();
  await exec(daemon, { session_id: 's', command: 'echo older' });
  await exec(daemon, { session_id: 's', command: 'printf éa; printf zz >&2', max_output_length: 1 });
  const first = await output(daemon, { session_id: 's' });
  expect(first).toMatchObject({ stdout: 'éa', stderr: 'zz', offset: 3, stderr_offset: 2 });
  const next = await output(daemon, { session_id: 's', offset: 2, stderr_offset: first.stderr_offset });
  expect(next).toMatchObject({ stdout: 'a', stderr: '', offset: 3, stderr_offset: 2 });
});

test('[bash-field.output-wait] a wait ends with a byte of either stream, or with empty texts', async () => {
  await using daemon = await TestApp.start();
  await exec(daemon, { session_id: 's', command: 'read -r x; echo "$x" >&2; exec sleep 60', async_mode: true });
  const none = await output(daemon, { session_id: 's', wait: true, wait_timeout: 0.05 });
  expect(none).toMatchObject({ stdout: '', stderr: '', command: { status: 'running' } });
  const waiting = output(daemon, { session_id: 's', wait: true, wait_timeout: 60 });
  await call(daemon, 'write', { session_id: 's', input: 'on\n' });
  expect(await waiting).toMatchObject({ stdout: '', stderr: 'on\n' });
});

test('[bash-field.output-command] a session without a command has command null', async () => {
  await using daemon = await TestApp.start();
  await call(daemon, 'sessions/create', { session_id: 's' });
  expect((await output(daemon, { session_id: 's' })).command).toBeNull();
});

test('[bash-field.write] input arrives without an added newline', async () => {
  await using daemon = await TestApp.start();
  await exec(daemon, { session_id: 's', command: 'read -r -N 4 x; printf "[%s]" "$x"', async_mode: true });
  for (const input of ['ab', 'cd']) await call(daemon, 'write', { session_id: 's', input });
  const ended = await output(daemon, { session_id: 's', wait: true });
  expect(ended.stdout).toBe('[abcd]');
});

test('[bash-field.sessions] [bash-field.create-dir] a session says what it runs and where', async () => {
  await using daemon = await TestApp.start();
  const created = await call(daemon, 'sessions/create', { session_id: 's', exec_dir: '/usr' });
  expect(created).toMatchObject({ status: 'ready', working_dir: '/usr', current_command: null, command_count: 0 });
  await exec(daemon, { session_id: 's', command: 'exec sleep 60', async_mode: true, exec_dir: '/tmp' });
  const [session] = (await daemon.inject('/v1/bash/sessions')).json().data;
  const expected = { working_dir: '/tmp', current_command: 'exec sleep 60', command_count: 1 };
  expect(session).toMatchObject(expected);
});

test('[bash-field.snapshot] variables and functions of the script are there, and nothing is written back', async () => {
  await using daemon = await TestApp.start();
  await using directory = await tempDir();
  const script = 'A="of the\nscript"\nexport B=2\ngreet() { echo "hello $1"; }\necho noise\nPATH="/opt/own:$PATH"\n';
  const snapshot_path = await shared(directory.path, "it's a snapshot", script);
  const created = await call(daemon, 'sessions/create', { session_id: 's', snapshot_path, exec_dir: '/tmp' });
  expect(created).toMatchObject({ working_dir: '/tmp', command_count: 0 });
  await writeFile(snapshot_path, 'A=later');
  const command = 'echo "$A/$B"; greet you; echo "$PATH" | cut -d: -f1; A=changed; pwd';
  const first = await exec(daemon, { session_id: 's', command });
  expect(first.stdout).toBe('of the\nscript/2\nhello you\n/opt/own\n/tmp\n');
  expect((await exec(daemon, { session_id: 's', command })).stdout).toBe(first.stdout);
  expect(await readFile(snapshot_path, 'utf8')).toBe('A=later');
  await call(daemon, 'sessions/create', { session_id: 's', snapshot_path });
  expect((await exec(daemon, { session_id: 's', command: 'echo "$A"' })).stdout).toBe('of the\nscript\n');
});

test('[bash-field.snapshot] a script that cannot be sourced creates no session', async () => {
  await using daemon = await TestApp.start();
  await using directory = await tempDir();
  await mkdir(join(directory.path, 'd'));
  const cases = [
    [join(directory.path, 'none'), 'is not a file that can be read'],
    [join(directory.path, 'd'), 'is not a file that can be read'],
    [await shared(directory.path, 'exits', 'exit 3'), 'ended the shell that sourced it'],
  ];
  for (const [snapshot_path, message] of cases) {
    const answer = await daemon.post('/v1/bash/sessions/create', { session_id: 's', snapshot_path });
    expect([answer.statusCode, answer.json().message]).toEqual([400, `snapshot_path ${message}: ${snapshot_path}`]);
  }
  expect((await daemon.inject('/v1/bash/sessions')).json().data).toEqual([]);
});
