import { expect, test } from 'vitest';
import { bodyReader } from './response-body.ts';
import { MalformedResponse } from './response-head.ts';

const CHUNKED = '5\r\nhello\r\n00A;name="a;b"\r\n, world\r\n!\r\n0\r\nTrailer: x\r\n\r\n';

/** Parses a text in pieces of `step` bytes. */
function read(kind: 'chunked' | number, text: string, step: number) {
  const reader = bodyReader(kind === 'chunked' ? { kind } : { kind: 'length', length: kind });
  const pieces: Buffer[] = [];
  let used = 0;
  for (let at = 0; at < text.length && !reader.isEnded; at += step) {
    used += reader.read(Buffer.from(text.slice(at, at + step)), pieces);
  }
  return { text: Buffer.concat(pieces).toString(), used, isEnded: reader.isEnded };
}

test.each([1, 2, 3, 5, 7, 100])('a chunked body is parsed alike from pieces of %i bytes', (step) => {
  const whole = { text: 'hello, world\r\n!', used: CHUNKED.length, isEnded: true };
  expect(read('chunked', `${CHUNKED}HTTP/1.1`, step)).toEqual(whole);
  expect(read('chunked', CHUNKED.slice(0, -1), step).isEnded).toBe(false);
});

test('a body with a length ends there, however its bytes are split', () => {
  for (const step of [1, 2, 7]) {
    expect(read(5, 'hello', step)).toEqual({ text: 'hello', used: 5, isEnded: true });
    expect(read(6, 'hello', step).isEnded).toBe(false);
  }
  expect(read(5, 'hello, world', 100)).toEqual({ text: 'hello', used: 5, isEnded: true });
  expect(bodyReader({ kind: 'length', length: 0 }).isEnded).toBe(true);
});

test('the end of the connection ends only a body without framing', () => {
  expect(bodyReader({ kind: 'until-close' })).toMatchObject({ endsWithConnection: true, isEnded: false });
  expect(bodyReader({ kind: 'length', length: 1 }).endsWithConnection).toBe(false);
  expect(bodyReader({ kind: 'chunked' }).endsWithConnection).toBe(false);
});

test.each([
  ['no size', '\r\n'],
  ['a size that is not hexadecimal', 'g\r\n'],
  ['a signed size', '-5\r\n'],
  ['a size with a prefix', '0x5\r\n'],
  ['a size of too many digits', 'fffffffffffff\r\n'],
  ['a line that ends without CR', '5\nhello\r\n'],
  ['more bytes than its size', '5\r\nhello!\r\n'],
  ['a line that is too long', '5;'.padEnd(5000, 'x')],
])('a chunk with %s is refused', (_why, text) => {
  for (const step of [1, 10_000]) expect(() => read('chunked', text, step)).toThrow(MalformedResponse);
});
