import { describe, expect, test } from 'vitest';
import { isAlive } from '../../commands/processes.fixture.ts';
import { create, exec, info, screen, started, TestViewer } from '../pty.fixture.ts';

describe('a viewer', () => {
  test('[pty.ws-json] types, receives output, resizes, and receives the exit', async () => {
    await using service = await started();
    const { daemon, ws } = service;
    await create(daemon, 'a');
    await using viewer = new TestViewer(`${ws}/v2/pty/sessions/a/ws`);
    expect(await viewer.message('ready')).toEqual({
      type: 'ready',
      session_id: 'a',
      transport: 'websocket-json',
      backend: 'native',
      resumed: false,
      cols: 80,
      rows: 24,
      offset: 0,
    });
    await viewer.shows('$ ');
    viewer.send({ type: 'resize', cols: 90, rows: 20 });
    viewer.type('stty size; echo "ü日本"\r');
    await viewer.shows('20 90\r\nü日本\r\n');
    expect(await info(daemon, 'a')).toMatchObject({ attached: 1, cols: 90, rows: 20 });
    viewer.send({ type: 'resize', data: { cols: 91, rows: 21 } });
    viewer.send('stty size; exit 3\r');
    await viewer.shows('21 91');
    expect(await viewer.message('exit')).toEqual({
      type: 'exit',
      exit_code: 3,
      signal: null,
      oom_killed: null,
      oom_process: null,
    });
    expect((await viewer.closed)[0]).toBe(1000);
  });

  test('[pty.ws-binary] binary frames carry raw bytes in both directions, text frames control messages', async () => {
    await using service = await started();
    const { daemon, ws } = service;
    await create(daemon, 'a', { command: 'bash', args: ['-c', 'stty raw -echo; echo ready; head -c 256 | cat'] });
    await using viewer = new TestViewer(`${ws}/v2/pty/sessions/a/ws?protocol=binary`);
    await viewer.shows('ready\n');
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    viewer.send(bytes);
    await viewer.message('exit');
    expect(viewer.bytes.subarray(-256).equals(bytes)).toBe(true);
  });

  test('[pty.ws-bad-message] an invalid message is answered with an error, and the session continues', async () => {
    await using service = await started();
    const { daemon, ws } = service;
    await create(daemon, 'a');
    await using viewer = new TestViewer(`${ws}/v2/pty/sessions/a/ws`);
    await viewer.shows('$ ');
    const wrong = [
      { type: 'resize', cols: 0, rows: 10 },
      { type: 'resize', cols: 100_000, rows: 10 },
      { type: 'resize', cols: 'wide', rows: 10 },
      { type: 'fly' },
      { type: 'input', data: 5 },
      { type: 'ack', offset: -1 },
    ];
    for (const message of wrong) viewer.send(message);
    await viewer.until(() => viewer.messages.filter(({ type }) => type === 'error').length === wrong.length);
    viewer.send({ type: 'ping', timestamp: 42 });
    expect(await viewer.message('pong')).toEqual({ type: 'pong', timestamp: 42 });
    viewer.send('echo "{"ok\r');
    viewer.send('"\r');
    await viewer.shows('{ok');
    expect(await info(daemon, 'a')).toMatchObject({ cols: 80, rows: 24, status: 'idle' });
  });

  test('[pty.ws-readonly] [pty.ws-many] several viewers attach, and a read-only one cannot type', async () => {
    await using service = await started();
    const { daemon, ws } = service;
    await create(daemon, 'a');
    await using writer = new TestViewer(`${ws}/v2/pty/sessions/a/ws`);
    await using reader = new TestViewer(`${ws}/v2/pty/sessions/a/ws?readonly=true&protocol=binary`);
    await Promise.all([writer.shows('$ '), reader.shows('$ ')]);
    reader.send(Buffer.from('echo intruder\r'));
    expect(await reader.message('error')).toEqual({ type: 'error', data: 'this viewer is read-only' });
    writer.type('echo bo""th\r');
    await Promise.all([writer.shows('both\r\n'), reader.shows('both\r\n')]);
    expect(writer.text).not.toContain('intruder');
    expect((await info(daemon, 'a')).attached).toBe(2);
  });

  test('[pty.ws-since] [websocket.close-kills-nothing] a viewer reconnects at its offset', async () => {
    await using service = await started();
    const { daemon, ws } = service;
    await create(daemon, 'a');
    const first = new TestViewer(`${ws}/v2/pty/sessions/a/ws`);
    await first.shows('$ ');
    first.type('for i in 1 2 3; do read -p "mo""re? " x; echo "line $i $x"; done\r');
    await first.shows('more? ');
    first.type('1\r');
    await first.shows('line 1 1\r\n');
    const { offset } = first;
    await first[Symbol.asyncDispose]();
    await daemon.post('/v2/pty/sessions/a/input', { input: '2\r3\r' });
    await screen(daemon, 'a', (output) => output.includes('line 3'));
    await using second = new TestViewer(`${ws}/v2/pty/sessions/a/ws?since=${offset}`);
    expect(await second.message('ready')).toMatchObject({ resumed: true, offset });
    await second.shows('line 3');
    expect(second.text).not.toContain('line 1');
    expect(second.text).toContain('line 2');
  });

  test('[pty.ws-restore] the screen is repainted, and later output follows it', async () => {
    await using service = await started();
    const { daemon, ws } = service;
    await create(daemon, 'a');
    await exec(daemon, 'a', "printf '\\e[31mred\\e[0m\\n'; seq 1 5");
    await screen(daemon, 'a', (output) => /\n5\n\$$/.test(output.trimEnd()));
    await using viewer = new TestViewer(`${ws}/v2/pty/sessions/a/ws?restore=true`);
    const ready = await viewer.message('ready');
    const { data } = await viewer.message('restore_output');
    expect(data).toContain('\x1b[31mred');
    expect(data).toContain('5\r\n');
    expect(ready.resumed).toBe(true);
    viewer.type('echo later\r');
    await viewer.shows('later\r\n');
    expect(viewer.text).not.toContain('red');
    await using replayed = new TestViewer(`${ws}/v2/pty/sessions/a/ws?restore=true&replay_bytes=262144`);
    expect((await replayed.message('restore_output')).data).toMatch(/red[\s\S]*later/);
  });

  test('[pty.ws-utf8] no JSON frame splits a character that is written in pieces', async () => {
    await using service = await started();
    const { daemon, ws } = service;
    const bytes = Buffer.from('ü日🙂');
    const octal = Array.from(bytes, (byte) => `\\\\${byte.toString(8)}`).join(' ');
    const pieces = `for byte in ${octal}; do read -r; printf "$byte"; done; echo " over"`;
    const script = `stty -echo; echo ready; ${pieces}; read -r; printf '\\xff\\xfe'; echo end; read -r`;
    await create(daemon, 'a', { command: 'bash', args: ['-c', script] });
    await using viewer = new TestViewer(`${ws}/v2/pty/sessions/a/ws`);
    await using raw = new TestViewer(`${ws}/v2/pty/sessions/a/ws?protocol=binary`);
    await Promise.all([viewer.shows('ready\r\n'), raw.shows('ready\r\n')]);
    // Each byte reaches a viewer before the next one is written.
    for (const first = raw.length; raw.length < first + bytes.length; ) {
      const before = raw.length;
      raw.send(Buffer.from('\r'));
      await raw.until(() => raw.length > before);
    }
    await viewer.shows(' over\r\n');
    expect(viewer.text).toBe('ready\r\nü日🙂 over\r\n');
    raw.send(Buffer.from('\r'));
    await viewer.shows('\ufffd\ufffdend');
  });

  test('[pty.ws-pause] [pty.ws-slow] a paused or stalled viewer delays no other, and goes on at its offset', async () => {
    await using service = await started({ ptyHistoryBytes: 64 * 1024 ** 2 });
    const { daemon, ws } = service;
    await create(daemon, 'a');
    await using still = new TestViewer(`${ws}/v2/pty/sessions/a/ws?protocol=binary`);
    await using quick = new TestViewer(`${ws}/v2/pty/sessions/a/ws?protocol=binary`);
    await using stalled = new TestViewer(`${ws}/v2/pty/sessions/a/ws?protocol=binary`);
    await Promise.all([still.shows('$ '), quick.shows('$ '), stalled.shows('$ ')]);
    still.send({ type: 'pause' });
    still.send({ type: 'ping' });
    await still.message('pong');
    stalled.socket.pause();
    quick.send(Buffer.from('seq 1 2500000; echo all"" done\r'));
    await quick.shows('all done');
    const seen = still.length;
    expect(seen).toBeLessThan(1024);
    still.send({ type: 'resume' });
    stalled.socket.resume();
    await Promise.all([still.shows('all done'), stalled.shows('all done')]);
    expect((await still.message('relay_resumed')).offset).toBe(seen);
    expect((await stalled.message('relay_resumed')).offset).toBeGreaterThan(0);
    await Promise.all([still, stalled].map((viewer) => viewer.until(() => viewer.length >= quick.length)));
    expect(still.bytes.equals(quick.bytes)).toBe(true);
    expect(stalled.bytes.equals(quick.bytes)).toBe(true);
  });

  test('[pty.ws-ack] a viewer that acknowledges receives at most the window past its acknowledgement', async () => {
    await using service = await started();
    const { daemon, ws } = service;
    await create(daemon, 'a', { command: 'bash', args: ['-c', 'read x; seq 1 400000; read x'] });
    await using viewer = new TestViewer(`${ws}/v2/pty/sessions/a/ws?protocol=binary`);
    await using free = new TestViewer(`${ws}/v2/pty/sessions/a/ws?protocol=binary`);
    await Promise.all([viewer.message('ready'), free.message('ready')]);
    const ping = async (count: number) => {
      viewer.send({ type: 'ping' });
      await viewer.until(() => viewer.messages.filter(({ type }) => type === 'pong').length === count);
    };
    viewer.send({ type: 'ack', offset: 0 });
    await ping(1);
    free.send(Buffer.from('\r'));
    // A viewer that does not acknowledge receives all output meanwhile.
    await free.shows('\n400000\r\n');
    await viewer.until(() => viewer.length >= 1024 * 1024);
    await ping(2);
    expect(viewer.length).toBeLessThan(1024 * 1024 + 256 * 1024);
    viewer.send({ type: 'ack', offset: 100_000_000 });
    await viewer.shows('\n400000\r\n');
  });

  test('[pty.ws-dropped] [config.terminals] where history was dropped, relay_resumed has the first offset that is kept', async () => {
    await using service = await started({ ptyHistoryBytes: 65_536 });
    const { daemon, ws } = service;
    await create(daemon, 'a');
    await exec(daemon, 'a', 'seq 1 100000');
    await screen(daemon, 'a', (output) => /\n100000\n\$$/.test(output.trimEnd()));
    const { first_offset: first } = await info(daemon, 'a');
    expect(first).toBeGreaterThan(0);
    await using viewer = new TestViewer(`${ws}/v2/pty/sessions/a/ws?since=0`);
    expect((await viewer.message('relay_resumed')).offset).toBe(first);
    await viewer.shows('100000');
  });

  test('[pty.anonymous] an anonymous shell ends with its socket', async () => {
    await using service = await started();
    const { daemon, ws } = service;
    const viewer = new TestViewer(`${ws}/v2/pty/ws?cols=70&rows=10`);
    const { session_id: id } = await viewer.message('ready');
    viewer.type('stty size\r');
    await viewer.shows('10 70');
    const { pid } = await info(daemon, id);
    expect(await isAlive(pid)).toBe(true);
    await viewer[Symbol.asyncDispose]();
    await expect.poll(async () => (await daemon.inject(`/v2/pty/sessions/${id}`)).statusCode).toBe(404);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('where the ceiling is reached an anonymous shell is refused with a message and close 4503', async () => {
    await using service = await started({ shellMaxSessions: 1 });
    await create(service.daemon, 'a');
    await using viewer = new TestViewer(`${service.ws}/v2/pty/ws`);
    expect((await viewer.message('error')).data).toContain('the ceiling is 1');
    expect((await viewer.closed)[0]).toBe(4503);
  });

  test('a daemon that is stopped closes the connections of its viewers', async () => {
    const { daemon, ws } = await started();
    await create(daemon, 'a');
    const viewer = new TestViewer(`${ws}/v2/pty/sessions/a/ws`);
    await viewer.shows('$ ');
    await daemon[Symbol.asyncDispose]();
    expect((await viewer.closed)[0]).toBe(1000);
  });
});

test('[pty.ws-utf8] a character over two files of the output reaches a JSON viewer whole', async () => {
  // Half of these bytes are a file, and it ends within a character.
  await using service = await started({ ptyHistoryBytes: 65_536 });
  const script = `printf '漢%.0s' $(seq 20000); echo end; exec sleep 1000`;
  await create(service.daemon, 'a', { command: 'bash', args: ['-c', script] });
  await screen(service.daemon, 'a', (output) => output.includes('end'));
  await using viewer = new TestViewer(`${service.ws}/v2/pty/sessions/a/ws`);
  await viewer.shows('end');
  expect(viewer.text.replaceAll('漢', '').trim()).toBe('end');
});
