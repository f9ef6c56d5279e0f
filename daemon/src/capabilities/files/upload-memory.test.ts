import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { growthDuring } from '../../../../scripts/testing/process-memory.ts';
import { DaemonProcess } from '../../daemon-process.fixture.ts';
import { expect, test } from './files.fixture.ts';

const MEBIBYTE = 1024 ** 2;

/** The bytes of a file, in blocks, with what a form has around them. */
function content(mebibytes: number, before = '', after = ''): Readable {
  const block = Buffer.alloc(MEBIBYTE, 'ab');
  return Readable.from(
    (function* () {
      if (before !== '') yield Buffer.from(before);
      for (let sent = 0; sent < mebibytes; sent += 1) yield block;
      if (after !== '') yield Buffer.from(after);
    })(),
  );
}

/** Sends so many bytes as the body of an upload; answers its `data`. */
async function upload(daemon: DaemonProcess, path: string, mebibytes: number): Promise<unknown> {
  const answer = await fetch(`${daemon.base}/v2/fs/upload?path=${path}`, {
    method: 'PUT',
    body: Readable.toWeb(content(mebibytes)),
    duplex: 'half',
  } as RequestInit);
  return ((await answer.json()) as { data: unknown }).data;
}

/** The same as the file of a form. */
async function uploadForm(daemon: DaemonProcess, path: string, mebibytes: number): Promise<unknown> {
  const part = (name: string): string => `--limit\r\ncontent-disposition: form-data; name="${name}"`;
  const before = `${part('path')}\r\n\r\n${path}\r\n${part('file')}; filename="x"\r\n\r\n`;
  const answer = await fetch(`${daemon.base}/v2/fs/upload`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=limit' },
    body: Readable.toWeb(content(mebibytes, before, '\r\n--limit--\r\n')),
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

test.runIf(process.platform === 'linux')(
  'a form of 400 MiB takes no more memory than one of a few',
  async ({ dir }) => {
    mkdirSync(join(dir, 'runtime'));
    await using daemon = await DaemonProcess.start(join(dir, 'runtime'));
    await uploadForm(daemon, join(dir, 'first'), 40);
    const grown = await growthDuring(daemon.child.pid ?? 0, async () => {
      expect(await uploadForm(daemon, join(dir, 'big'), 400)).toMatchObject({ file_size: 400 * MEBIBYTE });
    });
    expect(grown).toBeLessThan(20 * MEBIBYTE);
  },
);
