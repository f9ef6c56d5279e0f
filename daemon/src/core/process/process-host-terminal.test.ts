import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lookUpIdentity } from '../account/identity.ts';
import type { ByteLog } from '../output/byte-log.ts';
import { foregroundGroup } from './find/foreground.ts';
import { describeHosts, rejectionOf, root, sealed, textOf } from './process-host.fixture.ts';

const size = { cols: 100, rows: 30 };

/** Waits until its output contains the text. */
async function until(log: ByteLog, text: string): Promise<string> {
  for (;;) {
    const at = log.end;
    const all = await textOf(log);
    if (all.includes(text)) return all;
    if (log.sealed) throw new Error(`it ended without ${JSON.stringify(text)}: ${JSON.stringify(all)}`);
    await log.advanced(at);
  }
}

describeHosts(({ start, kill, usage }) => {
  const onTerminal = (script: string, more = {}) =>
    start('bash', ['--norc', '--noprofile', '-c', script], { terminal: size, ...more });

  test('a terminal has its size, takes input, and is resized', async () => {
    const script = 'stty -echo; stty size; read line; stty size; echo "$line"; test -t 0 && test -t 1 && test -t 2';
    const hosted = await onTerminal(script);
    await until(hosted.output.stdout, '30 100\r\n');
    hosted.terminal?.resize({ cols: 120, rows: 40 });
    await hosted.writeStdin(Buffer.from('hello\n'));
    expect(await hosted.ended).toMatchObject({ exitCode: 0, signal: null, background: false });
    expect(await textOf(hosted.output.stdout)).toBe('30 100\r\n40 120\r\nhello\r\n');
    expect(await textOf(hosted.output.stderr)).toBe('');
    expect(hosted.output.stdout.sealed && hosted.output.stderr.sealed).toBe(true);
  });

  test('a resize reaches the program', async () => {
    const hosted = await onTerminal("trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done");
    await until(hosted.output.stdout, 'ready');
    hosted.terminal?.resize({ cols: 33, rows: 7 });
    await hosted.ended;
    expect(await textOf(hosted.output.stdout)).toBe('ready\r\n7 33\r\n');
  });

  test('the foreground group alone is signalled', async () => {
    const hosted = await start('bash', ['--norc', '--noprofile', '-i'], { terminal: size });
    await hosted.writeStdin(Buffer.from('echo be"gun"; sleep 1000; echo after=$?\n'));
    await until(hosted.output.stdout, 'begun');
    // Before it is the sleep it is a shell, which ignores the signal.
    const inForeground = (): string => readFileSync(`/proc/${foregroundGroup(hosted.pid)}/comm`, 'latin1');
    await expect.poll(inForeground).toBe('sleep\n');
    expect(await hosted.terminal?.signalForeground('SIGTERM')).toBe(true);
    await until(hosted.output.stdout, 'after=143');
    await hosted.writeStdin(Buffer.from('exit 5\n'));
    expect(await hosted.ended).toMatchObject({ exitCode: 5 });
    expect(await hosted.terminal?.signalForeground('SIGTERM')).toBe(false);
  });

  test('its end by a signal is reported, and input is refused afterwards', async () => {
    const hosted = await onTerminal('echo $$; exec sleep 1000');
    await until(hosted.output.stdout, '\r\n');
    await kill(hosted, true);
    const end = await hosted.ended;
    expect(end).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect(end.usage === null).toBe(!usage);
    expect(await rejectionOf(hosted.writeStdin(Buffer.from('x')))).toMatchObject({ kind: 'conflict' });
    hosted.terminal?.resize(size);
  });

  test('bytes of every value go in and come out as they are in raw mode', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 * 64 }, (_, index) => index % 256));
    const hosted = await onTerminal(`stty raw -echo; echo ready; head -c ${bytes.length} | cat`);
    await until(hosted.output.stdout, 'ready\n');
    await hosted.writeStdin(bytes);
    await hosted.ended;
    const { bytes: out } = await hosted.output.stdout.read(6, bytes.length + 1);
    expect(out.equals(bytes)).toBe(true);
  });

  test('output of megabytes is whole and in order', async () => {
    const hosted = await onTerminal('seq 1 300000');
    await hosted.ended;
    await sealed(hosted.output.stdout);
    const lines = (await textOf(hosted.output.stdout)).split('\r\n');
    expect(lines.length).toBe(300_001);
    expect(lines.every((line, index) => line === (index < 300_000 ? String(index + 1) : ''))).toBe(true);
  });

  test('output from before its end is read, however slow the reader', async () => {
    const hosted = await onTerminal('seq 1 8000');
    const standing = setInterval(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60), 1);
    try {
      await hosted.ended;
      await sealed(hosted.output.stdout);
    } finally {
      clearInterval(standing);
    }
    expect((await textOf(hosted.output.stdout)).split('\r\n')).toHaveLength(8001);
  });

  test('the end of input is typed, not signalled', async () => {
    const hosted = await onTerminal('cat; echo over');
    expect(await rejectionOf(hosted.endStdin())).toMatchObject({ kind: 'conflict' });
    await hosted.writeStdin(Buffer.from('\x04'));
    await hosted.ended;
    expect(await textOf(hosted.output.stdout)).toContain('over');
  });

  test('a program that cannot be started on a terminal says why', async () => {
    await expect(start('no-such-program', [], { terminal: size })).rejects.toMatchObject({ exitCode: 127 });
    await expect(start('sh', [], { terminal: size, cwd: '/no/such' })).rejects.toThrow('cwd does not exist');
  });

  test.runIf(root)('it belongs to the account it is for', async () => {
    const identity = lookUpIdentity('nobody');
    const hosted = await onTerminal('id -un; echo again > "$(tty)"', { identity });
    await hosted.ended;
    expect(await textOf(hosted.output.stdout)).toBe('nobody\r\nagain\r\n');
  });
});
