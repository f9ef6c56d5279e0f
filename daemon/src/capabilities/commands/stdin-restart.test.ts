import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { untilStopped } from '../../core/process/stopped.fixture.ts';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { hasKeeper } from '../../hosts.fixture.ts';

const MIB = 1024 ** 2;
const lines = Array.from({ length: 60_000 }, (_, i) => `${i}`.padStart(9, '0')).join('\n');

describe.runIf(hasKeeper)('stdin across a daemon that is killed', () => {
  test('[stdin.survives] every acknowledged byte reaches a command that reads late, once and in order', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'sandboxd-stdin-'));
    const script = 'kill -STOP $$; exec sha256sum';
    let daemon = await DaemonProcess.start(directory, { SVC_PROCESS_HOST: 'keeper' });
    try {
      const { command_id, pid } = await daemon.data('/v2/commands', { command: script, mode: 'async' });
      const fed = await daemon.data('/v2/commands', {
        command: 'kill -STOP $$; exec wc -c',
        mode: 'async',
        stdin: 'x'.repeat(5 * MIB),
      });
      const path = `/v2/commands/${command_id}/stdin`;
      const first = await daemon.data(path, { input: lines });
      expect(first.bytes_written).toBe(lines.length);
      await daemon.stop('SIGKILL');
      daemon = await DaemonProcess.start(directory, { SVC_PROCESS_HOST: 'keeper' });
      const before = await daemon.data(`/v2/commands/${command_id}`);
      expect(before.command).toMatchObject({ status: 'running', stdin_bytes: lines.length });
      await daemon.data(path, { input: 'LAST', offset: lines.length, eof: true });
      for (const stopped of [pid, fed.pid]) await untilStopped(stopped);
      for (const id of [command_id, fed.command_id]) {
        await daemon.data(`/v2/commands/${id}/kill`, { signal: 'SIGCONT' });
      }
      const sum = createHash('sha256').update(`${lines}LAST`).digest('hex');
      const output = async (id: string) => (await daemon.data(`/v2/commands/${id}?wait=true`)).stdout;
      await expect.poll(() => output(command_id)).toBe(`${sum}  -\n`);
      await expect.poll(() => output(fed.command_id)).toBe(`${5 * MIB}\n`);
    } finally {
      await daemon[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    }
  });
});
