import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { seededBytes } from '../../../../../scripts/testing/seeded-random.ts';
import { TestApp } from '../../../app.fixture.ts';
import { untilStopped } from '../../../core/process/stopped.fixture.ts';
import { describeOnHosts } from '../../../hosts.fixture.ts';
import { TestAttachment } from '../attach/attach.fixture.ts';
import { read } from '../output.fixture.ts';

const MIB = 1024 ** 2;
const ASYNC = { mode: 'async' };

/** Status of the answer to a handshake. */
async function handshake(base: string, path: string, headers: Record<string, string> = {}): Promise<number> {
  const [id = '', query = ''] = path.split('?');
  const at = Object.fromEntries(new URLSearchParams(query));
  await using client = new TestAttachment(base, id, at, { headers });
  return await new Promise<number>((resolve) => {
    client.socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    client.socket.on('open', () => resolve(101));
  });
}

describe('the upgrade of an attachment', () => {
  test('[attach.access] it needs the key or a ticket', async () => {
    await using daemon = await TestApp.start({ apiKey: 'secret' });
    const base = await daemon.listen();
    const key = { 'x-api-key': 'secret' };
    const started = await daemon.post('/v2/commands', { command: 'cat', mode: 'async' }, key);
    const id = started.json().data.command_id;
    expect(await handshake(base, id)).toBe(401);
    expect(await handshake(base, id, { 'x-api-key': 'wrong' })).toBe(401);
    expect(await handshake(base, id, key)).toBe(101);
    expect(await handshake(base, `${id}?api_key=secret`)).toBe(101);
    const ticketFor = async (scope: object): Promise<string> =>
      (await daemon.post('/v2/tickets', scope, key)).json().data.ticket;
    const ticket = await ticketFor({ path_prefix: `/v2/commands/${id}/` });
    expect(await handshake(base, `${id}?ticket=${ticket}`)).toBe(101);
    expect(await handshake(base, `${id}?ticket=${ticket}`)).toBe(401);
    const readOnly = await ticketFor({ target: `/v2/commands/${id}/attach` });
    expect(await handshake(base, `${id}?write=true&ticket=${readOnly}`)).toBe(401);
    expect(await handshake(base, `${id}?ticket=${readOnly}`)).toBe(101);
    expect(await handshake(base, `${id}?ticket=${await ticketFor({ path_prefix: '/v2/pty' })}`)).toBe(401);
  });

  test('[attach.access] a foreign origin is refused, the own one is not', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id: id } = await daemon.run('cat', ASYNC);
    expect(await handshake(base, id, { origin: 'http://evil.example' })).toBe(403);
    expect(await handshake(base, id, { host: 'evil.example' })).toBe(403);
    expect(await handshake(base, id, { origin: base })).toBe(101);
  });

  test('[attach.refused] an unknown command is 404, a wrong field 422 with its name, a plain request 426', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    expect(await handshake(base, 'none')).toBe(404);
    const { command_id: id } = await daemon.run('cat', ASYNC);
    for (const field of ['stdout', 'stderr', 'write']) {
      for (const value of ['-1', '1.5', '9223372036854775808', 'NaN', ' ', '']) {
        expect(await handshake(base, `${id}?${field}=${value}`)).toBe(422);
        const { errors } = (await daemon.inject(`/v2/commands/${id}/attach?${field}=${value}`)).json();
        expect(errors[0].location).toEqual(['query', field]);
      }
    }
    const plain = await daemon.inject(`/v2/commands/${id}/attach?write=true`);
    expect([plain.statusCode, plain.headers['upgrade']]).toEqual([426, 'websocket']);
    expect(await handshake(base, `${id}?write=true`)).toBe(101);
  });
});

