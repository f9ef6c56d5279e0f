import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { pump } from './pump.ts';

test('what was written is freed, and only what has memory of its own', async () => {
  const shared = Buffer.alloc(1000, 'b');
  const pieces = [Buffer.alloc(1000, 'a'), shared.subarray(0, 500), Buffer.alloc(1000, 'c')];
  const heard: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      setImmediate(() => {
        heard.push(chunk.toString('latin1'));
        callback();
      });
    },
  });
  pump(Readable.from(pieces), sink);
  await once(sink, 'finish');
  expect(heard.join('')).toBe('a'.repeat(1000) + 'b'.repeat(500) + 'c'.repeat(1000));
  expect(pieces.map(({ length }) => length)).toEqual([0, 500, 0]);
  expect(shared.toString()).toBe('b'.repeat(1000));
});

test('a sink that is full holds the source back, and one that closes stops it', async () => {
  const source = new PassThrough({ highWaterMark: 1 });
  const taken: Buffer[] = [];
  let write: () => void = () => {};
  const sink = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, callback) {
      taken.push(Buffer.from(chunk));
      write = callback;
    },
  });
  pump(source, sink);
  source.write('one');
  source.write('two');
  await new Promise(setImmediate);
  expect([taken.map(String), source.isPaused()]).toEqual([['one'], true]);
  write();
  await new Promise(setImmediate);
  expect(taken.map(String)).toEqual(['one', 'two']);
  sink.destroy();
  await once(sink, 'close');
  expect([source.listenerCount('data'), source.isPaused()]).toEqual([0, true]);
});

test('a source that lost its listener is left to whoever reads on', async () => {
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
