import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { pump } from './pump.ts';

test('a written chunk is freed unless it shares its memory', async () => {
  const shared = Buffer.alloc(1000, 'b');
  const pieces = [Buffer.alloc(1000, 'a'), shared.subarray(0, 500), Buffer.alloc(1000, 'c')];
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
  expect(received.join('')).toBe('a'.repeat(1000) + 'b'.repeat(500) + 'c'.repeat(1000));
  expect(pieces.map(({ length }) => length)).toEqual([0, 500, 0]);
  expect(shared.toString()).toBe('b'.repeat(1000));
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
  source.write('one');
  source.write('two');
  await new Promise(setImmediate);
  expect([written.map(String), source.isPaused()]).toEqual([['one'], true]);
  write();
  await new Promise(setImmediate);
  expect(written.map(String)).toEqual(['one', 'two']);
  sink.destroy();
  await once(sink, 'close');
  expect([source.listenerCount('data'), source.isPaused()]).toEqual([0, true]);
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
