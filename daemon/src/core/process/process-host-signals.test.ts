import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { constants, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { has } from '../../../../scripts/testing/machine.ts';
import { InExecve } from './find/in-execve.fixture.ts';
import { findProcesses } from './find/process-finder.ts';
import { describeHosts, linux, sealed, targetOf, textOf } from './process-host.fixture.ts';

const KILLED = { exitCode: null, signal: 'SIGKILL' };

describeHosts((kit) => {
  const { start, kill } = kit;

  describe.runIf(linux)('what outlives its process', () => {
    test('ends after 250 ms as background, and later output is still logged', async () => {
      const fifo = join(kit.directory, 'fifo');
      execFileSync('mkfifo', [fifo]);
      const hosted = await start('sh', ['-c', `(read line < ${fifo}; echo "$line") & echo hi; exit 7`]);
      expect(await hosted.ended).toMatchObject({ exitCode: 7, background: true });
      expect(hosted.output.stdout).toMatchObject({ end: 3, sealed: false });
      await writeFile(fifo, 'late\n');
      await sealed(hosted.output.stdout);
      expect(await textOf(hosted.output.stdout)).toBe('hi\nlate\n');
    });

    test('`sleep 1000 & echo hi` ends before the sleep, which can be killed', async () => {
      const hosted = await start('sh', ['-c', 'sleep 1000 & echo hi']);
      expect(await hosted.ended).toMatchObject({ exitCode: 0, background: true });
      expect(await kill(hosted, false, 'SIGTERM')).toBe(1);
      await sealed(hosted.output.stdout);
      // A process that ends closes its descriptors first.
      await expect.poll(() => kit.host.living([targetOf(hosted, false)])).toBe(0);
      expect(await kill(hosted, false, 'SIGTERM')).toBe(0);
    });

    test.each([
      ['a new session', 'setsid sleep 1000 & echo ready'],
      ['a double fork', '(setsid sh -c "sleep 1000 & echo ready" &) ; exit 0'],
      ['nohup', 'nohup sleep 1000 2>/dev/null & echo ready'],
      ['a group of its own', 'set -m; sleep 1000 & echo ready'],
      ['a subshell in the background', '(sleep 1000) & echo ready'],
    ])('%s does not escape a kill', async (_name, script) => {
      const hosted = await start('bash', ['-c', script]);
      await hosted.output.stdout.advanced(0);
      expect(await hosted.ended).toMatchObject({ background: true });
      expect(await kill(hosted, false)).toBeGreaterThan(0);
      await sealed(hosted.output.stdout);
    });

    test('a daemon that closed its pipes and left session and parent is found by its mark', async () => {
      const [fifo, go] = [join(kit.directory, 'fifo'), join(kit.directory, 'go')];
      execFileSync('mkfifo', [fifo, go]);
      const alive = new Socket({ fd: openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK), writable: false });
      const daemon = `exec 9>${fifo} >/dev/null 2>&1 </dev/null; echo up >&9; sleep 1000`;
      // It ends when the daemon has closed its output.
      const hosted = await start('sh', ['-c', `(setsid sh -c '${daemon}' &); read line < ${go}`]);
      const [up] = await once(alive, 'data');
      expect(String(up)).toBe('up\n');
      await writeFile(go, '\n');
      expect(await hosted.ended).toMatchObject({ exitCode: 0, background: false });
      const closed = once(alive, 'close');
      expect(await kill(hosted, false)).toBeGreaterThan(0);
      await closed;
    });

    test('a descendant without mark, session and group is found while its parent lives', async () => {
      const hosted = await start('sh', ['-c', 'env -i /usr/bin/setsid -w sh -c "echo ready; exec /bin/sleep 1000"']);
      await hosted.output.stdout.advanced(0);
      expect(await kill(hosted, true)).toBeGreaterThanOrEqual(2);
      expect(await hosted.ended).toMatchObject({ ...KILLED, background: false });
    });

    test('not found: a process that left session, group and parent and cleared its environment', async () => {
      const script = '(env -i /usr/bin/setsid /bin/sh -c "echo \\$\\$; exec /bin/sleep 1000" &)';
      const hosted = await start('sh', ['-c', script]);
      await hosted.output.stdout.advanced(0);
      await hosted.ended;
      expect(await kill(hosted, false)).toBe(0);
      process.kill(Number(await textOf(hosted.output.stdout)), 'SIGKILL');
      await sealed(hosted.output.stdout);
    });
  });

  describe('signals', () => {
    test('a process that ignores SIGTERM is ended by SIGKILL', async () => {
      const hosted = await start('sh', ['-c', 'trap "" TERM; echo ready; sleep 1000; echo never']);
      await hosted.output.stdout.advanced(0);
      expect(await kill(hosted, true, 'TERM')).toBeGreaterThan(0);
      expect(await kill(hosted, true)).toBeGreaterThan(0);
      expect(await hosted.ended).toMatchObject(KILLED);
    });

    test('a signal reaches each process, and the answer counts them', async () => {
      const script = 'trap "echo got" USR1; sleep 1000 & echo ready; wait; sleep 1000';
      const hosted = await start('bash', ['-c', script]);
      await hosted.output.stdout.advanced(0);
      expect(await kill(hosted, true, 'SIGUSR1')).toBe(2);
      await hosted.output.stdout.advanced('ready\n'.length);
      await kill(hosted, true);
      await hosted.ended;
      expect(await textOf(hosted.output.stdout)).toBe('ready\ngot\n');
    });

    test.runIf(linux && has('python3'))(
      'a signal comes once to what is there, and not to what is started in answer',
      async () => {
        // Scanned again, since it may be one of them.
        await using _other = await InExecve.start();
        const script = 'trap "echo got" USR1; sleep 1000 & echo ready; wait; sleep 1000';
        const hosted = await start('bash', ['-c', script]);
        await hosted.output.stdout.advanced(0);
        expect(await kill(hosted, true, 'SIGUSR1')).toBe(2);
        await hosted.output.stdout.advanced('ready\n'.length);
        await kill(hosted, true);
        await hosted.ended;
        expect(await textOf(hosted.output.stdout)).toBe('ready\ngot\n');
      },
    );

    test.runIf(linux)('a program that forks all the time does not outrun SIGKILL', async () => {
      const script = 'echo ready; for i in $(seq 400); do setsid sleep 1000 & done; wait';
      const hosted = await start('sh', ['-c', script]);
      await hosted.output.stdout.advanced(0);
      await kill(hosted, true);
      expect(await hosted.ended).toMatchObject(KILLED);
      await sealed(hosted.output.stdout);
      // A process that ends closes its descriptors first.
      await expect.poll(async () => (await findProcesses([targetOf(hosted, false)])).processes).toEqual([]);
    });

    test.runIf(linux)('a pid that was reaped and is in use again is left alone', async () => {
      const stranger = await start('sleep', ['1000']);
      expect(await kit.host.signal([{ id: 'long-gone', pid: stranger.pid, running: false }], 'SIGKILL')).toBe(0);
      expect(await kill(stranger, true, 'SIGTERM')).toBe(1);
      expect(await stranger.ended).toMatchObject({ signal: 'SIGTERM' });
    });

    test.runIf(linux)('a session whose number was that of an ended process is not signalled for it', async () => {
      const later = await start('bash', ['-c', 'sleep 1000 & echo; exit 0']);
      await later.ended;
      // As if `earlier` had had that pid and ended before: the leader is gone, and the rest has the mark of `later`.
      const earlier = { id: `earlier-${later.id}`, pid: later.pid, running: false };
      expect(await kit.host.living([earlier])).toBe(0);
      expect(await kit.host.signal([earlier], 'SIGKILL')).toBe(0);
      expect(await kill(later, false)).toBe(1);
      await sealed(later.output.stdout);
    });

    test.runIf(linux)('what is left without a mark in the session of an ended process is signalled', async () => {
      const hosted = await start('bash', ['-c', 'env -i /bin/sleep 1000 & echo; exit 0']);
      await hosted.ended;
      expect(await kill(hosted, false)).toBe(1);
      await sealed(hosted.output.stdout);
    });

    test.runIf(linux)('neither the daemon nor pid 1 is ever signalled', async () => {
      for (const pid of [process.pid, process.ppid, 1, 0, -1]) {
        expect(await kit.host.signal([{ id: 'none', pid, running: true }], 'SIGCONT')).toBe(0);
      }
    });

    test('a target without processes is not an error, an unknown signal is', async () => {
      const hosted = await start('true');
      await hosted.ended;
      expect(await kill(hosted, false, 'SIGTERM')).toBe(0);
      await expect(kill(hosted, false, 'SIGNOPE')).rejects.toMatchObject({ kind: 'invalid' });
    });
  });
});
