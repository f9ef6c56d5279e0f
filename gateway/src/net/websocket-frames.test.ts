import { expect, test } from 'vitest';
import { SeededRandom } from '../../../scripts/testing/seeded-random.ts';
import { WebSocketFrames } from './websocket-frames.ts';

const BINARY = 0x82;
const CLOSE = 0x88;

/** A frame of RFC 6455 §5.2, its length written in `lengthBytes` more bytes. */
function frame(first: number, length: number, lengthBytes: 0 | 2 | 8, mask = Buffer.alloc(0)): Buffer {
  const masked = mask.length > 0 ? 0x80 : 0;
  const size = { 0: length, 2: 126, 8: 127 }[lengthBytes];
  const extended = Buffer.alloc(lengthBytes);
  if (lengthBytes === 2) extended.writeUInt16BE(length);
  if (lengthBytes === 8) extended.writeBigUInt64BE(BigInt(length));
  return Buffer.concat([Buffer.from([first, masked | size]), extended, mask, Buffer.alloc(length, CLOSE)]);
}

const FRAMES = [
  frame(BINARY, 0, 0),
  frame(0x02, 5, 0),
  frame(0x80, 125, 0),
  frame(0x89, 3, 0, Buffer.alloc(4)),
  frame(BINARY, 126, 2),
  frame(BINARY, 65_535, 2),
  frame(BINARY, 7, 8, Buffer.from([1, 2, 3, 4])),
  frame(BINARY, 70_000, 8),
];

test('a connection can be closed between two frames and not within one, however its bytes are cut', () => {
  const random = new SeededRandom('pieces of frames');
  const bytes = Buffer.concat(Array.from({ length: 4 }, () => FRAMES).flat());
  const borders = new Set<number>([0]);
  for (let at = 0; at < bytes.length; ) {
    for (const { length } of FRAMES) {
      at += length;
      borders.add(at);
    }
  }
  for (const most of [1, 9, 100_000]) {
    const frames = new WebSocketFrames();
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + 1 + random.below(most));
      frames.take(piece);
      at += piece.length;
      if ((frames.interruption !== undefined) !== borders.has(at)) expect([most, at]).toBe('wrong');
    }
    expect(frames.interruption?.readUInt16BE(2)).toBe(1012);
  }
});

test('a side that has sent a close frame sends no other, and one in the middle of the largest frame none', () => {
  const closed = new WebSocketFrames();
  closed.take(Buffer.concat([frame(BINARY, 3, 0), frame(CLOSE, 2, 0)]));
  expect(closed.interruption).toBeUndefined();
  const huge = new WebSocketFrames();
  huge.take(Buffer.from([BINARY, 127, ...Buffer.alloc(8, 0xff)]));
  huge.take(Buffer.alloc(1_000_000));
  expect(huge.interruption).toBeUndefined();
});
