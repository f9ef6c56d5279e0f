import { expect, test } from 'vitest';
import { OutputFilter, STRING_MAX } from './output-filter.ts';

const SIZE = { cols: 80, rows: 24 };
const filtered = (text: string): string => new OutputFilter(SIZE).pieces(text).join('');

test.each([
  ['a\x1b[2147483647b', 'a\x1b[1920b'],
  ['\x1b[2147483647L', '\x1b[80L'],
  ['\u009b2147483647S', '\x1b[80S'],
  ['\x1b[21474\n83647M', '\n\x1b[80M'],
  ['\x1b[;2147483647H', '\x1b[;80H'],
  ['\x1b[38:2::1:2:3m', '\x1b[38:2::1:2:3m'],
  ['\x1b[?1049h\x1b[>4;2m\x1b[!p', '\x1b[?1049h\x1b[>4;2m\x1b[!p'],
  [`\x1b[${'1;'.repeat(100)}1m`, `\x1b[${'1;'.repeat(31)}1m`],
  [`\x1b[${'9'.repeat(100_000)}C`, '\x1b[80C'],
  [`\x1b[1${' '.repeat(50)}q.`, '.'],
  ['\x1b]0;title\x07.', '\x1b]0;title\x1b\\.'],
  [`\x1b]0;${'x'.repeat(STRING_MAX)}\x07.`, '.'],
  ['\x1bPq#0\x1b\\.', '\x1bPq#0\x1b\\.'],
  ['\x1b_hidden\x1b\\.', '.'],
  ['\x1b[12\x18.', '.'],
  ['\x1b7\x1b(B\x1b#8', '\x1b7\x1b(B\x1b#8'],
])('[pty.screen-bounds] %j reaches the terminal as %j, in any pieces', (text, expected) => {
  const filter = new OutputFilter(SIZE);
  expect(filtered(text)).toBe(expected);
  expect([...text].flatMap((character) => filter.pieces(character)).join('')).toBe(expected);
});

test('[pty.screen-bounds] every final character has parameters that fit the screen', () => {
  for (let code = 0x40; code <= 0x7e; code += 1) {
    const final = String.fromCharCode(code);
    for (const [, number] of filtered(`\x1b[2147483647;99999999999${final}`).matchAll(/(\d+)/g)) {
      expect([final, Number(number) <= 65_535]).toEqual([final, true]);
    }
  }
});

test('[pty.screen-bounds] work that costs much is cut into pieces', () => {
  const pieces = new OutputFilter({ cols: 1000, rows: 1000 }).pieces('\x1b[2J'.repeat(100));
  expect(pieces.length).toBe(100);
  expect(new OutputFilter(SIZE).pieces('text '.repeat(1000)).length).toBe(1);
});
