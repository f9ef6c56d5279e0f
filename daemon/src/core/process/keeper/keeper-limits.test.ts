import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeRows } from '../../../../../scripts/testing/describe-rows.ts';
import { mayMount } from '../../../../../scripts/testing/may-mount.ts';
import { bytesOf, rejectionOf, root, textOf } from '../process-host.fixture.ts';
import { TestAccount } from '../test-account.fixture.ts';
import { idIn, KEEPERS, RunningKeeper, startIn } from './keeper.fixture.ts';

const MB = 1024 * 1024;

/** A separate file system of that many bytes. */
function smallDisk(bytes: number): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'keeper-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=0700`, 'tmpfs', path], { stdio: 'pipe' });
  const unmount = (): void => {
    execFileSync('umount', ['--lazy', path]);
    rmSync(path, { recursive: true });
  };
  return { path, [Symbol.dispose]: unmount };
}

const titleOf = ({ name }: { readonly name: string }): string => `limits met by ${name}`;

describeRows(KEEPERS, titleOf, ({ program }) => {
  test.runIf(mayMount)(
    'a full disk costs output alone, which is counted, and space that comes back is used',
    async () => {
      using disk = smallDisk(8 * MB);
      const [ballast, directory] = [join(disk.path, 'ballast'), join(disk.path, 'runtime')];
      mkdirSync(directory);
      writeFileSync(ballast, Buffer.alloc(4 * MB));
      await using keeper = await RunningKeeper.start(program, { directory });
      await using host = await keeper.host();
      const script = 'head -c 12000000 /dev/zero | tr "\\0" a; read line; echo tail; echo err >&2; exit 5';
      const writer = await startIn(host, 'writer', script, { stdin: 'pipe' });
      const { stdout, stderr } = writer.output;
      while (stdout.end < 12_000_000) await stdout.advanced(stdout.end);
      expect(stdout.end).toBe(12_000_000);
      expect(stdout.retainedBytes).toBeLessThanOrEqual(4 * MB);
      expect(stdout.retainedBytes).toBeGreaterThan(3 * MB);
      const other = await startIn(host, 'other', 'echo lost; exit 4');
      expect(await other.ended).toMatchObject({ exitCode: 4 });
      expect(other.output.stdout).toMatchObject({ end: 5, retainedBytes: 0 });
      // No empty file is left where no byte could be written.
      expect(readdirSync(join(directory, 'output'))).toEqual(['writer.stdout.0']);
      const gap = stdout.retainedBytes;
      rmSync(ballast);
      await writer.writeStdin(Buffer.from('\n'));
      expect(await writer.ended).toMatchObject({ exitCode: 5 });
      expect(stdout.end).toBe(12_000_005);
      const { offset, bytes } = await stdout.read(gap, 100);
      expect([offset, String(bytes)]).toEqual([12_000_000, 'tail\n']);
      expect(await textOf(stderr)).toBe('err\n');
      expect((await bytesOf(stdout)).subarray(0, gap)).toEqual(Buffer.alloc(gap, 'a'));
      // Not at once: a connected client has time to acknowledge the end first.
      await expect.poll(() => existsSync(join(directory, 'ended/writer.json'))).toBe(true);
    },
  );

  test('a limit on the size of files drops output as a full disk does', async () => {
    await using keeper = await RunningKeeper.start(program);
    execFileSync('prlimit', ['--pid', String(keeper.child.pid), '--fsize=100000']);
    await using host = await keeper.host();
    const script = 'ulimit -f unlimited; head -c 300000 /dev/zero; exit 6';
    const writer = await startIn(host, 'writer', script);
    expect(await writer.ended).toMatchObject({ exitCode: 6 });
    expect(writer.output.stdout.end).toBe(300_000);
    expect(keeper.alive).toBe(true);
  });

  test('an output directory that is removed is made again', async () => {
    await using keeper = await RunningKeeper.start(program);
    await using host = await keeper.host();
    const before = await startIn(host, 'before', 'read line; echo "$line"; exit 3', { stdin: 'pipe' });
    for (const name of ['output', 'ended']) rmSync(join(keeper.directory, name), { recursive: true });
    await before.writeStdin(Buffer.from('kept\n'));
    expect(await before.ended).toMatchObject({ exitCode: 3 });
    expect(await textOf(before.output.stdout)).toBe('kept\n');
    // Not at once: a connected client has time to acknowledge the end first.
    await expect.poll(() => existsSync(join(keeper.directory, 'ended/before.json'))).toBe(true);
  });

  test('64 kills at once reach their targets', async () => {
    await using keeper = await RunningKeeper.start(program);
    await using host = await keeper.host();
    const all = await Promise.all(
      Array.from({ length: 64 }, (_, i) => startIn(host, idIn(keeper.directory, i), 'setsid sleep 1000 & echo; wait')),
    );
    for (const { output } of all) await output.stdout.advanced(0);
    const counts = await Promise.all(all.map(({ id, pid }) => host.signal([{ id, pid, running: true }], 'SIGKILL')));
    expect(counts).toEqual(all.map(() => 2));
    for (const { ended } of all) expect(await ended).toMatchObject({ signal: 'SIGKILL' });
  });

  describe.skipIf(!root)('under a limit of processes (needs root)', () => {
    test('a start fails with the limit as its reason, and processes run on', async () => {
      using account = new TestAccount(`svc-nproc-${process.pid}`);
      await using keeper = await RunningKeeper.start(program);
      execFileSync('prlimit', ['--pid', String(keeper.child.pid), '--nproc=1']);
      await using host = await keeper.host();
      const first = await startIn(host, 'first', 'read line; echo "$line"', {
        stdin: 'pipe',
        identity: account.identity,
      });
      // The system compares before it counts the new one.
      const also = await startIn(host, idIn(keeper.directory, 'also'), 'exec sleep 1000', {
        identity: account.identity,
      });
      const refused = await rejectionOf(startIn(host, 'second', 'true', { identity: account.identity }));
      expect(refused).toMatchObject({ name: 'StartFailure', exitCode: 126 });
      expect(String(refused)).toContain('no more processes can be started');
      await first.writeStdin(Buffer.from('fine\n'));
      await first.ended;
      expect(await textOf(first.output.stdout)).toBe('fine\n');
      await host.signal([{ id: also.id, pid: also.pid, running: true }], 'SIGKILL');
      await also.ended;
      const third = await startIn(host, 'third', 'exit 3', { identity: account.identity });
      expect(await third.ended).toMatchObject({ exitCode: 3 });
      expect(keeper.said).toBe('');
    });
  });
});
