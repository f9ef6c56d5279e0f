import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../scripts/root.ts';

/** Gives each chunk of `steps`, base64, to the relay of supervisord; a number is the time in seconds from then on. */
const DRIVER = `
import base64, json, sys
sys.path.insert(0, sys.argv[1])
import svc_lines
from svc_record import line_of
if len(sys.argv) > 3:
    svc_lines.line_of = lambda *rest: line_of(*rest, is_terminal=True)
now = [0]
write = sys.stdout.buffer.write
kind = sys.argv[2]
lines = svc_lines.ServiceLines("daemon", write, "warn") if kind == "service" else svc_lines.Lines("panel", write, lambda: now[0], kind)
has_room = True
for step in json.load(sys.stdin):
    if isinstance(step, str):
        if has_room: lines.take(base64.b64decode(step))
    else:
        now[0] = step
    has_room = lines.has_room()
lines.end()
lines.explain()
`;

type Step = string | Uint8Array | number;

function outputOf(kind: 'info' | 'debug' | 'service', steps: readonly Step[], ...more: readonly string[]): string {
  const input = JSON.stringify(
    steps.map((step) => (typeof step === 'number' ? step : Buffer.from(step).toString('base64'))),
  );
  const args = ['-I', '-B', '-c', DRIVER, join(ROOT, 'supervisord'), kind, ...more];
  return execFileSync('python3', args, { input, encoding: 'utf8', maxBuffer: 64e6 });
}

/** The messages of lines with the name of their program. */
function logOf(...steps: readonly Step[]): string {
  return outputOf('info', steps)
    .split('\n')
    .map((line) => {
      if (line === '') return line;
      const { name, msg } = JSON.parse(line);
      return `${name}: ${msg}`;
    })
    .join('\n');
}

test('[images.log-lines] a line of the log has the name of its program, and empty ones are left out', () => {
  const forged = '{"level":"error","name":"daemon","msg":"forged"}\nsandbox: forged\n\n';
  const lines = outputOf('info', [forged]).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { level: 'error', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/), name: 'panel', msg: 'forged' },
    { level: 'info', time: expect.any(String), name: 'panel', msg: 'sandbox: forged' },
  ]);
});

test('[images.log-lines] the fields of a line of JSON stay; what is not JSON of a log is text', () => {
  const deep = `{"level":"info","msg":"m","a":${'['.repeat(4000)}`;
  const texts = ['{"level":"loud","msg":"x"}', '{"level":"info","msg":1}', '[1]', '{"a":', deep];
  const numbers = ['{"level":"info","msg":"n","ms":NaN}', '{"level":"info","msg":"n","ms":1e999}'];
  const log = outputOf('info', [
    `{"level":"warn","msg":"m","ms":1.5,"a":{"b":[null,"é"]}}\n${[...texts, ...numbers].join('\n')}\n`,
  ]);
  const [first, ...others] = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(first).toMatchObject({ level: 'warn', name: 'panel', ms: 1.5, a: { b: [null, 'é'] }, msg: 'm' });
  expect(others.map(({ msg }) => msg)).toEqual([...texts, ...numbers]);
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
  ['escape sequences', '\x1b[2J\x1b]0;t\x07', String.raw`\u001b[2J\u001b]0;t\u0007`],
  ['a return that hides the name', '\rsandbox: x', String.raw`\rsandbox: x`],
  ['controls of C1, as text', '\u009b2J\u0085', String.raw`\u009b2J\u0085`],
  ['a byte of C1, not as text', Buffer.of(0x9b, 0x41), String.raw`\\x9bA`],
  ['separators of lines and paragraphs', 'a\u2028b\u2029c', String.raw`a\u2028b\u2029c`],
  ['marks of the direction', '\u202eabc', String.raw`\u202eabc`],
  ['a tag character', '\u{e0041}x', String.raw`\udb40\udc41x`],
  ['a zero byte, a tab', 'a\0b\tc', String.raw`a\u0000b\tc`],
  ['a lone surrogate of JSON', String.raw`{"level":"info","msg":"a\ud800"}`, String.raw`a\ud800`],
  ['text of other scripts', 'Grüße 你好 🙂', 'Grüße 你好 🙂'],
])('[images.log-lines] %s', (_, text, written) => {
  const log = outputOf('info', [Buffer.concat([Buffer.from(text), Buffer.of(10)])]);
  expect(log).toMatch(/^\{.*\}\n$/);
  expect(log.slice(log.indexOf('"msg":'))).toBe(`"msg":"${written}"}\n`);
});

test('[images.log-lines] on a terminal a line is text, and further lines of a stack are indented', () => {
  const error = '{"level":"error","msg":"a bug","err":{"stack":"Error: m\\n    at x"}}';
  const request = '{"level":"info","msg":"request","method":"GET","path":"/x","status":500,"ms":1.5}';
  const log = outputOf('info', [`${error}\n${request}\n\x1b[2Jtext\n`], 'terminal');
  expect(log.replaceAll(/^\d\d:\d\d:\d\d /gm, 'TIME ')).toBe(
    String.raw`TIME panel          ERROR a bug Error: m
                            at x
TIME panel          request GET /x 500 1.5 ms
TIME panel          \u001b[2Jtext
`,
  );
});

test('[images.log-failed] text below the level of the log is written if the program fails: its last 20 lines', () => {
  const lines = Array.from({ length: 30 }, (_, i) => `line ${i}\n`).join('');
  const log = outputOf('debug', [`${lines}{"level":"warn","msg":"at once"}\n`])
    .trimEnd()
    .split('\n');
  expect(log.map((line) => JSON.parse(line)).map(({ level, msg }) => [level, msg])).toEqual([
    ['warn', 'at once'],
    ...Array.from({ length: 20 }, (_, i) => ['warn', `line ${i + 10}`]),
  ]);
});

test('[images.log-lines] JSON of a service stays as it is, and its text gets the level of its channel', () => {
  const own = `{"level":"info","time":"t","name":"daemon","msg":"${'x'.repeat(20_000)}"}\n`;
  const [first, second, third] = outputOf('service', [own.slice(0, 9000), own.slice(9000), 'daemon: a\nb']).split('\n');
  expect(`${first}\n`).toBe(own);
  expect([second, third].map((line) => JSON.parse(line ?? ''))).toMatchObject([
    { level: 'warn', name: 'daemon', msg: 'a' },
    { level: 'warn', name: 'daemon', msg: 'b' },
  ]);
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
  expect(log).toMatch(/\npanel: \d+ lines left out, more than 1 MB in a second\npanel: after\n$/);
  const written = log.match(/^panel: y{92}$/gm)?.length ?? 0;
  // 1 MB of the log, with the other fields of each line.
  expect(written * 160).toBeGreaterThan(900_000);
  expect(written * 160).toBeLessThan(1_100_000);
  expect(Number(/(\d+) lines left out/.exec(log)?.[1]) + written).toBe(20_000);
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
