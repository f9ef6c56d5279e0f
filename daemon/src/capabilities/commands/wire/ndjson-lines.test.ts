import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { soonestOf } from '../../../../../scripts/testing/rounds.ts';
import { seededBytes } from '../../../../../scripts/testing/seeded-random.ts';
import { TestApp } from '../../../app.fixture.ts';
import { describeOnHosts } from '../../../hosts.fixture.ts';
import { bytesOf, linesOf, read } from '../output.fixture.ts';

describeOnHosts('as NDJSON', () => {
  test.each([
    ['[out.stream-accept]', '', { accept: 'application/x-ndjson' }],
    ['[out.stream-query]', '?stream=true', {}],
  ])('[stream.ndjson] [out.stream-exit] %s: it streams to the exit', async (_name, query, headers) => {
    await using daemon = await TestApp.start();
    const script = 'printf hello; read -r; printf oops >&2; kill -9 $$';
    const { command_id } = await daemon.run(script, { mode: 'async' });
    // Bytes that wait in two pipes at once have no order.
    await read(daemon, command_id, '?wait=true');
    await daemon.post(`/v2/commands/${command_id}/stdin`, { input: '\n' });
    const answer = await daemon.inject({ url: `/v2/commands/${command_id}${query}`, headers });
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
    expect(answer.headers['x-request-id']).toEqual(expect.any(String));
    expect(linesOf(answer.body)).toEqual([
      { type: 'stdout', offset: 0, data: 'hello' },
      { type: 'stderr', offset: 0, data: 'oops' },
      {
        type: 'exit',
        status: 'killed',
        exit_code: -1,
        signal: 'SIGKILL',
        oom_killed: expect.toSatisfy((value) => value === false || value === null),
        oom_process: null,
        stdout_bytes: 5,
        stderr_bytes: 4,
      },
    ]);
  });

  test('[out.stream-pieces] pieces have offsets, from the asked ones on, in base64 on request', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('printf 0123456789');
    const lines = linesOf((await daemon.inject(`/v2/commands/${command_id}?stream=true&offset=4`)).body);
    expect(lines[0]).toEqual({ type: 'stdout', offset: 4, data: '456789' });
    const base64 = linesOf((await daemon.inject(`/v2/commands/${command_id}?stream=true&encoding=base64`)).body);
    expect(base64[0]).toEqual({ type: 'stdout', offset: 0, data_base64: 'MDEyMzQ1Njc4OQ==' });
  });

  test('binary output is exact', async () => {
    await using daemon = await TestApp.start();
    const input = seededBytes(300_000);
    const { command_id } = await daemon.run(`base64 -d <<'END'\n${input.toString('base64')}\nEND`);
    const lines = linesOf((await daemon.inject(`/v2/commands/${command_id}?stream=true&encoding=base64`)).body);
    expect(bytesOf(lines, 'stdout').equals(input)).toBe(true);
    const zeros = linesOf(
      (await daemon.inject(`/v2/commands/${(await daemon.run('head -c 1000 /dev/zero')).command_id}?stream=true`)).body,
    );
    expect(zeros[0]).toMatchObject({ data_base64: expect.any(String) });
  });

  test('a live stream follows a command, and pieces never split a sequence', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run(`for i in $(seq 300); do printf '\\xe2'; printf '\\x82\\xac'; done; echo`, {
      mode: 'async',
    });
    const lines = linesOf((await daemon.inject(`/v2/commands/${command_id}?stream=true`)).body);
    const text = lines.filter(({ type }) => type === 'stdout').map(({ data }) => data);
    expect(text.join('')).toBe(`${'€'.repeat(300)}\n`);
    let at = 0;
    for (const { type, offset, data } of lines) {
      if (type !== 'stdout') continue;
      expect(offset).toBe(at);
      at += Buffer.byteLength(data ?? '');
    }
  });

  test('[stream.slow-reader] a reader that does not read stalls neither the command nor another reader', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id } = await daemon.run('read -r; head -c 30M /dev/zero | tr "\\0" x', { mode: 'async' });
    const lazy = get(`${base}/v2/commands/${command_id}?stream=true`);
    const stalled = await new Promise<IncomingMessage>((resolve) => lazy.once('response', resolve));
    await daemon.post(`/v2/commands/${command_id}/stdin`, { input: '\n', eof: true });
    const eager = await (await fetch(`${base}/v2/commands/${command_id}?stream=true`)).text();
    expect(bytesOf(linesOf(eager), 'stdout')).toHaveLength(30 * 1024 ** 2);
    let late = '';
    for await (const chunk of stalled) late += chunk;
    expect(bytesOf(linesOf(late), 'stdout')).toHaveLength(30 * 1024 ** 2);
    expect(linesOf(late).at(-1)).toMatchObject({ type: 'exit' });
  });

  test('[stream.cut-and-resume] [stream.close-kills-nothing] a cut stream is resumed by offset', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id } = await daemon.run('printf begin; read -r; printf end', { mode: 'async' });
    const stop = new AbortController();
    const cut = await fetch(`${base}/v2/commands/${command_id}?stream=true`, { signal: stop.signal });
    const reader = cut.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('{"type":"stdout","offset":0,"data":"begin"}\n');
    stop.abort();
    await expect(reader?.read()).rejects.toThrow(/abort/);
    await daemon.post(`/v2/commands/${command_id}/stdin`, { input: '\n' });
    const rest = linesOf(await (await fetch(`${base}/v2/commands/${command_id}?stream=true&offset=5`)).text());
    expect(rest).toMatchObject([
      { type: 'stdout', offset: 5, data: 'end' },
      { type: 'exit', status: 'completed', exit_code: 0 },
    ]);
  });
});

describeOnHosts('the end', () => {
  test('[stream.exit-after-eof] it comes after all output', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('head -c 5M /dev/zero | tr "\\0" x', { mode: 'async' });
    const lines = linesOf((await daemon.inject(`/v2/commands/${command_id}?stream=true`)).body);
    expect(bytesOf(lines, 'stdout')).toHaveLength(5 * 1024 ** 2);
    expect(lines.at(-1)).toMatchObject({ type: 'exit', stdout_bytes: 5 * 1024 ** 2 });
  });

  test('[stream.background-250ms] a process that still holds the pipes 250 ms after the end is in the background', async () => {
    await using daemon = await TestApp.start();
    const soonest = await soonestOf(async () => {
      const data = await daemon.run('sleep 1000 & echo hi');
      const late = Date.now() - Date.parse(String(data.ended_at));
      expect(data).toMatchObject({ status: 'completed', exit_code: 0, stdout: 'hi\n', background: true });
      // Both times are truncated to milliseconds.
      expect(late).toBeGreaterThanOrEqual(248);
      return late;
    });
    expect(soonest).toBeLessThan(700);
    expect((await daemon.run('echo hi')).background).toBe(false);
  });

  test('[stream.background-output] its later output is readable', async () => {
    await using daemon = await TestApp.start();
    const go = join(tmpdir(), `go-${randomUUID()}`);
    const { command_id } = await daemon.run(`(until [ -e ${go} ]; do sleep 0.02; done; echo later) & echo now`);
    await writeFile(go, '');
    await expect
      .poll(async () => (await read(daemon, command_id, '?offset=4')) as object)
      .toMatchObject({ stdout: 'later\n' });
    await rm(go);
  });
});
