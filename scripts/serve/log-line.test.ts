import { expect, test } from 'vitest';
import { humanLine, linkTo } from './log-line.ts';

const TIME = '"time":"2026-01-02T03:04:05.678Z"';

test.each([
  [
    `{${TIME},"level":"info","msg":"request","method":"GET","path":"/health","status":200,"ms":1.5}`,
    '03:04:05 daemon   request GET /health 200 1.5 ms',
  ],
  [`{${TIME},"level":"warn","msg":"open to all"}`, '03:04:05 daemon   WARN open to all'],
  [
    `{${TIME},"level":"error","msg":"a bug","err":{"message":"m","stack":"Error: m at x"}}`,
    '03:04:05 daemon   ERROR a bug Error: m at x',
  ],
  ['no JSON', '         daemon   no JSON'],
  ['[1]', '         daemon   [1]'],
])('%s', (line, shown) => {
  expect(humanLine('daemon', line)).toBe(shown);
});

test('[start.link] a link has the address as its target and as its text', () => {
  expect(linkTo('http://127.0.0.1:8080')).toBe(
    '\u001b]8;;http://127.0.0.1:8080\u001b\\http://127.0.0.1:8080\u001b]8;;\u001b\\',
  );
});
