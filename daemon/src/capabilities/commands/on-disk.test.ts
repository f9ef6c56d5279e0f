import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { memoryOf } from '../../../../scripts/testing/process-memory.ts';
import { TestApp } from '../../app.fixture.ts';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { describeOnHosts } from '../../hosts.fixture.ts';
import { begin, endOf, parentOf } from './running.fixture.ts';

const MIB = 1024 ** 2;

describeOnHosts('output on disk', () => {
  test('[keep.on-disk] every byte of both streams lies in the runtime directory', async () => {
    await using daemon = await TestApp.start();
    const { command_id } = await daemon.run('seq 100000; seq 7 >&2');
    const directory = join(daemon.directory, 'output');
    const written = (stream: string): string =>
      readdirSync(directory)
        .filter((name) => name.startsWith(`${command_id}.${stream}.`))
        .map((name) => readFileSync(join(directory, name), 'latin1'))
        .join('');
    expect(written('stdout')).toBe(Array.from({ length: 100_000 }, (_, i) => `${i + 1}\n`).join(''));
    expect(written('stderr')).toBe('1\n2\n3\n4\n5\n6\n7\n');
  });
});

describeOnHosts('memory', ({ processHost }) => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'sandboxd-memory-'));
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  test('[keep.on-disk] neither that of the daemon nor that of the keeper grows with the output', async () => {
    await using daemon = await DaemonProcess.start(directory, { SVC_PROCESS_HOST: processHost });
    const write = (mib: number) => begin(daemon, `read -r; head -c ${mib}M /dev/zero | tr '\\0' x; exit 3`);
    const finish = async ({ command_id }: { command_id: string }, mib: number): Promise<void> => {
      await daemon.data(`/v2/commands/${command_id}/stdin`, { input: '\n' });
      expect(await endOf(daemon, command_id)).toMatchObject({ exit_code: 3, offset: mib * MIB });
    };
    await finish(await write(8), 8);
    const first = await write(60);
    const holders = [...new Set([Number(daemon.child.pid), parentOf(first.pid)])];
    const before = holders.map((pid) => memoryOf(pid).peak);
    await finish(first, 60);
    for (let i = 0; i < 3; i += 1) await finish(await write(60), 60);
    const grown = holders.map((pid, index) => memoryOf(pid).peak - Number(before[index]));
    expect(Math.max(...grown)).toBeLessThan(48 * MIB);
  });
});
