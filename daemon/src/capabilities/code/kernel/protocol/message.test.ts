import { expect, test } from 'vitest';
import { streamRetention, Wire } from './message.ts';

const KEY = 'a key';

test('[code.signed] a message of another key, or one that was changed, is none', () => {
  const frames = new Wire(KEY).encode('id', 'status', { execution_state: 'idle' });
  expect(new Wire(KEY).decode([Buffer.from('topic'), ...frames])).toMatchObject({
    header: { msg_id: 'id', msg_type: 'status' },
    content: { execution_state: 'idle' },
  });
  expect(new Wire('other').decode(frames)).toBeUndefined();
  const changed = frames.with(5, Buffer.from('{"execution_state":"busy"}'));
  expect(new Wire(KEY).decode(changed)).toBeUndefined();
  expect(new Wire(KEY).decode(frames.slice(0, 4))).toBeUndefined();
  expect(new Wire(KEY).decode([])).toBeUndefined();
});

test.each([
  ['plain', 'abc', 'abc'],
  ['an escape at the cut', 'ab\\u00', 'ab'],
  ['a backslash at the cut', 'ab\\', 'ab'],
])('the beginning of a stream that was cut: %s', (_name, json, text) => {
  const wire = new Wire(KEY);
  const frames = wire.encode('id', 'stream', { name: 'stdout', text: '' });
  const cut = frames.with(5, Buffer.from(`{"name":"stdout","text":"${json}`));
  expect(wire.decodeCut(cut)).toMatchObject({ header: { msg_type: 'stream' }, content: { name: 'stdout', text } });
});

test('another message that was cut is a note', () => {
  const wire = new Wire(KEY);
  expect(wire.decodeCut(wire.encode('id', 'display_data', { data: {} }))).toMatchObject({
    header: { msg_type: 'stream' },
    content: { name: 'stderr', text: expect.stringContaining('too long') },
  });
});

test('[limits.json] an output of millions of values is a note', () => {
  const wire = new Wire(KEY);
  const lists = Array.from({ length: 2_000_001 }, () => 0);
  expect(wire.decode(wire.encode('id', 'display_data', { data: { 'application/json': lists } }))).toMatchObject({
    header: { msg_type: 'stream' },
    content: { name: 'stderr', text: expect.stringContaining('too long') },
  });
});

test('only the content of a stream is cut', () => {
  const frames = new Wire(KEY).encode('id', 'stream', {});
  const lengths = frames.map((_frame, index) => streamRetention([Buffer.from('topic'), ...frames].slice(0, index + 1)));
  expect(lengths).toEqual([...Array.from({ length: 5 }, () => Number.POSITIVE_INFINITY), 8 * 1024 ** 2]);
  const other = new Wire(KEY).encode('id', 'display_data', {});
  expect(streamRetention(other.slice(0, 5))).toBe(Number.POSITIVE_INFINITY);
});
