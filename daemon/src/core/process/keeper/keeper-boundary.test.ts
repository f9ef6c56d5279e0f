import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { EVENT, FrameWriter, KEEPER_VERSION, REQUEST } from './keeper-frames.ts';
import { KeeperHost } from './keeper-host.ts';

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
