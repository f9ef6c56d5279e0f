import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { describeOnHosts } from '../../hosts.fixture.ts';

describeOnHosts('timeouts', () => {
  test('[cmd.async] an async call answers at once', async () => {
    await using daemon = await TestApp.start();
    const data = await daemon.run('sleep 30', { mode: 'async' });
    expect(data).toMatchObject({ status: 'running', exit_code: null, ended_at: null, pid: expect.any(Number) });
  });

  test('[cmd.stdin-pipe-async] an async command has a stdin pipe', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('cat', { mode: 'async' });
    await daemon.post(`/v2/commands/${command_id}/stdin`, { input: 'hello', eof: true });
    const answer = await daemon.inject(`/v2/commands/${command_id}?stream=true`);
    expect(answer.body).toContain('"data":"hello"');
  });

  test('[cmd.sync-timeout] past timeout the answer is running, and the command goes on', async () => {
    await using daemon = await TestApp.start();
    const data = await daemon.run('echo first; read -r < <(sleep 0.5; echo); echo second', { timeout: 0.1 });
    expect(data).toMatchObject({ status: 'running', exit_code: null });
    const after = (await daemon.inject(`/v2/commands/${data.command_id}?offset=6&wait=true`)).json().data;
    expect(after).toMatchObject({ stdout: 'second\n' });
  });

  test('[cmd.timeout-default] the default is 30 s', async () => {
    await using daemon = await TestApp.start();
    const { components } = (await daemon.inject('/v2/openapi.json')).json();
    expect(components.schemas.RunCommandInput.properties.timeout).toMatchObject({ default: 30, minimum: 0 });
  });

  test.each([
    ['timeout', -1],
    ['timeout', 'soon'],
    ['hard_timeout', 0],
    ['hard_timeout', -3],
    ['max_output_length', -1],
    ['max_output_length', 1.5],
  ])('[cmd.timeout-bounds] %s %j answers 422', async (field, value) => {
    await using daemon = await TestApp.start();
    const answer = await daemon.post('/v2/commands', { command: 'true', [field]: value });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors[0].location).toEqual(['body', field]);
  });

  test('[cmd.hard-timeout] past hard_timeout all its processes are ended', async () => {
    await using daemon = await TestApp.start();
    const data = await daemon.run('setsid sleep 61 & sleep 62 & sleep 63', { hard_timeout: 0.2 });
    expect(data).toMatchObject({ status: 'timed_out', exit_code: -1, signal: 'SIGTERM' });
    await expectNothingLeft(data.command_id);
  });

  test('[cmd.hard-timeout-sigkill] what survives SIGTERM is killed 2 s later', async () => {
    await using daemon = await TestApp.start();
    const started = performance.now();
    const data = await daemon.run("trap '' TERM; echo up; while :; do sleep 0.1; done", { hard_timeout: 0.2 });
    expect(data).toMatchObject({ status: 'timed_out', signal: 'SIGKILL', exit_code: -1, stdout: 'up\n' });
    expect(performance.now() - started).toBeGreaterThan(2000);
  });

  test('a hard timeout that never comes ends nothing', async () => {
    await using daemon = await TestApp.start();
    expect(await daemon.run('echo hi', { hard_timeout: 60 })).toMatchObject({ status: 'completed', exit_code: 0 });
  });
});

/** No process carries the mark of the command. */
async function expectNothingLeft(id: string): Promise<void> {
  const pids = execFileSync('ps', ['-eo', 'pid='], { encoding: 'utf8' }).trim().split(/\s+/);
  const marked = await Promise.all(
    pids.map(async (pid) =>
      (await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')).includes(`SVC_COMMAND_ID=${id}`) ? pid : '',
    ),
  );
  expect(marked.filter(Boolean)).toEqual([]);
}
