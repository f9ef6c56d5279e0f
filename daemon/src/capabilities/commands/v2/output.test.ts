import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { describeOnHosts } from '../../../hosts.fixture.ts';
import { read } from '../output.fixture.ts';

describeOnHosts('by offset', () => {
  test('[out.from-offsets] [out.command] it reads from the offsets on and says where to go on', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('printf hello; printf oops >&2; exit 2');
    const data = await read(daemon, command_id, '?offset=2&stderr_offset=1');
    expect(data).toEqual({
      stdout: 'llo',
      stderr: 'ops',
      offset: 5,
      stderr_offset: 4,
      first_offset: 0,
      first_stderr_offset: 0,
      command: expect.objectContaining({ command_id, status: 'completed', exit_code: 2, signal: null }),
    });
  });

  test('text takes at most 8 MiB of JSON, and goes on at its offset', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('head -c 2000000 /dev/zero; echo end');
    const first = await read(daemon, command_id);
    expect(first.stdout).toBe('\0'.repeat(Math.floor((8 * 1024 ** 2) / 6)));
    const second = await read(daemon, command_id, `?offset=${first.offset}`);
    expect(first.stdout + second.stdout).toBe(`${'\0'.repeat(2_000_000)}end\n`);
    const base64 = await read(daemon, command_id, '?encoding=base64');
    expect(base64.offset).toBe(2_000_004);
  });

  test('[out.limit] limit bounds each stream; past the end and with limit 0 there is nothing', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('printf 0123456789; printf abcdef >&2');
    expect(await read(daemon, command_id, '?limit=4')).toMatchObject({
      stdout: '0123',
      stderr: 'abcd',
      offset: 4,
      stderr_offset: 4,
    });
    expect(await read(daemon, command_id, '?offset=99&stderr_offset=99')).toMatchObject({
      stdout: '',
      stderr: '',
      offset: 10,
      stderr_offset: 6,
    });
    expect(await read(daemon, command_id, '?limit=0')).toMatchObject({
      stdout: '',
      stderr: '',
      offset: 10,
      stderr_offset: 6,
    });
  });

  test.each([
    'offset=-1',
    'stderr_offset=-1',
    'limit=-1',
    'offset=x',
    'wait=perhaps',
    'encoding=latin1',
    'channel=both',
  ])('%s answers 422', async (query) => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('true');
    const answer = await daemon.inject(`/v2/commands/${command_id}?${query}`);
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors[0].location).toEqual(['query', query.split('=')[0]]);
  });

  test('[out.wait-timeout-422] a wait_timeout over 60 answers 422', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('true');
    for (const seconds of ['60.1', '1e9', '-1']) {
      expect((await daemon.inject(`/v2/commands/${command_id}?wait=true&wait_timeout=${seconds}`)).statusCode).toBe(
        422,
      );
    }
  });

  test('[out.unknown-404] [status.unknown-object-404] an unknown command answers 404', async () => {
    await using daemon = await TestApp.start();
    for (const [method, url] of [
      ['GET', ''],
      ['POST', '/kill'],
      ['POST', '/stdin'],
    ] as const) {
      const answer = await daemon.inject({ method, url: `/v2/commands/none${url}` });
      expect([answer.statusCode, answer.json().message]).toEqual([404, 'no command with id none']);
    }
  });

  test('[out.wait-first-byte] it waits for the first byte past either offset', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('printf a; read -r; printf b >&2; read -r', { mode: 'async' });
    expect(await read(daemon, command_id, '?wait=true')).toMatchObject({ stdout: 'a' });
    const waiting = read(daemon, command_id, '?offset=1&wait=true');
    await daemon.post(`/v2/commands/${command_id}/stdin`, { input: '\n' });
    expect(await waiting).toMatchObject({ stdout: '', stderr: 'b', command: { status: 'running' } });
  });

  test('[out.wait-end] it waits for the end', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('read -r; exit 5', { mode: 'async' });
    const waiting = read(daemon, command_id, '?wait=true');
    await daemon.post(`/v2/commands/${command_id}/stdin`, { input: '\n' });
    expect(await waiting).toMatchObject({ stdout: '', command: { status: 'completed', exit_code: 5 } });
  });

  test('[out.wait-timeout] it answers with nothing when the time is over', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('sleep 60', { mode: 'async' });
    expect(await read(daemon, command_id, '?wait=true&wait_timeout=0.1')).toMatchObject({
      stdout: '',
      command: { status: 'running' },
    });
  });

  test('[out.wait-timeout] a wait_timeout may have a fraction of a millisecond', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('sleep 60', { mode: 'async' });
    expect(await read(daemon, command_id, '?wait=true&wait_timeout=0.0272416')).toMatchObject({ stdout: '' });
  });

  test('[stream.utf8-whole] a slice never splits a sequence, and always advances', async () => {
    await using daemon = await TestApp.start();
    const text = 'aä€😀z';
    const { command_id } = await daemon.run(`printf '${text}'`);
    for (const limit of [1, 2, 3, 4, 5]) {
      let seen = '';
      let offset = 0;
      while (offset < Buffer.byteLength(text)) {
        const data = await read(daemon, command_id, `?offset=${offset}&limit=${limit}`);
        expect(data.offset).toBeGreaterThan(offset);
        seen += data.stdout;
        offset = data.offset;
      }
      expect(seen).toBe(text);
    }
  });

  test('a read waits for the rest of an incomplete sequence', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run(`printf '\\xe2\\x82'; read -r; printf '\\xac'`, { mode: 'async' });
    const waiting = read(daemon, command_id, '?wait=true');
    await daemon.post(`/v2/commands/${command_id}/stdin`, { input: '\n' });
    expect(await waiting).toMatchObject({ stdout: '€', offset: 3 });
  });

  test('[stream.utf8-replaced] [stream.base64-exact] bytes that are not UTF-8 are exact in base64', async () => {
    await using daemon = await TestApp.start();
    const { command_id, stdout } = await daemon.run(`printf 'a\\xff\\xfeb\\xc3'`);
    expect(stdout).toBe('a\uFFFD\uFFFDb\uFFFD');
    expect(await read(daemon, command_id)).toMatchObject({ stdout: 'a\uFFFD\uFFFDb\uFFFD', offset: 5 });
    const exact = await read(daemon, command_id, '?encoding=base64');
    expect(Buffer.from(exact.stdout, 'base64').toString('hex')).toBe('61fffe62c3');
  });

  test('[stream.json-8mib] one answer carries at most 8 MiB of a stream', async () => {
    await using daemon = await TestApp.start();
    const data = await daemon.run('head -c 20M /dev/zero | tr "\\0" x', { max_output_length: 0 });
    expect(data.offset).toBe(20 * 1024 ** 2);
    expect(data.truncated).toBe(true);
    expect(data.stdout.replace(/\n\[.*\]\n/, '')).toHaveLength(8 * 1024 ** 2);
    const slice = await read(daemon, data.command_id);
    expect([slice.stdout.length, slice.offset]).toEqual([8 * 1024 ** 2, 8 * 1024 ** 2]);
  });
});

