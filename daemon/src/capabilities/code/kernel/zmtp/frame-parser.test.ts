import { expect, test } from 'vitest';
import { encodeCommand, encodeMessage, FrameParser, type ParsedMessage } from './frame-parser.ts';

const text = (message: ParsedMessage | undefined) =>
  message && 'frames' in message ? message.frames.map(String) : message;

test('messages and commands are found however the bytes are divided', () => {
  const long = 'x'.repeat(70_000);
  const bytes = Buffer.concat([
    encodeCommand('READY', Buffer.from('abc')),
    encodeMessage([Buffer.from('a'), Buffer.alloc(0), Buffer.from(long)]),
    encodeMessage([Buffer.alloc(0)]),
    encodeMessage([Buffer.from('last')]),
  ]);
  for (const size of [1, 2, 3, 7, 1000, 65_536, bytes.length]) {
    const parser = new FrameParser();
    const found: ParsedMessage[] = [];
    for (let at = 0; at < bytes.length; at += size) found.push(...parser.push(bytes.subarray(at, at + size)));
    expect(found).toHaveLength(4);
    expect(found[0]).toEqual({ command: Buffer.from('\x05READYabc') });
    expect(found.slice(1).map(text)).toEqual([['a', '', long], [''], ['last']]);
  }
});

test('of a long message the beginning is kept and the rest is counted', () => {
  const parser = new FrameParser((frames) => (frames.length === 1 ? 3 : 100));
  const found = parser.push(encodeMessage([Buffer.from('head'), Buffer.from('content'), Buffer.from('rest')]));
  expect(found.map(text)).toEqual([['head', 'con', '']]);
  expect(found).toEqual([expect.objectContaining({ droppedBytes: 8 })]);
  expect(parser.push(encodeMessage([Buffer.from('next')])).map(text)).toEqual([['next']]);
});

test('[limits.small-pieces] a message of more than a thousand frames is refused', () => {
  const more = Buffer.from([1, 0]);
  const parser = new FrameParser();
  for (let at = 0; at < 1000; at += 1) expect(parser.push(more)).toEqual([]);
  expect(() => parser.push(more)).toThrow('more than 1000 frames');
});

test('bytes that are no frames are refused', () => {
  expect(() => new FrameParser().push(Buffer.alloc(9, 0xff))).toThrow('invalid flags of a frame: 255');
});
