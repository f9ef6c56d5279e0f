import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { describeOnHosts } from '../../../hosts.fixture.ts';
import { frame, TestAttachment } from '../attach/attach.fixture.ts';
import { read } from '../output.fixture.ts';

const ASYNC = { mode: 'async' };

describeOnHosts('a client that is attached to a command', () => {
  test('[attach.frames] [attach.stdin-ack] [attach.eof] [attach.exit] all three streams, with offsets, up to exit', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id, pid } = await daemon.run('echo out; echo err >&2; cat; exit 3', ASYNC);
    await using client = new TestAttachment(base, command_id, { write: true });
    expect(await client.message('ready')).toEqual({
      type: 'ready',
      command_id,
      status: 'running',
      pid,
      write: true,
      stdin_offset: 0,
      stdin_open: true,
    });
    client.write(0, 'hello ');
    client.write(6, 'world\n');
    await client.message('ack', { offset: 12 });
    await client.until(() => client.stdout.at === 16);
    client.control({ type: 'eof', offset: 12 });
    expect(await client.message('eof', { stream: 'stdin' })).toEqual({ type: 'eof', stream: 'stdin', offset: 12 });
    expect(await client.message('exit')).toEqual({
      type: 'exit',
      status: 'completed',
      exit_code: 3,
      signal: null,
      oom_killed: client.controls.at(-1).oom_killed,
      oom_process: null,
      stdout_bytes: 16,
      stderr_bytes: 4,
      message: null,
    });
    expect(await client.closed).toEqual([1000, 'the command has ended']);
    expect([client.stdout.text, client.stderr.text]).toEqual(['out\nhello world\n', 'err\n']);
    for (const [stream, offset] of [['stdout', 16] as const, ['stderr', 4] as const]) {
      expect(client.controls).toContainEqual({ type: 'eof', stream, offset });
    }
    expect(client.controls.some(({ type }) => type === 'error')).toBe(false);
  });

  test('[attach.bytes] bytes are sent as they are, also a part of a UTF-8 sequence, and at once', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id } = await daemon.run(String.raw`printf '\0\377\303'; read -r; printf '\251'`, ASYNC);
    await using client = new TestAttachment(base, command_id, { write: true });
    await client.until(() => client.stdout.at === 3);
    client.write(0, '\n');
    await client.message('exit');
    expect(client.stdout.text).toBe('\0\xff\xc3\xa9');
  });

  test('[attach.stream-eof] a stream that the command closes has its eof while the command runs', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id } = await daemon.run('echo last; exec >&-; read -r; echo over >&2', ASYNC);
    await using client = new TestAttachment(base, command_id, { write: true });
    expect(await client.message('eof')).toEqual({ type: 'eof', stream: 'stdout', offset: 5 });
    expect(client.controls.some(({ type }) => type === 'exit')).toBe(false);
    client.write(0, '\n');
    await client.message('exit');
    expect([client.stdout.text, client.stderr.text]).toEqual(['last\n', 'over\n']);
  });

  test('[attach.resume] [attach.ended] a client returns at its offsets, also after the end of the command', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id } = await daemon.run('echo one; echo warning >&2; read -r; echo two; kill -TERM $$', ASYNC);
    const first = new TestAttachment(base, command_id, { write: true });
    await first.until(() => first.stdout.at === 4 && first.stderr.at === 8);
    first.write(0, 'go');
    await first.message('ack', { offset: 2 });
    await first[Symbol.asyncDispose]();
    await using second = new TestAttachment(base, command_id, { stdout: 4, stderr: 3, write: true });
    expect(await second.message('ready')).toMatchObject({ stdin_offset: 2, stdin_open: true });
    second.write(0, 'go\n');
    expect(await second.message('exit')).toMatchObject({ status: 'killed', exit_code: -1, signal: 'SIGTERM' });
    expect([second.stdout.text, second.stderr.text]).toEqual(['two\n', 'ning\n']);
    expect(await second.message('ack')).toEqual({ type: 'ack', offset: 3 });
    await using late = new TestAttachment(base, command_id, { write: true, stderr: 2 ** 31 });
    expect(await late.message('ready')).toMatchObject({ status: 'killed', stdin_offset: 3, stdin_open: false });
    expect((await late.closed)[0]).toBe(1000);
    expect([late.stdout.text, late.stderr.text]).toEqual(['one\ntwo\n', '']);
    expect(late.controls.at(-1)).toMatchObject({ type: 'exit', signal: 'SIGTERM', stderr_bytes: 8 });
  });

  test('[attach.failed] a command that could not be started is an exit with its reason', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id } = await daemon.run('/nowhere', { ...ASYNC, shell: 'none' });
    await using client = new TestAttachment(base, command_id);
    const exit = { type: 'exit', status: 'failed', exit_code: 127, message: expect.stringContaining('/nowhere') };
    expect(await client.message('exit')).toMatchObject(exit);
    expect((await client.closed)[0]).toBe(1000);
  });
});

