import { expect, test } from 'vitest';
import { OutputText } from './output-text.ts';

function linesOf(...texts: string[]): { lines: string[]; open: string } {
  const output = new OutputText();
  for (const text of texts) output.push('stdout', text);
  const { pieces } = output.take(100_000);
  return { lines: pieces.flatMap(({ text }) => text.split('\n')), open: output.open.text };
}

test.each([
  ['lines and an open one', ['a\nb', 'c\nd'], ['a', 'bc'], 'd'],
  ['a line that is overwritten', ['10%\r20%\r30%', '\n'], ['30%'], ''],
  ['a carriage return before a newline', ['a\r\nb\r', '\n'], ['a', 'b'], ''],
  ['colours', ['\x1b[1;32mok\x1b[0m\n'], ['ok'], ''],
  ['a sequence that is cut', ['a\x1b', '[3', '1mb\n'], ['ab'], ''],
  ['a title', ['\x1b]0;<b>title\x07x\x1b]0;y\x1b\\z\n'], ['xz'], ''],
  ['a sequence of one character', ['\x1bMx\n'], ['x'], ''],
  ['a sequence that a newline ends', ['\x1b[3\nx\n'], ['', 'x'], ''],
])('[app.long-output] %s', (_what, texts, lines, open) => {
  expect(linesOf(...texts)).toEqual({ lines, open });
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
      { stream: 'stdout', text: 'b', lines: 1 },
      { stream: 'stderr', text: 'c', lines: 1 },
      { stream: 'stdout', text: 'd', lines: 1 },
    ],
    dropped: 1,
  });
  expect(output.open).toEqual({ stream: 'stdout', text: 'e' });
});

test('[app.long-output] a long line is broken, and reading 10 MB takes time linear in their length', () => {
  const { lines } = linesOf(`${'x'.repeat(10_000)}\n`);
  expect(lines.map((line) => line.length)).toEqual([4096, 4096, 1808]);
  const output = new OutputText();
  for (let part = 0; part < 160; part += 1) output.push('stdout', '\x1b['.repeat(16_384) + 'x'.repeat(32_768));
  expect(output.take(10).pieces).not.toEqual([]);
});
