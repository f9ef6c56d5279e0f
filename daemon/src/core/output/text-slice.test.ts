import { expect, test } from 'vitest';
import { continuationHead, decode, incompleteTail, isBinary, jsonString } from './text-slice.ts';

const bytes = (...values: number[]): Buffer => Buffer.from(values);

test.each([
  ['', 0],
  ['a', 0],
  ['ä', 0],
  ['€', 0],
  ['😀', 0],
])('%j ends whole', (text, tail) => {
  expect(incompleteTail(Buffer.from(text))).toBe(tail);
});

test('the beginning of a sequence is counted, what can become none is not', () => {
  const emoji = Buffer.from('😀');
  expect([1, 2, 3].map((length) => incompleteTail(emoji.subarray(0, length)))).toEqual([1, 2, 3]);
  expect(incompleteTail(bytes(0x61, 0xc3))).toBe(1);
  expect(incompleteTail(bytes(0x61, 0xff))).toBe(0);
  expect(incompleteTail(bytes(0x61, 0x80))).toBe(0);
  expect(incompleteTail(bytes(0x80, 0x80, 0x80, 0x80))).toBe(0);
  expect(incompleteTail(bytes(0xc0))).toBe(0);
  expect(incompleteTail(bytes(0xf5))).toBe(0);
});

test('the rest of a sequence is counted', () => {
  expect([0, 1, 2, 3].map((from) => continuationHead(Buffer.from('😀a').subarray(from)))).toEqual([0, 3, 2, 1]);
  expect(continuationHead(Buffer.from('abc'))).toBe(0);
});

test('every byte and every kind of text becomes the JSON that JSON.stringify writes', () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  const samples = [
    all,
    ...[...all].map((byte) => bytes(0x61, byte, 0x62)),
    ...['', 'plain\nlines\n', 'ünï\n€😀\n', 'tab\t"q" \\ \r\n', '\u2028\u2029'].map((text) => Buffer.from(text)),
  ];
  for (const sample of samples) expect(jsonString(sample)).toBe(JSON.stringify(decode(sample)));
});

test('programs and zeros are binary, text in any alphabet is not', () => {
  expect(isBinary(Buffer.alloc(1000))).toBe(true);
  expect(isBinary(Buffer.from('日本語 text\n\u001b[31mred\u001b[0m'.repeat(50)))).toBe(false);
  expect(isBinary(Buffer.from('latin1 \xe9t\xe9 '.repeat(50), 'latin1'))).toBe(false);
});
