import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { InotifyReader } from './inotify-reader.ts';
import { EVENT, FrameWriter, KEEPER_VERSION, REQUEST } from './keeper-frames.ts';
import { KeeperHost } from './keeper-host.ts';
import { OtherKeepers } from './recovery/keeper-elsewhere.ts';

const WELCOME = new FrameWriter(EVENT.welcome).u32(KEEPER_VERSION).u32(1).u32(0).flag(true).text('build').finish();
const SYNCED = new FrameWriter(EVENT.synced).finish();

/** The answer to HELLO, and to SIGNAL that there are seven processes. */
function answerTo(frame: Buffer): Buffer {
  if (frame.readUInt8(4) === REQUEST.hello) return Buffer.concat([WELCOME, SYNCED]);
  return new FrameWriter(EVENT.signalled).u32(frame.readUInt32LE(5)).u32(7).finish();
}

test.each([
  ['a state that ends after its id', new FrameWriter(EVENT.state).text('a').finish()],
  ['a frame without a type', Buffer.alloc(4)],
  ['a frame of 4 GiB', Buffer.alloc(8, 0xff)],
])('[keeper.boundary] %s ends its connection with one report, and the next one serves', async (_name, bytes) => {
  await using directory = await tempDir();
  const clients: Socket[] = [];
  const server = createServer((socket) => {
    clients.push(socket.on('error', () => {}));
    socket.on('data', (frame: Buffer) => socket.write(answerTo(frame)));
  });
  server.listen(join(directory.path, `keeper-v${KEEPER_VERSION}.sock`));
  await once(server, 'listening');
  const reports: { err?: unknown }[] = [];
  await using host = await KeeperHost.open({ directory: directory.path, report: (details) => reports.push(details) });
  clients[0]?.write(bytes);
  if (clients[0]) await once(clients[0], 'close');
  expect(reports).toEqual([{ err: expect.objectContaining({ stack: expect.any(String) }), keeper: 1 }]);
  expect(await host.living([{ id: 'a', pid: 0, running: false }])).toBe(7);
  expect(clients.length).toBe(2);
  server.close();
});

test('[keeper.boundary] a garbage frame of the inotify reader ends that reader with one report', async () => {
  await using directory = await tempDir();
  const program = join(directory.path, 'reader');
  await writeFile(program, "#!/bin/sh\nprintf '\\377\\377\\377\\377\\377\\377\\377\\377'; exec cat\n", { mode: 0o755 });
  const faults: unknown[] = [];
  const gone = Promise.withResolvers<string>();
  await using reader = new InotifyReader(program, (error) => faults.push(error));
  reader.join({ onOverflow: () => {}, onGone: gone.resolve });
  expect(await gone.promise).toBe('a frame of it could not be handled');
  expect(faults).toEqual([expect.any(RangeError)]);
  expect([reader.isGone, reader.isFaulty]).toEqual([true, true]);
  await expect(reader.add(Buffer.from('/'), 1, { onInotify: () => {} })).rejects.toMatchObject({ code: 'EPIPE' });
});

test('[keeper.boundary] a garbage frame of a keeper of another version ends its connection with one report', async () => {
  await using directory = await tempDir();
  for (const name of ['output', 'ended']) await mkdir(join(directory.path, name));
  const listed = Buffer.concat([new FrameWriter(94).text('a').u32(process.pid).finish(), new FrameWriter(95).finish()]);
  const clients: Socket[] = [];
  const other = createServer((socket) => {
    clients.push(socket.on('error', () => {}));
    socket.write(listed);
  });
  other.listen(join(directory.path, 'keeper-v9.sock'));
  await once(other, 'listening');
  const reports: { err?: unknown }[] = [];
  const place = { directory: directory.path, report: (details: object) => reports.push(details) };
  using others = await OtherKeepers.find(place);
  clients[0]?.write(Buffer.alloc(8, 0xff));
  await expect.poll(() => clients.length).toBe(2);
  expect(reports).toEqual([{ err: expect.any(RangeError), keeper: undefined }]);
  expect([...others.processes.keys()]).toEqual(['a']);
  other.close();
});