describeOnHosts('the stdin of an attached client', () => {
  test('[attach.stdin-offset] bytes that were taken are dropped, and a gap is an error with the offset to go on at', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id } = await daemon.run('cat', ASYNC);
    await using client = new TestAttachment(base, command_id, { write: true });
    await client.message('ready');
    client.write(0, 'abcd');
    client.write(2, 'cdef');
    client.write(0, 'ab');
    client.write(2 ** 31, 'later');
    expect(await client.message('error')).toMatchObject({ code: 'conflict', stdin_offset: 6, stdin_open: true });
    client.control({ type: 'eof', offset: 2 ** 31 + 5 });
    client.control({ type: 'eof', offset: 2 });
    await client.until(() => client.controls.filter(({ type }) => type === 'error').length === 3);
    client.write(6, 'gh');
    client.control({ type: 'eof', offset: 8 });
    client.control({ type: 'eof', offset: 8 });
    await client.message('exit');
    expect(client.stdout.text).toBe('abcdefgh');
    const acks = client.controls.filter(({ type }) => type === 'ack').map(({ offset }) => offset);
    expect(acks).toEqual([4, 6, 6, 8]);
  });

  test('[attach.bad-frames] a frame that is wrong is an error that says why, and the connection goes on', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id } = await daemon.run('cat', ASYNC);
    await using client = new TestAttachment(base, command_id, { write: true });
    await client.message('ready');
    const wrong: [Buffer | string, RegExp][] = [
      ['text', /binary/],
      [Buffer.alloc(0), /0 bytes has no header/],
      [Buffer.alloc(8), /8 bytes has no header/],
      [frame(0, 2n ** 63n, 'x'), /offset/],
      [frame(0, 2n ** 64n - 1n, 'x'), /offset/],
      [frame(1, 0, 'x'), /not 1/],
      [frame(4, 0, 'x'), /not 4/],
      [frame(255, 0, 'x'), /not 255/],
      [frame(3, 0, 'eof'), /JSON/],
      [frame(3, 0, Buffer.from([0x7b, 0xff, 0x7d])), /JSON/],
      [frame(3, 0, `${'['.repeat(200_000)}`), /JSON/],
      [frame(3, 0, '{}'), /unknown type/],
      [frame(3, 0, '{"type":"fly"}'), /fly/],
      [frame(3, 0, '{"type":"eof"}'), /offset/],
      [frame(3, 0, '{"type":"eof","offset":-1}'), /offset/],
      [frame(3, 0, '{"type":"eof","offset":9223372036854775808}'), /offset/],
    ];
    for (const [message] of wrong) client.socket.send(message);
    client.write(0, 'still here');
    client.control({ type: 'eof', offset: 10 });
    await client.message('exit');
    const errors = client.controls.filter(({ type }) => type === 'error');
    expect(errors.map(({ code }) => code)).toEqual(wrong.map(() => 'invalid'));
    for (const [index, [, reason]] of wrong.entries()) expect(errors[index].message).toMatch(reason);
    expect(client.stdout.text).toBe('still here');
  });

  test('[attach.too-large] a frame of 1 MiB is taken, and a longer one closes the connection with 1009', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const { command_id } = await daemon.run('wc -c', ASYNC);
    await using client = new TestAttachment(base, command_id, { write: true });
    await client.message('ready');
    client.socket.send(frame(0, 0, Buffer.alloc(1024 * 1024 - 9)));
    await client.message('ack', { offset: 1024 * 1024 - 9 });
    client.socket.send(frame(0, 1024 * 1024 - 9, Buffer.alloc(1024 * 1024 - 8)));
    expect((await client.closed)[0]).toBe(1009);
    expect((await read(daemon, command_id)).command).toMatchObject({ status: 'running', stdin_bytes: 1024 * 1024 - 9 });
  });

  test('[attach.stdin-closed] frames after the end of stdin are errors, and the output goes on', async () => {
    await using daemon = await TestApp.start();
    const base = await daemon.listen();
    const closing = await daemon.run(`exec <&-; until [ -e "$GO" ]; do sleep 0.05; done; echo over`, {
      ...ASYNC,
      env: { GO: `${daemon.directory}/go` },
    });
    await using client = new TestAttachment(base, closing.command_id, { write: true });
    await client.message('ready');
    let at = 0;
    // A host learns when it writes that the command has closed its end.
    while (!client.controls.some(({ type }) => type === 'error')) {
      const before = client.controls.length;
      client.write(at, 'x');
      await client.until(() => client.controls.length > before);
      at = client.controls.at(-1).offset ?? at;
    }
    expect(await client.message('error')).toMatchObject({ code: 'conflict', stdin_open: false });
    await daemon.post('/v2/fs/write', { path: `${daemon.directory}/go`, content: '' });
    expect(await client.message('exit')).toMatchObject({ exit_code: 0 });
    expect(client.stdout.text).toBe('over\n');
    const without = await daemon.run('echo a; sleep 1000', { ...ASYNC, stdin: '' });
    await using other = new TestAttachment(base, without.command_id, { write: true });
    expect(await other.message('ready')).toMatchObject({ stdin_open: false });
    other.write(0, 'x');
    expect(await other.message('error')).toMatchObject({ code: 'conflict', stdin_open: false });
  });
});