describeOnHosts('raw', () => {
  test('[out.raw] it is the exact bytes of one channel', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run(`printf 'a\\xffb'; printf error >&2`);
    const raw = async (query = '') =>
      daemon.inject({ url: `/v2/commands/${command_id}${query}`, headers: { accept: 'application/octet-stream' } });
    const stdout = await raw();
    expect(stdout.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'x-first-offset': '0',
      'x-next-offset': '3',
    });
    expect(stdout.rawPayload.toString('hex')).toBe('61ff62');
    expect((await raw('?channel=stderr&stderr_offset=2&limit=2')).body).toBe('ro');
    expect((await raw('?offset=99')).body).toBe('');
  });

  test('[out.raw-unbounded] it has no bound of 8 MiB', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('head -c 20M /dev/zero');
    const raw = (query: string) =>
      daemon.inject({ url: `/v2/commands/${command_id}${query}`, headers: { accept: 'application/octet-stream' } });
    expect((await raw('')).rawPayload).toHaveLength(20 * 1024 ** 2);
    expect((await raw('?offset=5&limit=10000000')).rawPayload).toHaveLength(10_000_000);
  });
});

describeOnHosts('the list', () => {
  test('[list.newest-first] [list.filters] it is newest first and filtered', async () => {
    await using daemon = await TestApp.start();
    await daemon.post('/v2/commands/sessions', { id: 's' });
    await daemon.run('echo 1', { session: 's' });
    await daemon.run('echo 2');
    await daemon.run('sleep 60', { mode: 'async' });
    const list = async (query: string) =>
      (await daemon.inject(`/v2/commands${query}`))
        .json()
        .data.commands.map(({ command }: { command: string }) => command);
    expect(await list('')).toEqual(['sleep 60', 'echo 2', 'echo 1']);
    expect(await list('?limit=2')).toEqual(['sleep 60', 'echo 2']);
    expect(await list('?status=running')).toEqual(['sleep 60']);
    expect(await list('?session=s')).toEqual(['echo 1']);
    expect((await daemon.inject('/v2/commands?status=sleeping')).statusCode).toBe(422);
  });

  test('it has the first 1,024 characters of a command', async () => {
    await using daemon = await TestApp.start();
    const command = `: ${'x'.repeat(10_000)}`;
    const { command_id } = await daemon.run(command);
    const [listed] = (await daemon.inject('/v2/commands')).json().data.commands;
    expect(listed.command).toBe(command.slice(0, 1024));
    expect((await read(daemon, command_id)).command.command).toBe(command);
  });
});
