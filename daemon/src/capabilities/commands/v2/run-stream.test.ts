import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { describeOnHosts } from '../../../hosts.fixture.ts';
import { linesOf, read } from '../output.fixture.ts';

const NDJSON = { accept: 'application/x-ndjson' };
const EVENTS = { accept: 'text/event-stream' };

describeOnHosts('a run that streams', () => {
  test('[cmd.run-stream] NDJSON: started, output with offsets, exit, in one call', async () => {
    await using daemon = await TestApp.start();
    const body = { command: 'printf hello; exit 3', timeout: 0 };
    const answer = await daemon.post('/v2/commands', body, NDJSON);
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
    const [started, ...rest] = linesOf(answer.body);
    expect(started).toEqual({
      type: 'started',
      command_id: expect.any(String),
      session_id: null,
      pid: expect.any(Number),
      started_at: expect.any(String),
    });
    expect(rest).toEqual([
      { type: 'stdout', offset: 0, data: 'hello' },
      {
        type: 'exit',
        status: 'completed',
        exit_code: 3,
        signal: null,
        oom_killed: expect.toSatisfy((value) => value === false || value === null),
        oom_process: null,
        stdout_bytes: 5,
        stderr_bytes: 0,
      },
    ]);
    const again = await daemon.inject({ url: `/v2/commands/${started?.['command_id']}`, headers: NDJSON });
    expect(linesOf(again.body)).toEqual(rest);
  });

  test('[cmd.run-stream-events] server-sent events carry the same JSON, of a run and of an output', async () => {
    await using daemon = await TestApp.start();
    const { headers, body } = await daemon.post('/v2/commands', { command: `env printf 'a\\n\\nb'` }, EVENTS);
    expect(headers['content-type']).toBe('text/event-stream');
    const events = body.split('\n\n').filter(Boolean);
    expect(events.map((event) => event.split('\n')[0])).toEqual(['event: started', 'event: stdout', 'event: exit']);
    const data = events.map((event) => JSON.parse(event.split('\n')[1]?.slice('data: '.length) ?? ''));
    expect(data[1]).toEqual({ type: 'stdout', offset: 0, data: 'a\n\nb' });
    const again = await daemon.inject({ url: `/v2/commands/${data[0].command_id}?offset=3`, headers: EVENTS });
    expect(again.body.split('\n').slice(0, 2)).toEqual([
      'event: stdout',
      'data: {"type":"stdout","offset":3,"data":"b"}',
    ]);
    const binary = await daemon.post('/v2/commands', { command: 'head -c 100 /dev/zero; printf é >&2' }, EVENTS);
    expect(binary.body).toContain('event: stdout\ndata: {"type":"stdout","offset":0,"data_base64":"AAAA');
    expect(binary.body).toContain('event: stderr\ndata: {"type":"stderr","offset":0,"data":"é"}\n\n');
  });

  test('[cmd.run-stream-refused] what is refused is refused before the stream; a failed start is an exit', async () => {
    await using daemon = await TestApp.start();
    const refused = await daemon.post('/v2/commands', { command: 'true', session: 'none' }, NDJSON);
    expect([refused.statusCode, refused.json().success]).toEqual([404, false]);
    expect((await daemon.post('/v2/commands', { command: 'true', cwd: 'a' }, EVENTS)).statusCode).toBe(400);
    const { body } = await daemon.post('/v2/commands', { command: '/nowhere', shell: 'none' }, NDJSON);
    expect(linesOf(body).map(({ type }) => type)).toEqual(['started', 'exit']);
    expect(linesOf(body)[1]).toMatchObject({ status: 'failed', exit_code: 127, message: expect.any(String) });
  });

  test('[cmd.run-stream-leaves] the command continues when the client leaves; a key finds it again', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const body = { command: 'echo one; read -r; echo two', mode: 'async', idempotency_key: 'run' };
    const leaving = new AbortController();
    const { body: lines } = await fetch(`${base}/v2/commands`, {
      method: 'POST',
      headers: { ...NDJSON, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    let seen = '';
    for await (const piece of lines ?? []) {
      seen += Buffer.from(piece).toString();
      if (seen.includes('one')) break;
    }
    leaving.abort();
    const id = String(linesOf(seen.slice(0, seen.indexOf('\n')))[0]?.['command_id']);
    await daemon.post(`/v2/commands/${id}/stdin`, { input: '\n' });
    await read(daemon, id, '?wait=true&offset=4');
    const again = linesOf((await daemon.post('/v2/commands', body, NDJSON)).body);
    expect(again[0]?.['command_id']).toBe(id);
    expect(
      again
        .filter(({ type }) => type === 'stdout')
        .map(({ data }) => data)
        .join(''),
    ).toBe('one\ntwo\n');
  });
});
