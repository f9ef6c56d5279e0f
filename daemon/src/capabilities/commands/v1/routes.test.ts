import { randomUUID } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { expectValid } from '../../../wire.fixture.ts';

/** Checks a request and its answer against the wire schemas of their route. */
async function call(daemon: TestApp, path: string, request?: string, body: object = {}) {
  if (request !== undefined) expectValid(request, body);
  const answer = request === undefined ? await daemon.inject(path) : await daemon.post(path, body);
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

async function exec(daemon: TestApp, body: object) {
  const answer = await call(daemon, '/v1/bash/exec', 'BashExecRequest', body);
  expectValid('Response_BashExecResult_', answer);
  return answer.data;
}

async function output(daemon: TestApp, body: object) {
  const answer = await call(daemon, '/v1/bash/output', 'BashOutputRequest', body);
  expectValid('Response_BashOutputResult_', answer);
  return answer.data;
}

describe('bash/exec', () => {
  test('[v1.exec-fields] [v1.required-fields] it answers the fields of 1.x', async () => {
    await using daemon = await TestApp.start();
    const data = await exec(daemon, { session_id: 's', command: 'echo out; echo err >&2; exit 3' });
    expect(data).toEqual({
      session_id: 's',
      command_id: expect.any(String),
      command: 'echo out; echo err >&2; exit 3',
      status: 'completed',
      stdout: 'out\n',
      stderr: 'err\n',
      exit_code: 3,
      offset: 4,
      stderr_offset: 4,
    });
  });

  test('[v1.exec-session-omitted] without a session each call gets one of its own', async () => {
    await using daemon = await TestApp.start();
    const one = await exec(daemon, { command: 'export A=1' });
    const two = await exec(daemon, { command: 'echo "[$A]"', session_id: null, env: null });
    expect(one.session_id).not.toBe(two.session_id);
    expect(two.stdout).toBe('[]\n');
    expect((await output(daemon, { session_id: two.session_id })).stdout).toBe('[]\n');
  });

  test('[v1.session-omitted-retention] such a session counts against no ceiling and goes with its record', async () => {
    await using daemon = await TestApp.start({ commandMaxSessions: 1, commandMaxRecords: 2 });
    await exec(daemon, { session_id: 'named', command: 'sleep 60', async_mode: true });
    for (let i = 0; i < 5; i += 1) await exec(daemon, { command: 'true' });
    const ids = async () => (await call(daemon, '/v1/bash/sessions')).data.length;
    await expect.poll(ids).toBe(3);
    expect((await daemon.post('/v1/bash/exec', { session_id: 'another', command: 'true' })).statusCode).toBe(429);
  });

  test('[v1.exec-unknown-session-created] an unknown session is created on first use', async () => {
    await using daemon = await TestApp.start();
    expect((await exec(daemon, { session_id: 'mine', command: 'pwd' })).session_id).toBe('mine');
    expect((await call(daemon, '/v1/bash/sessions')).data).toMatchObject([{ session_id: 'mine', command_count: 1 }]);
  });

  test('a refused call creates no session', async () => {
    await using daemon = await TestApp.start();
    expect(
      (await daemon.post('/v1/bash/exec', { session_id: 'x', command: 'true', exec_dir: '/no/such' })).statusCode,
    ).toBe(400);
    expect((await call(daemon, '/v1/bash/sessions')).data).toEqual([]);
  });

  test('[v1.exec-dir-absolute] exec_dir must be absolute and exist', async () => {
    await using daemon = await TestApp.start();
    for (const exec_dir of ['tmp', './x', '~', '/no/such', '/etc/passwd']) {
      const answer = await daemon.post('/v1/bash/exec', { command: 'true', exec_dir });
      expect([answer.statusCode, answer.json().message]).toEqual([400, expect.stringMatching(/^exec_dir /)]);
    }
  });

  test('[v1.exec-dir-default] exec_dir becomes the default of the session', async () => {
    await using daemon = await TestApp.start();
    await exec(daemon, { session_id: 's', command: 'true', exec_dir: '/tmp' });
    expect((await exec(daemon, { session_id: 's', command: 'cd /; pwd' })).stdout).toBe('/\n');
    expect((await exec(daemon, { session_id: 's', command: 'pwd' })).stdout).toBe('/tmp\n');
  });

  test('[v1.exec-env] docs/contract.md §12 /bash exec env: env reaches the command, and no later one', async () => {
    await using daemon = await TestApp.start();
    expect((await exec(daemon, { session_id: 's', command: 'echo $A', env: { A: '1' } })).stdout).toBe('1\n');
    expect((await exec(daemon, { session_id: 's', command: 'echo $A' })).stdout).toBe('\n');
  });

  test('[v1.exec-async] [v1.write] [v1.newest] an async command goes on and reads its stdin', async () => {
    await using daemon = await TestApp.start();
    const data = await exec(daemon, { session_id: 's', command: 'read -r x; echo "got $x"', async_mode: true });
    expect(data).toMatchObject({ status: 'running', exit_code: null });
    const written = await call(daemon, '/v1/bash/write', 'BashWriteRequest', { session_id: 's', input: 'hi\n' });
    expectValid('Response', written);
    const end = await output(daemon, { session_id: 's', offset: 7, wait: true });
    expect(end.command).toMatchObject({ command_id: data.command_id, status: 'completed', exit_code: 0 });
    expect((await output(daemon, { session_id: 's' })).stdout).toBe('got hi\n');
  });

  test.each([
    ['timed_out', { command: 'sleep 60', hard_timeout: 0.1 }, -1],
    ['killed', { command: 'kill -9 $$' }, -1],
    ['running', { command: 'sleep 60', timeout: 0.05 }, null],
    ['completed', { command: 'exit 9' }, 9],
  ])('[v1.exec-statuses] %s', async (status, body, exit_code) => {
    await using daemon = await TestApp.start();
    expect(await exec(daemon, body)).toMatchObject({ status, exit_code });
  });

  test('[v1.exec-failed] a command that could not be started shows as completed with 126 or 127', async () => {
    await using daemon = await TestApp.start();
    await using directory = await tempDir();
    await chmod(directory.path, 0o755);
    await writeFile(join(directory.path, 'sh'), '', { mode: 0o644 });
    for (const [path, exit_code] of [
      ['/nowhere', 127],
      [directory.path, 126],
    ]) {
      const data = await exec(daemon, { session_id: 's', command: 'true', env: { PATH: path } });
      expect(data).toMatchObject({ status: 'completed', exit_code, stdout: '', stderr: expect.stringMatching(/./) });
    }
  });

  test('[v1.exec-side-by-side] commands of one session run side by side', async () => {
    await using daemon = await TestApp.start();
    const flag = `flag-${randomUUID()}`;
    const waits = exec(daemon, {
      session_id: 's',
      command: `until [ -e "$PWD/${flag}" ]; do sleep 0.02; done; rm ${flag}; echo seen`,
      exec_dir: tmpdir(),
    });
    await exec(daemon, { session_id: 's', command: `touch ${join(tmpdir(), flag)}` });
    expect((await waits).stdout).toBe('seen\n');
  });

  test('[v1.exec-no-timeout] without timeout it waits for the end', async () => {
    await using daemon = await TestApp.start();
    expect(await exec(daemon, { command: 'sleep 1; echo end' })).toMatchObject({
      status: 'completed',
      stdout: 'end\n',
    });
  });

  test('[v1.exec-caller-gone] a caller that gives up does not stop the command', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const flag = join(tmpdir(), `flag-${randomUUID()}`);
    const caller = new AbortController();
    const body = JSON.stringify({
      session_id: 's',
      command: `echo begun; until [ -e ${flag} ]; do sleep 0.02; done; rm ${flag}; echo survived`,
    });
    const request = fetch(`${base}/v1/bash/exec`, { method: 'POST', body, signal: caller.signal });
    const givenUp = expect(request).rejects.toThrow(/abort/i);
    const written = async () => (await daemon.post('/v1/bash/output', { session_id: 's' })).json().data?.stdout;
    await expect.poll(written).toBe('begun\n');
    caller.abort();
    await givenUp;
    await expect.poll(() => promisify(daemon.app.server.getConnections.bind(daemon.app.server))()).toBe(0);
    await exec(daemon, { command: `touch ${flag}` });
    await expect.poll(written).toBe('begun\nsurvived\n');
  });

  test('[v1.clamped] values out of bounds become the nearest allowed ones', async () => {
    await using daemon = await TestApp.start();
    const data = await exec(daemon, {
      session_id: 's',
      command: 'echo hi',
      timeout: 1e12,
      max_output_length: -5,
      hard_timeout: 1e12,
    });
    expect(data).toMatchObject({ status: 'completed' });
    const read = await output(daemon, {
      session_id: 's',
      offset: -7,
      stderr_offset: -1,
      wait: true,
      wait_timeout: 1e9,
    });
    expect(read.stdout).toBe('hi\n');
    expect((await exec(daemon, { command: 'sleep 60', timeout: -1 })).status).toBe('running');
  });
});

