import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { TestApp } from '../../app.fixture.ts';
import { describeOnHosts, hasKeeper } from '../../hosts.fixture.ts';
import { read } from './output.fixture.ts';

/** Runs a test whose time-outs come when it says so: what has to be before them is then before them on any machine. */
async function withTimers(also: readonly 'Date'[], run: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', ...also] });
  try {
    await run();
  } finally {
    vi.useRealTimers();
  }
}

describeOnHosts('timeouts', () => {
  test('[cmd.async] an async call answers at once', async () => {
    await using daemon = await TestApp.start();
    const data = await daemon.run('sleep 1000', { mode: 'async' });
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
    const go = join(tmpdir(), `go-${randomUUID()}`);
    const script = `echo first; until [ -e ${go} ]; do sleep 0.02; done; echo second`;
    const data = await daemon.run(script, { timeout: 0.1 });
    expect(data).toMatchObject({ status: 'running', exit_code: null });
    await writeFile(go, '');
    const after = (await daemon.inject(`/v2/commands/${data.command_id}?offset=6&wait=true`)).json().data;
    expect(after).toMatchObject({ stdout: 'second\n' });
    await rm(go);
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
    await withTimers([], async () => {
      const script =
        "trap 'echo told' TERM; echo up; while read -r line; do echo $line; done; while :; do sleep 0.1; done";
      const { command_id } = await daemon.run(script, { mode: 'async', hard_timeout: 60 });
      const past = async (offset: number) => (await read(daemon, command_id, `?wait=true&offset=${offset}`)).stdout;
      expect(await past(0)).toBe('up\n');
      expect(vi.getTimerCount()).toBe(1);
      vi.advanceTimersToNextTimer();
      expect(await past(3)).toBe('told\n');
      vi.advanceTimersByTime(1999);
      await daemon.post(`/v2/commands/${command_id}/stdin`, { input: 'alive\n' });
      expect(await past(8)).toBe('alive\n');
      vi.advanceTimersByTime(1);
      await past(14);
      const { command } = await read(daemon, command_id);
      expect(command).toMatchObject({ status: 'timed_out', signal: 'SIGKILL', exit_code: -1 });
    });
  });

  test('a hard timeout that never comes ends nothing', async () => {
    await using daemon = await TestApp.start();
    expect(await daemon.run('echo hi', { hard_timeout: 60 })).toMatchObject({ status: 'completed', exit_code: 0 });
  });
});

describe.runIf(hasKeeper)('a daemon that stood still', () => {
  test('hears of the end after its timer, and does not take that for a time-out', async () => {
    await using daemon = await TestApp.start({ processHost: 'keeper' });
    const go = join(tmpdir(), `go-${randomUUID()}`);
    await withTimers(['Date'], async () => {
      const script = `until [ -e ${go} ]; do sleep 0.02; done; exit 3`;
      const { command_id, pid } = await daemon.run(script, { mode: 'async', hard_timeout: 60 });
      writeFileSync(go, '');
      while (existsSync(`/proc/${pid}`)) stand(5);
      vi.advanceTimersByTime(60_000);
      const { command } = await read(daemon, command_id, '?wait=true');
      expect(command).toMatchObject({ status: 'completed', exit_code: 3 });
    });
    await rm(go);
  });
});

/** Holds the event loop for so many milliseconds. */
function stand(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** No process carries the mark of the command. */
async function expectNothingLeft(id: string): Promise<void> {
  await expect
    .poll(async () => {
      const pids = execFileSync('ps', ['-eo', 'pid='], { encoding: 'utf8' }).trim().split(/\s+/);
      const marked = await Promise.all(
        pids.map(async (pid) =>
          (await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')).includes(`SVC_COMMAND_ID=${id}`)
            ? pid
            : '',
        ),
      );
      return marked.filter(Boolean);
    })
    .toEqual([]);
}
