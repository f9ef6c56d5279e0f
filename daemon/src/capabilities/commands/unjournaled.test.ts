import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { hasKeeper } from '../../hosts.fixture.ts';

describe.runIf(hasKeeper)('a daemon that dies between a start and its line in the journal', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'sandboxd-unjournaled-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  test('the next one has the command and its key from the keeper, and it runs once', async () => {
    const [marks, journal] = [join(directory, 'marks'), join(directory, 'commands.ndjson')];
    const body = { command: `echo x >> ${marks}; echo out; exec sleep 1000`, idempotency_key: 'k', mode: 'async' };
    const first = await DaemonProcess.start(directory, { SVC_PROCESS_HOST: 'keeper' });
    const { command_id } = await first.data('/v2/commands', body);
    await first.data(`/v2/commands/${command_id}?wait=true`);
    await first.stop('SIGKILL');
    await writeFile(journal, '');
    await using second = await DaemonProcess.start(directory, { SVC_PROCESS_HOST: 'keeper' });
    expect(await second.data('/v2/commands', body)).toMatchObject({ command_id, status: 'running' });
    expect(await second.data(`/v2/commands/${command_id}`)).toMatchObject({ stdout: 'out\n' });
    expect(await readFile(marks, 'latin1')).toBe('x\n');
  });

  test('a command that began and ended is one line', async () => {
    await using daemon = await DaemonProcess.start(directory, { SVC_PROCESS_HOST: 'keeper' });
    const lines = async (): Promise<string[]> =>
      (await readFile(join(directory, 'commands.ndjson'), 'utf8')).split('\n').filter((line) => line !== '');
    const counts: number[] = [];
    for (let round = 0; round < 10; round++) {
      const before = (await lines()).length;
      await daemon.data('/v2/commands', { command: '/bin/true', shell: 'none' });
      counts.push((await lines()).length - before);
    }
    // On a busy machine a command may outlive the millisecond in which both are announced together.
    expect(counts).toContain(1);
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  });
});