describe('output, write, kill and sessions', () => {
  test('[v1.output-fields] [v1.output-wait] bash/output waits and answers the fields of 1.x', async () => {
    await using daemon = await TestApp.start();
    const command = 'read -r; printf abc; sleep 60';
    const { command_id } = await exec(daemon, { session_id: 's', command, async_mode: true });
    const waiting = output(daemon, { session_id: 's', command_id, wait: true });
    await call(daemon, '/v1/bash/write', 'BashWriteRequest', { session_id: 's', input: '\n' });
    expect(await waiting).toEqual({
      session_id: 's',
      stdout: 'abc',
      stderr: '',
      offset: 3,
      stderr_offset: 0,
      command: { command_id, command, status: 'running', exit_code: null },
    });
    expect((await output(daemon, { session_id: 's', offset: 1 })).stdout).toBe('bc');
  });

  test('a session without a command has no output', async () => {
    await using daemon = await TestApp.start();
    await call(daemon, '/v1/bash/sessions/create', 'BashSessionCreateRequest', { session_id: 's' });
    expect(await output(daemon, { session_id: 's' })).toMatchObject({ stdout: '', command: null });
    expect((await daemon.post('/v1/bash/kill', { session_id: 's' })).statusCode).toBe(404);
  });

  test('[v1.kill] kill sends SIGTERM, or the named signal', async () => {
    await using daemon = await TestApp.start();
    for (const [body, signal] of [
      [{}, 'SIGTERM'],
      [{ signal: 'SIGKILL' }, 'SIGKILL'],
    ] as const) {
      const { command_id } = await exec(daemon, { session_id: 's', command: 'sleep 60', async_mode: true });
      const killed = await call(daemon, '/v1/bash/kill', 'BashKillRequest', { session_id: 's', ...body });
      expectValid('Response', killed);
      expect((await output(daemon, { session_id: 's', wait: true })).command).toMatchObject({
        command_id,
        status: 'killed',
        exit_code: -1,
      });
      expect((await daemon.inject(`/v2/commands/${command_id}`)).json().data.command.signal).toBe(signal);
    }
    expect((await daemon.post('/v1/bash/kill', { session_id: 's', signal: 'SIGNOPE' })).statusCode).toBe(422);
  });

  test('[v1.sessions-create] [v1.sessions-array] sessions are created, answered again, and listed as an array', async () => {
    await using daemon = await TestApp.start();
    const made = await call(daemon, '/v1/bash/sessions/create', 'BashSessionCreateRequest', {
      session_id: 's',
      exec_dir: '/tmp',
    });
    expectValid('Response_BashSessionInfo_', made);
    expect(made.data).toMatchObject({ session_id: 's', status: 'ready', working_dir: '/tmp', command_count: 0 });
    const again = await call(daemon, '/v1/bash/sessions/create', 'BashSessionCreateRequest', {
      session_id: 's',
      snapshot_path: null,
    });
    expect(again.data).toMatchObject({ session_id: 's', working_dir: '/tmp' });
    const list = await call(daemon, '/v1/bash/sessions');
    expectValid('Response_list_BashSessionInfo__', list);
    expect(list.data).toEqual([made.data]);
  });

  test('[v1.sessions-close] close ends the session and its commands', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await exec(daemon, { session_id: 's', command: 'sleep 60', async_mode: true });
    expectValid('Response', await call(daemon, '/v1/bash/sessions/s/close', 'Response', {}));
    expect((await daemon.inject(`/v2/commands/${command_id}`)).json().data.command.status).toBe('killed');
    expect((await call(daemon, '/v1/bash/sessions')).data).toEqual([]);
    const gone = await daemon.post('/v1/bash/sessions/s/close');
    expect(gone.statusCode).toBe(404);
  });

  test('unknown sessions and commands of other sessions answer 404', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await exec(daemon, { session_id: 'a', command: 'true' });
    await exec(daemon, { session_id: 'b', command: 'true' });
    for (const body of [
      { session_id: 'none' },
      { session_id: 'b', command_id },
      { session_id: 'a', command_id: 'none' },
    ]) {
      expect((await daemon.post('/v1/bash/output', body)).statusCode).toBe(404);
      expect((await daemon.post('/v1/bash/write', { ...body, input: 'x' })).statusCode).toBe(404);
      expect((await daemon.post('/v1/bash/kill', body)).statusCode).toBe(404);
    }
  });

  test('a validation failure has the form that 1.x clients parse', async () => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v1/bash/output', {});
    expect(answer.statusCode).toBe(422);
    expectValid('HTTPValidationError', answer.json());
  });
});
