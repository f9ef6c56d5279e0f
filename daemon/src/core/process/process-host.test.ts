import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { seededBytes } from '../../../../scripts/testing/seeded-random.ts';
import {
  bytesOf,
  describeHosts,
  descriptorsComeTo,
  linux,
  openDescriptors,
  rejectionOf,
  textOf,
} from './process-host.fixture.ts';
import { untilStopped } from './stopped.fixture.ts';

const RUN_SCRIPT = 'eval "exec 3<&-;$(cat <&3)"';

describeHosts((kit) => {
  const { start, run, kill, reopensOutput } = kit;

  describe('a normal life', () => {
    test.each([0, 1, 3, 127, 255])('ends with its own exit code %i', async (code) => {
      const { end } = await run('sh', ['-c', `exit ${code}`]);
      expect(end).toMatchObject({ exitCode: code, signal: null, background: false });
      expect(end.usage === null).toBe(!kit.usage);
    });

    test('a signal is reported by name, and the end carries the time of the exit', async () => {
      const before = Date.now();
      const { end } = await run('sh', ['-c', 'kill -USR1 $$']);
      expect(end).toMatchObject({ exitCode: null, signal: 'SIGUSR1' });
      expect(end.endedAt.getTime()).toBeGreaterThanOrEqual(before);
      expect(end.endedAt.getTime()).toBeLessThanOrEqual(Date.now());
    });

    test('both streams are kept apart and in order', async () => {
      const hosted = await start('sh', ['-c', 'echo a; echo b >&2']);
      await hosted.ended;
      expect(await textOf(hosted.output.stdout)).toBe('a\n');
      expect(await textOf(hosted.output.stderr)).toBe('b\n');
      expect(hosted.output.stdout.sealed && hosted.output.stderr.sealed).toBe(true);
    });

    test('bytes of every value come through exactly', async () => {
      const bytes = seededBytes(300_000);
      writeFileSync(join(kit.directory, 'bytes'), bytes);
      const hosted = await start('cat', [join(kit.directory, 'bytes')]);
      await hosted.ended;
      expect((await bytesOf(hosted.output.stdout)).equals(bytes)).toBe(true);
    });

    test('the environment is the given one and nothing else', async () => {
      const env = { PATH: '/usr/bin:/bin', SVC_COMMAND_ID: 'x', A: 'ü=\n' };
      const { stdout } = await run('env', ['-0'], { env });
      expect(stdout.split('\0').filter(Boolean).sort()).toEqual(['A=ü=\n', 'PATH=/usr/bin:/bin', 'SVC_COMMAND_ID=x']);
    });

    test('works in its directory, with /dev/null as stdin, as the leader of a session', async () => {
      const { stdout } = await run(
        'sh',
        ['-c', 'pwd; readlink /proc/self/fd/0; echo $$; cut -d" " -f5,6 /proc/$$/stat'],
        { cwd: '/usr' },
      );
      const [cwd, stdin, pid, ids] = stdout.trim().split('\n');
      expect([cwd, stdin, ids]).toEqual(['/usr', '/dev/null', `${pid} ${pid}`]);
    });

    test.runIf(linux)('its output can be opened again by name where it is a pipe', async () => {
      const script = 'echo a > /dev/stdout; echo b > /dev/stderr; echo c >> /dev/stdout';
      const { stdout } = await run('sh', ['-c', script]);
      expect(stdout).toBe(reopensOutput ? 'a\nc\n' : '');
    });

    test('gets the requested name as argv[0]', async () => {
      expect((await run('sh', ['-c', 'echo $0'])).stdout).toBe('sh\n');
      expect((await run('/usr/bin/../bin/sh', ['-c', 'echo $0'])).stdout).toBe('/usr/bin/../bin/sh\n');
    });

    test('a program without output leaves no file', async () => {
      await run('true');
      expect(readdirSync(join(kit.directory, 'output'))).toEqual([]);
    });
  });

  describe('scripts', () => {
    test.each(['bash', 'sh'])('%s runs 300 KB from descriptor 3, heredocs and exit included', async (shell) => {
      const filler = `: ${'x'.repeat(1_000)}\n`.repeat(300);
      const script = `${filler}cat <<'END'\nfrom a $heredoc\nEND\nls -l /proc/self/fd >&2\necho last\nexit 3\n`;
      const { stdout, stderr, end } = await run(shell, ['-c', RUN_SCRIPT], { script });
      expect(stdout).toBe('from a $heredoc\nlast\n');
      expect(end.exitCode).toBe(3);
      expect(stderr).not.toContain('script-');
      expect(readdirSync(join(kit.directory, 'scratch')).filter((name) => name.startsWith('script'))).toEqual([]);
    });

    test('no file is left of a script after a failed start', async () => {
      const before = openDescriptors();
      await expect(start('/bin/sh', ['x'.repeat(1_000_000)], { script: 'echo' })).rejects.toThrow(
        'argument list too long',
      );
      expect(await descriptorsComeTo(before)).toBeLessThanOrEqual(before);
      expect(readdirSync(join(kit.directory, 'scratch')).filter((name) => name.startsWith('script'))).toEqual([]);
    });
  });

  describe('stdin', () => {
    test('8 MB come back from cat as they went in, whatever their pieces', async () => {
      const bytes = seededBytes(8_000_000);
      const hosted = await start('cat', [], { stdin: 'pipe' });
      const writes = [0, 10, 5_000_000].map((at, index, starts) =>
        hosted.writeStdin(bytes.subarray(at, starts[index + 1] ?? bytes.length)),
      );
      await Promise.all([...writes, hosted.endStdin()]);
      expect(await hosted.ended).toMatchObject({ exitCode: 0 });
      expect((await bytesOf(hosted.output.stdout)).equals(bytes)).toBe(true);
    });

    test('an offer takes what fits, is told how much that was, and a repeated one does not double bytes', async () => {
      const bytes = seededBytes(20_000_000);
      const hosted = await start('sh', ['-c', 'kill -STOP $$; exec cat'], { stdin: 'pipe' });
      const taken = await hosted.offerStdin(bytes);
      expect(taken).toBeGreaterThanOrEqual(8 * 1024 * 1024);
      expect(taken).toBeLessThan(9 * 1024 * 1024);
      expect(hosted.stdinCount).toEqual({ taken, dropped: 0 });
      expect(await hosted.offerStdin(bytes.subarray(taken))).toBe(0);
      expect(await hosted.offerStdin(bytes.subarray(taken - 5, taken), taken - 5)).toBe(5);
      expect(await rejectionOf(hosted.offerStdin(bytes, taken + 1))).toMatchObject({ kind: 'conflict' });
      const rest = hosted.writeStdin(bytes.subarray(taken));
      expect(await hosted.offerStdin(Buffer.from('behind a writer that waits'))).toBe(0);
      await untilStopped(hosted.pid);
      await kill(hosted, true, 'SIGCONT');
      await rest;
      await hosted.endStdin();
      await hosted.ended;
      expect((await bytesOf(hosted.output.stdout)).equals(bytes)).toBe(true);
      expect(hosted.stdinCount).toEqual({ taken: bytes.length, dropped: 0 });
    });

    test('bytes that the process did not read before its end are counted as dropped', async () => {
      const hosted = await start('sleep', ['1000'], { stdin: 'pipe' });
      await hosted.writeStdin(Buffer.alloc(1_000_000));
      await kill(hosted, true);
      await hosted.ended;
      const { taken, dropped } = hosted.stdinCount;
      expect(taken).toBe(1_000_000);
      expect(dropped).toBeGreaterThan(500_000);
    });

    test('a writer waits from 8 MiB on until the process reads or its signal fires', async () => {
      const hosted = await start('sleep', ['1000'], { stdin: 'pipe' });
      await hosted.writeStdin(Buffer.alloc(7 * 1024 * 1024));
      const controller = new AbortController();
      const waiting = rejectionOf(hosted.writeStdin(Buffer.alloc(4 * 1024 * 1024), controller.signal));
      const behind = rejectionOf(hosted.writeStdin(Buffer.from('x'), controller.signal));
      controller.abort(new Error('given up'));
      expect(await Promise.all([waiting, behind])).toEqual([new Error('given up'), new Error('given up')]);
      const cut = rejectionOf(hosted.writeStdin(Buffer.alloc(2 * 1024 * 1024)));
      await kill(hosted, true);
      expect(await cut).toMatchObject({ kind: 'conflict' });
      await hosted.ended;
    });

    test('is refused without a pipe, after its end, after the process closed it, and after the process', async () => {
      const closed = { kind: 'conflict' };
      const none = await start('sleep', ['1000']);
      await expect(none.writeStdin(Buffer.from('x'))).rejects.toMatchObject(closed);
      const ended = await start('cat', [], { stdin: 'pipe' });
      await ended.endStdin();
      await expect(ended.writeStdin(Buffer.from('x'))).rejects.toMatchObject(closed);
      await expect(ended.endStdin()).rejects.toMatchObject(closed);
      await ended.ended;
      await expect(ended.writeStdin(Buffer.from('x'))).rejects.toMatchObject(closed);
      const deaf = await start('sh', ['-c', 'exec <&-; echo closed; exec sleep 1000'], { stdin: 'pipe' });
      await deaf.output.stdout.advanced(0);
      await expect(deaf.writeStdin(Buffer.alloc(2_000_000))).rejects.toMatchObject(closed);
      for (const hosted of [none, deaf]) await kill(hosted, true);
      await Promise.all([none.ended, deaf.ended]);
    });

    test('a shell that reads commands from it reads no start-up file of the account', async () => {
      writeFileSync(join(kit.directory, '.bashrc'), 'echo from bashrc\n');
      const env = { PATH: '/usr/bin:/bin', HOME: kit.directory, SHLVL: '1' };
      const hosted = await start('bash', ['-c', 'read line; echo "$line"'], { stdin: 'pipe', env });
      await hosted.writeStdin(Buffer.from('hello\n'));
      await hosted.ended;
      expect(await textOf(hosted.output.stdout)).toBe('hello\n');
    });
  });
});
