import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@sandbox/api/wait.ts';
import { expect, test } from 'vitest';
import { describeSilentKeeper } from '../../silent-keeper.fixture.ts';

describeSilentKeeper('a keeper that is stopped', (kit) => {
  const { stop, goOn } = kit;

  test('a repeated call finds its command pending, which runs once when the keeper goes on', async () => {
    const marks = join(kit.directory, 'marks');
    const body = { command: `echo x >> ${marks}; echo out`, idempotency_key: 'k', timeout: 0.5 };
    stop();
    const first = await kit.daemon.data('/v2/commands', body);
    expect(first).toMatchObject({ status: 'pending', pid: null, exit_code: null });
    const second = await kit.daemon.data('/v2/commands', body);
    expect(second).toMatchObject({ command_id: first.command_id, status: 'pending' });
    const reading = kit.daemon.data(`/v2/commands/${first.command_id}?wait=true&wait_timeout=60`);
    goOn();
    expect(await reading).toMatchObject({ stdout: 'out\n' });
    const third = async (): Promise<unknown> => (await kit.daemon.data('/v2/commands', body)).status;
    await expect.poll(third).toBe('completed');
    expect(await readFile(marks, 'latin1')).toBe('x\n');
  });

  test('a call that is async, or would wait for longer, is answered after 5 s', async () => {
    stop();
    const calls = [{ mode: 'async' }, { timeout: 600 }].map((more) =>
      kit.daemon.data('/v2/commands', { command: 'exit 0', ...more }),
    );
    const answering = Promise.all(calls);
    const end = await waitFor(answering, { ms: 60_000 });
    goOn();
    const answers = await answering;
    expect([end, ...answers.map(({ status }) => status)]).toEqual(['settled', 'pending', 'pending']);
    for (const { command_id } of answers) {
      const { command } = await kit.daemon.data(`/v2/commands/${command_id}?wait=true&wait_timeout=60`);
      expect(command.exit_code).toBe(0);
    }
  });

  test('stdin that the keeper does not read is 503', async () => {
    const run = { command: 'wc -c', mode: 'async' };
    const { command_id } = await kit.daemon.data('/v2/commands', run);
    const write = (bytes: number): Promise<Response> =>
      fetch(`${kit.daemon.base}/v2/commands/${command_id}/stdin`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: Buffer.alloc(bytes),
      });
    stop();
    expect((await write(2_000_000)).status).toBe(503);
    goOn();
    await expect.poll(async () => (await write(1)).status).toBe(200);
    await kit.daemon.data(`/v2/commands/${command_id}/kill`, { signal: 'SIGKILL' });
  });

  test('a repeated call with an offset doubles nothing of what the keeper takes when it goes on', async () => {
    const { command_id } = await kit.daemon.data('/v2/commands', { command: 'wc -c', mode: 'async' });
    const write = (body: object): Promise<Response> =>
      fetch(`${kit.daemon.base}/v2/commands/${command_id}/stdin`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ input: 'x'.repeat(1000), offset: 0, ...body }),
      });
    stop();
    expect((await write({})).status).toBe(503);
    const repeated = write({ eof: true });
    // The service has begun with the call when it answers another one on a later connection.
    await kit.daemon.data(`/v2/commands/${command_id}`);
    goOn();
    expect((await repeated).status).toBe(200);
    expect((await kit.daemon.data(`/v2/commands/${command_id}?wait=true&wait_timeout=60`)).stdout).toBe('1000\n');
  });

  test('a call without an offset is told at which one it doubles nothing', async () => {
    const { command_id } = await kit.daemon.data('/v2/commands', { command: 'wc -c', mode: 'async' });
    const write = async (body: object) => {
      const answer = await fetch(`${kit.daemon.base}/v2/commands/${command_id}/stdin`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: (await answer.json()) as { data: unknown; hint: string } };
    };
    expect((await write({ input: 'begin' })).status).toBe(200);
    stop();
    const first = await write({ input: 'x'.repeat(1000) });
    expect([first.status, first.body.data]).toEqual([503, { stdin_bytes: 5 }]);
    expect(first.body.hint).toContain('"offset": 5');
    // Nothing of a call is sent while an earlier one has no answer.
    const second = await write({ input: 'y'.repeat(50) });
    expect([second.status, second.body.data]).toEqual([503, null]);
    goOn();
    const repeated = async () => (await write({ input: 'x'.repeat(1000), offset: 5 })).status;
    await expect.poll(repeated).toBe(200);
    expect((await write({ input: '', eof: true })).status).toBe(200);
    expect((await kit.daemon.data(`/v2/commands/${command_id}?wait=true&wait_timeout=60`)).stdout).toBe('1005\n');
  });

  test('a kill and a hard timeout of a pending command take effect when the keeper goes on', async () => {
    stop();
    const run = { command: 'sleep 1000', timeout: 0.2 };
    const killed = await kit.daemon.data('/v2/commands', run);
    const timed = await kit.daemon.data('/v2/commands', { ...run, hard_timeout: 0.1 });
    expect([killed.status, timed.status]).toEqual(['pending', 'pending']);
    await kit.daemon.data(`/v2/commands/${killed.command_id}/kill`, { signal: 'SIGKILL' });
    goOn();
    const statusOf = (id: string) => async () => (await kit.daemon.data(`/v2/commands/${id}`)).command.status;
    await expect.poll(statusOf(killed.command_id)).toBe('killed');
    await expect.poll(statusOf(timed.command_id)).toBe('timed_out');
  });
});
