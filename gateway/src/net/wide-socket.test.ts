import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { fill, IN_FLIGHT_MAX_MB } from '../in-flight.fixture.ts';
import { WideSocket } from './wide-socket.ts';

test('pieces of any size arrive complete and in order, followed by the end', async () => {
  const hash = createHash('sha256');
  const pieces = Array.from({ length: 400 }, (_, i) => Buffer.alloc(1 + ((i * 7919) % 300_000), i));
  for (const piece of pieces) hash.update(piece);
  const server = createServer((socket) => {
    for (const piece of pieces) socket.write(piece);
    socket.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = new WideSocket().connect((server.address() as AddressInfo).port, '127.0.0.1');
  const received = createHash('sha256');
  let longest = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received.update(chunk);
    longest = Math.max(longest, chunk.length);
  }
  expect(received.digest('hex')).toBe(hash.digest('hex'));
  expect(longest).toBeGreaterThan(64 * 1024);
  server.close();
});

test('a socket that is not read causes backpressure on the sender', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = new WideSocket().connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [sender] = (await once(server, 'connection')) as [Socket];
  // A listener starts reading, up to the high-water mark.
  socket.on('readable', () => {});
  expect(await fill(sender)).toBeLessThan(IN_FLIGHT_MAX_MB);
  expect(socket.readableLength).toBeGreaterThan(0);
  expect(socket.readableLength).toBeLessThan(2 * 1024 ** 2);
  sender.destroy();
  socket.destroy();
  server.close();
});

test('pumped bytes arrive complete and in order at a slow sink, from reused buffers', async () => {
  const pieces = Array.from({ length: 300 }, (_, i) => Buffer.alloc(1 + ((i * 7919) % 300_000), i));
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  const server = createServer((socket) => {
    for (const piece of pieces) socket.write(piece);
    socket.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = new WideSocket().connect((server.address() as AddressInfo).port, '127.0.0.1');
  const received = createHash('sha256');
  const buffers = new Set<ArrayBufferLike>();
  const sink = new Writable({
    highWaterMark: 128 * 1024,
    write(chunk: Buffer, _encoding, callback) {
      if (chunk.length > 64 * 1024) buffers.add(chunk.buffer);
      setImmediate(() => {
        received.update(chunk);
        callback();
      });
    },
  });
  socket.pumpInto(sink);
  socket.on('end', () => sink.end());
  await once(sink, 'finish');
  expect(received.digest('hex')).toBe(hash.digest('hex'));
  expect(buffers.size).toBeGreaterThan(0);
  expect(buffers.size).toBeLessThan(4);
  server.close();
});
