import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { pump } from './pump.ts';

test('a written chunk is freed unless it shares its memory', async () => {
  const shared = Buffer.alloc(10_000, 'b');
  const pieces = [Buffer.alloc(9000, 'a'), shared.subarray(0, 5000), Buffer.alloc(9000, 'c')];
  const received: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      setImmediate(() => {
        received.push(chunk.toString('latin1'));
        callback();
      });
    },
  });
  pump(Readable.from(pieces), sink);
  await once(sink, 'finish');
  expect(received.join('')).toBe('a'.repeat(9000) + 'b'.repeat(5000) + 'c'.repeat(9000));
  expect(pieces.map(({ length }) => length)).toEqual([0, 5000, 0]);
  expect(shared.toString()).toBe('b'.repeat(10_000));
});

test('a full sink pauses the source, and a closed one stops it', async () => {
  const source = new PassThrough({ highWaterMark: 1 });
  const written: Buffer[] = [];
  let write: () => void = () => {};
  const sink = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, callback) {
      written.push(Buffer.from(chunk));
      write = callback;
    },
  });
  pump(source, sink);
  const [one, two] = ['1'.repeat(5000), '2'.repeat(5000)];
  source.write(one);
  source.write(two);
  await new Promise(setImmediate);
  expect([written.map(String), source.isPaused()]).toEqual([[one], true]);
  write();
  await new Promise(setImmediate);
  expect(written.map(String)).toEqual([one, two]);
  sink.destroy();
  await once(sink, 'close');
  expect([source.listenerCount('data'), source.isPaused()]).toEqual([0, true]);
});

test('[limits.small-pieces] the small pieces of one read are written together, in their place', async () => {
  const source = new PassThrough();
  const written: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      written.push(String(chunk));
      callback();
    },
  });
  pump(source, sink);
  const large = 'L'.repeat(5000);
  for (const piece of ['a', 'b', 'c', large, 'd']) source.emit('data', Buffer.from(piece));
  source.emit('data', Buffer.from('e'));
  source.end();
  await once(sink, 'finish');
  expect(written).toEqual(['abc', large, 'de']);
});

test('a source without the listener is not resumed', async () => {
  const source = new PassThrough();
  let write: () => void = () => {};
  const sink = new Writable({
    highWaterMark: 1,
    write(_chunk, _encoding, callback) {
      write = callback;
    },
  });
  pump(source, sink);
  source.write('one');
  await new Promise(setImmediate);
  source.removeAllListeners('data').pause();
  const drained = once(sink, 'drain');
  write();
  await drained;
  expect(source.isPaused()).toBe(true);
});
