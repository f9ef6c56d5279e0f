import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withGrowingTime } from '../../../../../scripts/testing/rounds.ts';
import { TestApp } from '../../../app.fixture.ts';
import { describeOnHosts, hasKeeper } from '../../../hosts.fixture.ts';
import { read } from '../output.fixture.ts';
import { toldAt, UNYIELDING } from '../unyielding.fixture.ts';

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

  test('[cmd.sync-timeout] past timeout the answer is running, and the command keeps running', async () => {
    await using daemon = await TestApp.start();
    const go = join(tmpdir(), `go-${randomUUID()}`);
    const script = `echo first; until [ -e ${go} ]; do sleep 0.02; done; echo second`;
    const data = await withGrowingTime(0.1, async (timeout) => {
      const answer = await daemon.run(script, { timeout });
      return answer.status === 'pending' ? undefined : answer;
    });
    expect(data).toMatchObject({ status: 'running', exit_code: null });
    await writeFile(go, '');
    const after = (await daemon.inject(`/v2/commands/${data.command_id}?offset=6&wait=true`)).json().data;
    expect(after).toMatchObject({ stdout: 'second\n' });
    await rm(go);
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

  test('[cmd.hard-timeout] past hard_timeout all processes of the command are ended', async () => {
    await using daemon = await TestApp.start();
    const data = await daemon.run('setsid sleep 61 & sleep 62 & sleep 63', { hard_timeout: 0.2 });
    expect(data).toMatchObject({ status: 'timed_out', exit_code: -1, signal: 'SIGTERM' });
    await expectNothingLeft(data.command_id);
  });

  test('[cmd.hard-timeout-sigkill] a command that survives SIGTERM is killed 2 s later, not before and not much later', async () => {
    await using daemon = await TestApp.start();
    const lasted = await withGrowingTime(0.5, async (hard_timeout) => {
      const data = await daemon.run(UNYIELDING, { hard_timeout });
      expect(data).toMatchObject({ status: 'timed_out', exit_code: -1 });
      const told = toldAt(data.stdout);
      // On a busy machine SIGTERM may come before the trap is set, or SIGKILL before the trap has run.
      if (told === undefined) return undefined;
      expect(data.signal).toBe('SIGKILL');
      const ended = Date.parse(String(data.ended_at));
      expect(ended - Date.parse(String(data.started_at))).toBeGreaterThan((hard_timeout + 2) * 1000 - 20);
      return ended - told;
    });
    expect(lasted).toBeLessThan(4000);
  });

  test('a command that ends before its hard timeout completes', async () => {
    await using daemon = await TestApp.start();
    expect(await daemon.run('echo hi', { hard_timeout: 60 })).toMatchObject({ status: 'completed', exit_code: 0 });
  });
});

describe.runIf(hasKeeper)('a daemon that stood still', () => {
  test('gets the end after its timer has fired, and records no time-out', async () => {
    await using daemon = await TestApp.start({ processHost: 'keeper' });
    const go = join(tmpdir(), `go-${randomUUID()}`);
    const script = `until [ -e ${go} ]; do sleep 0.02; done; exit 3`;
    const command = await withGrowingTime(0.5, async (hard_timeout) => {
      const asked = performance.now();
      const { command_id, pid } = await daemon.run(script, { mode: 'async', hard_timeout });
      const answered = performance.now();
      writeFileSync(go, '');
      while (existsSync(`/proc/${pid}`)) stand(5);
      const inTime = performance.now() < asked + hard_timeout * 1000;
      stand(answered + hard_timeout * 1000 + 100 - performance.now());
      const ended = await read(daemon, command_id, '?wait=true');
      await rm(go);
      return inTime ? ended.command : undefined;
    });
    expect(command).toMatchObject({ status: 'completed', exit_code: 3 });
  });
});

/** Holds the event loop for so many milliseconds. */
function stand(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.max(0, milliseconds));
}

/** Expects that no process carries the mark of the command. */
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