describeOnHosts('clients of one command', () => {
  test('[attach.one-writer] a second writer and a call are refused with 409 until the first has left', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id: id } = await daemon.run('cat', ASYNC);
    const stdin = () => daemon.post(`/v2/commands/${id}/stdin`, { input: 'x' });
    const first = new TestAttachment(base, id, { write: true });
    await first.message('ready');
    expect(await handshake(base, `${id}?write=true`)).toBe(409);
    const refused = await stdin();
    expect([refused.statusCode, refused.json().hint]).toEqual([409, expect.stringContaining('WebSocket')]);
    await using reader = new TestAttachment(base, id);
    expect(await reader.message('ready')).toMatchObject({ write: false, stdin_open: true });
    reader.write(0, 'intruder');
    reader.control({ type: 'eof', offset: 0 });
    await reader.until(() => reader.controls.filter(({ type }) => type === 'error').length === 2);
    expect(await reader.message('error')).toMatchObject({ code: 'forbidden', hint: 'attach with write=true' });
    first.write(0, 'a');
    await reader.until(() => reader.stdout.at === 1);
    await first[Symbol.asyncDispose]();
    await expect.poll(async () => (await stdin()).statusCode).toBe(200);
    await using second = new TestAttachment(base, id, { write: true });
    expect(await second.message('ready')).toMatchObject({ stdin_offset: 2 });
    second.control({ type: 'eof', offset: 2 });
    await Promise.all([second.message('exit'), reader.message('exit')]);
    expect([reader.stdout.text, second.stdout.text]).toEqual(['ax', 'ax']);
  });

  test('[attach.readers] many readers see every byte of both streams, and a slow one delays nobody', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id: id } = await daemon.run('read -r; seq 1 900000 & seq 1 300000 >&2; wait', ASYNC);
    const clients = Array.from({ length: 12 }, () => new TestAttachment(base, id));
    const [slow, ...readers] = clients;
    try {
      await Promise.all(clients.map((client) => client.message('ready')));
      slow?.socket.pause();
      await daemon.post(`/v2/commands/${id}/stdin`, { input: '\n' });
      await Promise.all(readers.map((client) => client.message('exit')));
      expect(slow?.stdout.at).toBe(0);
      expect((await daemon.inject('/metrics')).body).toMatch(/\ncommand_attachments(?:{[^}]*})? [1-9]\d*\n/);
      slow?.socket.resume();
      await slow?.message('exit');
      const [out, err] = await Promise.all(
        ['stdout', 'stderr'].map(async (channel) => {
          const headers = { accept: 'application/octet-stream' };
          return (await daemon.inject({ url: `/v2/commands/${id}?channel=${channel}`, headers })).rawPayload;
        }),
      );
      for (const { stdout, stderr } of clients) {
        expect(out?.equals(stdout.bytes)).toBe(true);
        expect(err?.equals(stderr.bytes)).toBe(true);
      }
    } finally {
      for (const client of clients) await client[Symbol.asyncDispose]();
    }
  });

  test('[attach.gap] a reader that falls behind what is kept is told where its stream goes on', async () => {
    await using daemon = await TestApp.start({ commandOutputMaxBytes: 65_536 });
    const base = await daemon.listen();
    const { command_id: id } = await daemon.run('seq 1 3000000; echo -n kept >&2', ASYNC);
    await read(daemon, id, '?wait=true&offset=100000000');
    await expect.poll(async () => (await read(daemon, id)).command.status).toBe('completed');
    await using client = new TestAttachment(base, id);
    const { first_offset: first } = await client.message('gap');
    expect(await client.message('gap')).toEqual({ type: 'gap', stream: 'stdout', first_offset: first });
    const { stdout_bytes } = await client.message('exit');
    expect(client.stdout.text).toMatch(/\n3000000\n$/);
    expect(client.stdout.bytes.length).toBe(stdout_bytes - first);
    expect(client.stderr.text).toBe('kept');
  });

  test('[attach.dropped] a command that retention drops from under a slow reader is a gap and an exit', async () => {
    await using daemon = await TestApp.start({ commandRetentionSeconds: 1 });
    const base = await daemon.listen();
    const { command_id: id } = await daemon.run('head -c 50000000 /dev/zero', ASYNC);
    await using client = new TestAttachment(base, id);
    await client.message('ready');
    client.socket.pause();
    await expect
      .poll(async () => (await daemon.inject(`/v2/commands/${id}`)).statusCode, { timeout: 60_000 })
      .toBe(404);
    client.socket.resume();
    expect(await client.message('exit')).toMatchObject({ exit_code: 0, stdout_bytes: 50_000_000 });
    expect(client.controls).toContainEqual({ type: 'gap', stream: 'stdout', first_offset: 50_000_000 });
    expect((await client.closed)[0]).toBe(1000);
    expect(await handshake(base, id)).toBe(404);
  });
});

describeOnHosts('a writer', () => {
  test('[attach.back-pressure] the service reads no further while the command does not read', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id: id, pid } = await daemon.run('kill -STOP $$; exec sha256sum', ASYNC);
    await using client = new TestAttachment(base, id, { write: true });
    await client.message('ready');
    const bytes = seededBytes(96 * MIB);
    client.write(0, bytes);
    await client.until(() => client.controls.some(({ type, offset }) => type === 'ack' && offset > 6 * MIB));
    for (let round = 0; round < 100; round++) expect((await fetch(`${base}/v2/commands/${id}`)).status).toBe(200);
    expect((await read(daemon, id)).command.stdin_bytes).toBeLessThan(9 * MIB);
    expect(client.socket.bufferedAmount).toBeGreaterThan(64 * MIB);
    await untilStopped(pid);
    await daemon.post(`/v2/commands/${id}/kill`, { signal: 'SIGCONT' });
    client.control({ type: 'eof', offset: bytes.length });
    await client.message('exit');
    expect(client.stdout.text).toBe(`${createHash('sha256').update(bytes).digest('hex')}  -\n`);
  });

  test('[attach.cut] a writer that is cut again and again goes on at the byte that was taken', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id: id } = await daemon.run('cat', ASYNC);
    const bytes = seededBytes(24 * MIB);
    const back: Buffer[] = [];
    let at = 0;
    for (let cut = 1; ; cut++) {
      await using client = new TestAttachment(base, id, { write: true, stdout: at });
      const { stdin_offset: taken } = await client.message('ready').catch(() => ({ stdin_offset: undefined }));
      // The service may still serve the connection before this one.
      if (client.refused === 409) continue;
      client.write(taken, bytes.subarray(taken));
      if (cut < 12) {
        await client.until(() => client.stdout.at > Math.min(cut * MIB, bytes.length - 1));
      } else {
        client.control({ type: 'eof', offset: bytes.length });
        await client.message('exit');
      }
      client.socket.terminate();
      await client.closed;
      back.push(client.stdout.bytes);
      at = client.stdout.at;
      if (cut >= 12) break;
    }
    expect(Buffer.concat(back).equals(bytes)).toBe(true);
    expect((await read(daemon, id)).command).toMatchObject({ stdin_bytes: bytes.length, stdin_dropped: 0 });
  });
});
