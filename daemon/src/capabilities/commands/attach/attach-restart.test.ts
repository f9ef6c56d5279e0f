import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { seededBytes } from '../../../../../scripts/testing/seeded-random.ts';
import { DaemonProcess } from '../../../daemon-process.fixture.ts';
import { describeOnHosts, hasKeeper } from '../../../hosts.fixture.ts';
import { describeSilentKeeper } from '../../../silent-keeper.fixture.ts';
import { TestAttachment } from './attach.fixture.ts';

const MIB = 1024 ** 2;

async function withDaemons(host: string, use: (start: () => Promise<DaemonProcess>) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'sandboxd-attach-'));
  let daemon: DaemonProcess | undefined;
  try {
    await use(async () => {
      daemon = await DaemonProcess.start(directory, { SVC_PROCESS_HOST: host });
      return daemon;
    });
  } finally {
    await daemon?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  }
}

describe.runIf(hasKeeper)('an attachment across daemons that are killed', () => {
  test('[attach.survives] no byte is lost or doubled in either direction, nor the end of stdin', async () => {
    await withDaemons('keeper', async (start) => {
      let daemon = await start();
      const { command_id: id } = await daemon.data('/v2/commands', { command: 'cat', mode: 'async' });
      const bytes = seededBytes(24 * MIB);
      const back: Buffer[] = [];
      let at = 0;
      for (let life = 1; life <= 4; life++) {
        await using client = new TestAttachment(daemon.base, id, { write: true, stdout: at });
        const { stdin_offset: taken } = await client.message('ready');
        client.write(taken, bytes.subarray(taken));
        if (life === 4) {
          client.control({ type: 'eof', offset: bytes.length });
          await client.message('eof', { stream: 'stdin' });
        } else {
          await client.until(() => client.stdout.at > life * 5 * MIB);
        }
        await daemon.stop('SIGKILL');
        // After the end of its stdin the command may have ended before the daemon.
        expect(life === 4 ? [1000, 1006] : [1006]).toContain((await client.closed)[0]);
        back.push(client.stdout.bytes);
        at = client.stdout.at;
        daemon = await start();
      }
      await using last = new TestAttachment(daemon.base, id, { write: true, stdout: at });
      expect(await last.message('ready')).toMatchObject({ stdin_offset: bytes.length, stdin_open: false });
      expect(await last.message('exit')).toMatchObject({ exit_code: 0, stdout_bytes: bytes.length });
      expect(Buffer.concat([...back, last.stdout.bytes]).equals(bytes)).toBe(true);
    });
  });
});

describeOnHosts('an attachment to a command of a killed daemon', ({ processHost, survivesDaemon }) => {
  test('[attach.lost] output is there, and the command runs on or is lost', async () => {
    await withDaemons(processHost, async (start) => {
      const first = await start();
      const { command_id: id } = await first.data('/v2/commands', { command: 'echo before; cat', mode: 'async' });
      await using cut = new TestAttachment(first.base, id, { write: true });
      await cut.until(() => cut.stdout.at === 7);
      await first.stop('SIGKILL');
      await cut.closed;
      const second = await start();
      await using client = new TestAttachment(second.base, id, { write: true });
      expect(await client.message('ready')).toMatchObject({ stdin_open: survivesDaemon, stdin_offset: 0 });
      if (survivesDaemon) client.control({ type: 'eof', offset: 0 });
      const end = survivesDaemon ? { status: 'completed', exit_code: 0 } : { status: 'lost', exit_code: null };
      expect(await client.message('exit')).toMatchObject(end);
      expect(client.stdout.text).toBe('before\n');
    });
  });
});

describeSilentKeeper('an attachment beside a keeper that is stopped', (kit) => {
  test('[attach.silent] a frame that is not taken is an error, and the same frame again doubles nothing', async () => {
    const { command_id: id } = await kit.daemon.data('/v2/commands', { command: 'cat', mode: 'async' });
    await using client = new TestAttachment(kit.daemon.base, id, { write: true });
    await client.message('ready');
    kit.stop();
    client.write(0, 'once ');
    expect(await client.message('error')).toMatchObject({ code: 'unavailable', stdin_offset: 0, stdin_open: true });
    client.write(0, 'once ');
    client.write(5, 'more');
    client.socket.ping();
    await new Promise((resolve) => client.socket.once('pong', resolve));
    kit.goOn();
    await client.message('ack', { offset: 9 });
    client.control({ type: 'eof', offset: 9 });
    await client.message('exit');
    expect(client.stdout.text).toBe('once more');
  });
});
