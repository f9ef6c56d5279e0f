import { expect, test } from 'vitest';
import { jsonBeginning, jsonBytes, jsonEnd } from './json-size.ts';
import { decode } from './text-slice.ts';

const TEXTS = {
  ascii: Buffer.from('plain text'),
  'every byte below 0x80': Buffer.from([...Array(0x80).keys()]),
  'several bytes a character': Buffer.from('aé€😀'.repeat(3)),
  nothing: Buffer.alloc(0),
};

function sizeOf(bytes: Buffer): number {
  return Buffer.byteLength(JSON.stringify(decode(bytes))) - 2;
}

test.each(Object.entries(TEXTS))('the size of %s is what JSON.stringify writes', (_name, bytes) => {
  expect(jsonBytes(bytes)).toBe(sizeOf(bytes));
});

test('bytes that are not UTF-8 take no more than their size', () => {
  const bytes = Buffer.from([0xff, 0xfe, 0x80, 0xc3, 0x28, 0xf0, 0x9f, 0x41, 0x00]);
  expect(jsonBytes(bytes)).toBeGreaterThanOrEqual(sizeOf(bytes));
});

test('UTF-8 that is cut at both ends is measured as UTF-8', () => {
  const bytes = Buffer.from('€'.repeat(4)).subarray(1, 11);
  expect(jsonBytes(bytes)).toBe(bytes.length);
});

test.each([0, 1, 5, 6, 7, 11, 12, 13, 100])('beginning and end hold as much as fits into %i bytes of JSON', (most) => {
  const bytes = Buffer.from('\0a\n\0"\u001b\\b\0');
  const beginning = jsonBeginning(bytes, most);
  expect(sizeOf(beginning)).toBeLessThanOrEqual(most);
  expect(beginning).toEqual(bytes.subarray(0, beginning.length));
  if (beginning.length < bytes.length) {
    expect(sizeOf(bytes.subarray(0, beginning.length + 1))).toBeGreaterThan(most);
  }
  const end = jsonEnd(bytes, most);
  expect(sizeOf(end)).toBeLessThanOrEqual(most);
  const from = bytes.length - end.length;
  expect(end).toEqual(bytes.subarray(from));
  if (from > 0) expect(sizeOf(bytes.subarray(from - 1))).toBeGreaterThan(most);
});
