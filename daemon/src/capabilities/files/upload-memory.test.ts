import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
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

/** A figure of `/proc/PID/status` in bytes (proc(5)). */
function memoryOf(pid: number, figure: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(new RegExp(`^${figure}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
}

test.runIf(process.platform === 'linux')(
  '400 MiB come in, and at no time has the daemon more memory for them than for a few',
  async ({ dir }) => {
    mkdirSync(join(dir, 'runtime'));
    await using daemon = await DaemonProcess.start(join(dir, 'runtime'));
    const pid = daemon.child.pid ?? 0;
    // What is loaded once, and the buffers that any upload has, are no growth.
    await upload(daemon, join(dir, 'first'), 40);
    const before = memoryOf(pid, 'VmRSS');
    // The kernel forgets the highest mark so far (proc(5), clear_refs).
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    expect(await upload(daemon, join(dir, 'big'), 400)).toMatchObject({ file_size: 400 * MEBIBYTE });
    expect(statSync(join(dir, 'big')).size).toBe(400 * MEBIBYTE);
    expect(memoryOf(pid, 'VmHWM') - before).toBeLessThan(150 * MEBIBYTE);
  },
);
