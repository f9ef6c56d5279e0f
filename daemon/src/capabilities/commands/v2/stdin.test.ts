import { request } from 'node:http';
import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { untilStopped } from '../../../core/process/stopped.fixture.ts';
import { describeOnHosts } from '../../../hosts.fixture.ts';
import { read } from '../output.fixture.ts';

const MIB = 1024 ** 2;

describeOnHosts('stdin that the command does not read', () => {
  test('[stdin.partial] JSON takes what fits with a hint, then 429, and a repeated call doubles nothing', async () => {
    await using daemon = await TestApp.start();
    const { command_id, pid } = await daemon.run('kill -STOP $$; exec wc -c', { mode: 'async' });
    const write = (body: object) => daemon.post(`/v2/commands/${command_id}/stdin`, body);
    const input = 'x'.repeat(12 * MIB);
    const first = (await write({ input, eof: true })).json();
    const { bytes_written: taken } = first.data;
    expect(taken).toBeGreaterThanOrEqual(8 * MIB);
    expect(taken).toBeLessThan(9 * MIB);
    expect(first.data).toMatchObject({ stdin_bytes: taken, eof: false });
    expect(first.hint).toContain(`from byte ${taken} of this input on`);
    for (const _ of [1, 2]) {
      const full = await write({ input: 'more' });
      expect(full.statusCode).toBe(429);
      expect(full.json().hint).toContain('continue');
    }
    expect((await read(daemon, command_id)).command).toMatchObject({ stdin_bytes: taken, stdin_dropped: 0 });
    expect((await write({ input, offset: taken + 1 })).statusCode).toBe(409);
    await untilStopped(pid);
    await daemon.post(`/v2/commands/${command_id}/kill`, { signal: 'SIGCONT' });
    await expect
      .poll(async () => (await write({ input, offset: 0, eof: true })).statusCode, { timeout: 30_000 })
      .toBe(409);
    await read(daemon, command_id, '?wait=true');
    const end = await read(daemon, command_id);
    expect(end.stdout).toBe(`${12 * MIB}\n`);
    expect(end.command).toMatchObject({ stdin_bytes: 12 * MIB, stdin_dropped: 0 });
  });

  test('[stdin.cut] a raw body that is cut leaves the number of bytes taken in the record', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id } = await daemon.run('wc -c', { mode: 'async' });
    const upload = request(`${base}/v2/commands/${command_id}/stdin?eof=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
    });
    upload.on('error', () => {});
    upload.write('x'.repeat(100_000));
    await expect.poll(async () => (await read(daemon, command_id)).command.stdin_bytes).toBe(100_000);
    const closed = new Promise((resolve) => upload.once('close', resolve));
    upload.destroy();
    await closed;
    expect((await daemon.post(`/v2/commands/${command_id}/stdin`, { input: 'y', eof: true })).statusCode).toBe(200);
    await read(daemon, command_id, '?wait=true');
    expect(await read(daemon, command_id)).toMatchObject({ stdout: '100001\n', command: { stdin_bytes: 100_001 } });
  });

  test('[stdin.dropped] what the command did not read is in its record', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('exec sleep 60', { mode: 'async' });
    await daemon.post(`/v2/commands/${command_id}/stdin`, { input: 'x'.repeat(1_000_000) });
    await daemon.post(`/v2/commands/${command_id}/kill`);
    await read(daemon, command_id, '?wait=true');
    const { command } = await read(daemon, command_id);
    expect(command.stdin_bytes).toBe(1_000_000);
    expect(command.stdin_dropped).toBeGreaterThan(500_000);
  });
});

describeOnHosts('eof', () => {
  test('[stdin.eof-query] ?eof=true closes stdin after JSON and without a body; two different places are 422', async () => {
    await using daemon = await TestApp.start();
    const start = async () => (await daemon.run('wc -c', { mode: 'async' })).command_id;
    const first = await start();
    const written = await daemon.post(`/v2/commands/${first}/stdin?eof=true`, { input: 'abc' });
    expect(written.json().data).toMatchObject({ bytes_written: 3, eof: true });
    await read(daemon, first, '?wait=true');
    expect((await read(daemon, first)).stdout).toBe('3\n');
    const second = await start();
    expect((await daemon.post(`/v2/commands/${second}/stdin?eof=true`, { eof: false })).statusCode).toBe(422);
    expect((await daemon.post(`/v2/commands/${second}/stdin?eof=true`)).json().data).toMatchObject({ eof: true });
    await read(daemon, second, '?wait=true');
    expect((await read(daemon, second)).stdout).toBe('0\n');
  });
});

describeOnHosts('a call that waits in vain', () => {
  test('[cmd.continue-hint] says in its hint how to go on', async () => {
    await using daemon = await TestApp.start();
    const answer = (await daemon.post('/v2/commands', { command: 'echo a; exec sleep 60', timeout: 1 })).json();
    const { command_id, status } = answer.data;
    expect(status).toBe('running');
    expect(answer.hint).toContain(`GET /v2/commands/${command_id}?offset=2&stderr_offset=0&wait=true`);
    const waited = await daemon.inject(`/v2/commands/${command_id}?offset=2&wait=true&wait_timeout=0.2`);
    expect(waited.json().hint).toContain(`/v2/commands/${command_id}?offset=2&stderr_offset=0`);
    expect((await daemon.post('/v2/commands', { command: 'true' })).json().hint).toBeNull();
  });
});
