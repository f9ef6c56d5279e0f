import { expect, test } from 'vitest';
import { OutputText } from './output-text.ts';
import type { Segment, Style } from './style.ts';

function linesOf(...texts: string[]): { lines: string[]; open: string } {
  const output = new OutputText();
  for (const text of texts) output.push('stdout', text);
  const { pieces } = output.take(100_000);
  const lines = pieces.flatMap(({ segments }) => plain(segments).split('\n'));
  return { lines, open: plain(output.open.segments) };
}

function plain(segments: readonly Segment[]): string {
  return segments.map(({ text }) => text).join('');
}

/** The segments of one line, each as its text and its classes or colours. */
function drawn(text: string): string[] {
  const output = new OutputText();
  output.push('stdout', text);
  const look = ({ classes, color = '', background = '' }: Style): string => [classes, color, background].join('|');
  return output.open.segments.map(({ text: part, style }) => (style ? `${part}:${look(style)}` : part));
}

test.each([
  ['lines and an open one', ['a\nb', 'c\nd'], ['a', 'bc'], 'd'],
  ['a line that is overwritten', ['10%\r20%\r30%', '\n'], ['30%'], ''],
  ['a shorter text over a longer one', ['abcdef\rXY\n'], ['XYcdef'], ''],
  ['a line that is erased first', ['abcdef\r\x1b[KXY\n'], ['XY'], ''],
  ['a line that is erased whole', ['abc\x1b[2K\rd\n'], ['d  '], ''],
  ['backspaces', ['abc\b\bX\n'], ['aXc'], ''],
  ['a carriage return before a newline', ['a\r\nb\r', '\n'], ['a', 'b'], ''],
  ['colours', ['\x1b[1;32mok\x1b[0m\n'], ['ok'], ''],
  ['a sequence that is cut', ['a\x1b', '[3', '1mb\n'], ['ab'], ''],
  ['a title', ['\x1b]0;<b>title\x07x\x1b]0;y\x1b\\z\n'], ['xz'], ''],
  ['a sequence of one character', ['\x1bMx\n'], ['x'], ''],
  ['a sequence that a newline ends', ['\x1b[3\nx\n'], ['', 'x'], ''],
])('[app.long-output] %s', (_what, texts, lines, open) => {
  expect(linesOf(...texts)).toEqual({ lines, open });
});

test.each([
  ['\x1b[31mred\x1b[0m plain', ['red:ink-1||', ' plain']],
  ['\x1b[1;92;44mx\x1b[22;39my', ['x:bold ink-10 on-4||', 'y:on-4||']],
  ['\x1b[38;5;208mx\x1b[48;5;232my', ['x:|rgb(255 135 0)|', 'y:|rgb(255 135 0)|rgb(8 8 8)']],
  ['\x1b[38;5;9mx\x1b[38;2;1;2;3my', ['x:ink-9||', 'y:|rgb(1 2 3)|']],
  ['\x1b[38:2:1:2:300mx', ['x:|rgb(1 2 255)|']],
  ['\x1b[mx\x1b[999;38;5mx\x1b[38;7mx', ['x', 'xx:ink-0||']],
  ['\x1b[3', []],
])('[app.output-colours] %j', (text, expected) => {
  expect(drawn(text)).toEqual(expected);
});

test('[app.output-colours] many changes of style, and lines that are overwritten often, take linear time', () => {
  const output = new OutputText();
  for (let part = 0; part < 20; part += 1) {
    output.push('stdout', '\x1b[31mx\x1b[32my\b\r\x1b[1K'.repeat(5000));
    output.push('stdout', '\x1b[31mx\x1b[32my'.repeat(5000));
  }
  expect(output.open.segments.length).toBeLessThanOrEqual(64);
});

test('[app.long-output] a string of control without an end hides no more than one long line', () => {
  const { lines, open } = linesOf('\x1b]0;', 'x'.repeat(5000), 'after\n');
  expect(lines.join('') + open).toContain('after');
});

test('[app.long-output] lines of two streams stay apart, and the newest are taken', () => {
  const output = new OutputText();
  output.push('stdout', 'a\nb\n');
  output.push('stderr', 'c\n');
  output.push('stdout', 'd\ne');
  expect(output.take(3)).toEqual({
    pieces: [
      { stream: 'stdout', segments: [{ text: 'b' }], lines: 1 },
      { stream: 'stderr', segments: [{ text: 'c' }], lines: 1 },
      { stream: 'stdout', segments: [{ text: 'd' }], lines: 1 },
    ],
    dropped: 1,
  });
  expect(output.open).toEqual({ stream: 'stdout', segments: [{ text: 'e' }] });
});

test('[app.long-output] a long line is broken, and reading 10 MB takes time linear in their length', () => {
  const { lines } = linesOf(`${'x'.repeat(10_000)}\n`);
  expect(lines.map((line) => line.length)).toEqual([4096, 4096, 1808]);
  const output = new OutputText();
  for (let part = 0; part < 160; part += 1) output.push('stdout', '\x1b['.repeat(16_384) + 'x'.repeat(32_768));
  expect(output.take(10).pieces).not.toEqual([]);
});
