import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { growthDuring } from '../../../../scripts/testing/process-memory.ts';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { expect, test } from './files.fixture.ts';

const MEBIBYTE = 1024 ** 2;

/** Sends so many bytes as the body of an upload; answers its `data`. */
async function upload(daemon: DaemonProcess, path: string, mebibytes: number): Promise<unknown> {
  const block = Buffer.alloc(MEBIBYTE, 'ab');
  const body = Readable.from(
    (function* () {
      for (let sent = 0; sent < mebibytes; sent += 1) yield block;
    })(),
  );
  const answer = await fetch(`${daemon.base}/v2/fs/upload?path=${path}`, {
    method: 'PUT',
    body: Readable.toWeb(body),
    duplex: 'half',
  } as RequestInit);
  return ((await answer.json()) as { data: unknown }).data;
}

test.runIf(process.platform === 'linux')(
  '400 MiB come in, and at no time has the daemon more memory for them than for a few',
  async ({ dir }) => {
    mkdirSync(join(dir, 'runtime'));
    await using daemon = await DaemonProcess.start(join(dir, 'runtime'));
    const pid = daemon.child.pid ?? 0;
    // What is loaded once, and the buffers that any upload has, are no growth.
    await upload(daemon, join(dir, 'first'), 40);
    const grown = await growthDuring(pid, async () => {
      expect(await upload(daemon, join(dir, 'big'), 400)).toMatchObject({ file_size: 400 * MEBIBYTE });
    });
    expect(statSync(join(dir, 'big')).size).toBe(400 * MEBIBYTE);
    expect(grown).toBeLessThan(150 * MEBIBYTE);
  },
);
