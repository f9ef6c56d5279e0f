import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../scripts/root.ts';

/** Gives each chunk of `steps`, base64, to the relay of supervisord; a number is the time in seconds from then on. */
const DRIVER = `
import base64, json, sys
sys.path.insert(0, sys.argv[1])
from svc_lines import Lines
now = [0]
lines = Lines("panel", sys.stdout.buffer.write, lambda: now[0])
has_room = True
for step in json.load(sys.stdin):
    if isinstance(step, str):
        if has_room: lines.take(base64.b64decode(step))
    else:
        now[0] = step
    has_room = lines.has_room()
lines.end()
`;

function logOf(...steps: readonly (string | Uint8Array | number)[]): string {
  const input = JSON.stringify(
    steps.map((step) => (typeof step === 'number' ? step : Buffer.from(step).toString('base64'))),
  );
  const args = ['-I', '-B', '-c', DRIVER, join(ROOT, 'supervisord')];
  return execFileSync('python3', args, { input, encoding: 'utf8', maxBuffer: 64e6 });
}

test('[images.log-lines] a line of the log begins with the name of its program', () => {
  const forged = '{"level":"error","name":"daemon","msg":"forged"}\nsandbox: forged\n\n';
  expect(logOf(forged)).toBe(
    'panel: {"level":"error","name":"daemon","msg":"forged"}\npanel: sandbox: forged\npanel: \n',
  );
});

test('[images.log-lines] a line that arrives in parts is one line', () => {
  expect(logOf('a', 'b\nc', 1, 'dé', '\n')).toBe('panel: ab\npanel: cdé\n');
  const [first, second] = Buffer.from('é');
  expect(logOf(Buffer.of(first ?? 0), Buffer.of(second ?? 0, 10))).toBe('panel: é\n');
});

test('[images.log-lines] text without an end of line is written a second later, or at the end of the program', () => {
  expect(logOf('password: ', 1, 2, 'x\n')).toBe('panel: password: \npanel: x\n');
  expect(logOf('last')).toBe('panel: last\n');
});

test.each([
  ['escape sequences', '\x1b[2J\x1b]0;t\x07', String.raw`\x1b[2J\x1b]0;t\x07`],
  ['a return that hides the name', '\rsandbox: x', String.raw`\rsandbox: x`],
  ['controls of C1, as text', '\u009b2J\u0085', String.raw`\x9b2J\x85`],
  ['a byte of C1, not as text', Buffer.of(0x9b, 0x41), String.raw`\x9bA`],
  ['separators of lines and paragraphs', 'a\u2028b\u2029c', String.raw`a\u2028b\u2029c`],
  ['marks of the direction', '\u202eabc', String.raw`\u202eabc`],
  ['a zero byte, a tab', 'a\0b\tc', String.raw`a\x00b\tc`],
  ['text of other scripts', 'Grüße 你好 🙂', 'Grüße 你好 🙂'],
])('[images.log-lines] %s', (_, text, line) => {
  expect(logOf(Buffer.concat([Buffer.from(text), Buffer.of(10)]))).toBe(`panel: ${line}\n`);
});

test('[images.log-lines] a long line is cut, in one part or in many', () => {
  const cut = `panel: ${'x'.repeat(8192)} [1808 bytes left out]\npanel: next\n`;
  expect(logOf(`${'x'.repeat(10_000)}\nnext\n`)).toBe(cut);
  expect(logOf(...Array<string>(100).fill('x'.repeat(100)), '\nnext\n')).toBe(cut);
});

test('[images.log-rate] what a program writes beyond 1 MB in a second is left out and counted', () => {
  const line = `${'y'.repeat(92)}\n`;
  const chunk = line.repeat(1000);
  const log = logOf(...Array<string>(20).fill(chunk), 1, 'after\n');
  expect(log.split('\n').slice(-3)).toEqual([
    'panel: 10000 lines left out, more than 1 MB in a second',
    'panel: after',
    '',
  ]);
  expect(log.match(/^panel: y{92}$/gm)).toHaveLength(10_000);
});

test('[images.log-rate] one line without an end and expanding escapes stay within the bound', () => {
  const log = logOf(...Array<Uint8Array>(100).fill(Buffer.alloc(65_536, 1)), 1, '\nafter\n');
  expect(log.length).toBeLessThan(50_000);
  expect(log).toMatch(/ \[\d+ bytes left out\]\npanel: after\n$/);
  const short = Buffer.from('\x01\n'.repeat(30_000));
  expect(logOf(...Array<Uint8Array>(60).fill(short)).length).toBeLessThan(1_100_000);
});

test('[images.log-rate] a program that floods is not read until the next second', () => {
  const chunk = `${'z'.repeat(99)}\n`.repeat(600);
  const log = logOf(...Array<string>(200).fill(chunk), 1, 'after\n');
  const [, count] = /(\d+) lines left out/.exec(log) ?? [];
  expect(Number(count)).toBeLessThan(4_100_000 / 100);
  expect(log).toContain('panel: after\n');
});
