import { expect, test } from 'vitest';
import { plainText } from './plain-text.ts';

test.each([
  ['a\r\nb\r\r\nc\n', 'a\nb\nc\n'],
  ['one\rtwo\n', 'two\n'],
  ['\x1b[31mred\x1b[0m\r\n', 'red\n'],
  ['ab\bc\r', 'ac'],
  ['\r\r', ''],
])('%j reads as %j', (output, text) => {
  expect(plainText(output)).toBe(text);
});

test.each([
  ['carriage returns', '\r'],
  ['carriage returns with text', '\rx'],
  ['escapes', '\x1b'],
  ['beginnings of a title', '\x1b]0;'],
  ['beginnings of a control sequence', '\x1b[0;'],
  ['beginnings of a device control string', '\x1bP'],
  ['backspaces', '\b'],
])('[work.linear] two megabytes of %s are read in time', (_what, piece) => {
  const began = performance.now();
  plainText(piece.repeat(2_000_000 / piece.length));
  expect(performance.now() - began).toBeLessThan(5_000);
});
