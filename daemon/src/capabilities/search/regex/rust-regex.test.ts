import { expect, test } from 'vitest';
import { literalRegex, rustRegex } from './rust-regex.ts';

test.each([
  ['fo+', 'a foo', 'foo'],
  ['^b.*d$', 'a\nbcd\r\ne', 'bcd'],
  ['(?i)FOO(?-i:b)', 'xFoob', 'Foob'],
  ['(?P<q>["\'])x', `'x`, `'x`],
  ['\\bwörter\\b', 'die wörter!', 'wörter'],
  ['\\d{2,3}', 'n1234', '123'],
  ['[[:alpha:]_-]+', '9ab_-9', 'ab_-'],
  ['[^\\s\\]]+', ' ab] ', 'ab'],
  ['[]a]+', 'x]a', ']a'],
  ['[a-c&]+', 'xa&b', 'a&b'],
  ['\\x41\\x{42}\\u{43}', 'xABC', 'ABC'],
  ['\\pL+\\p{Greek}', '1abγ', 'abγ'],
  ['\\.\\-\\"\\/', 'a.-"/', '.-"/'],
  ['(?s)a.b', 'a\nb', 'a\nb'],
  ['a}b]', 'a}b]', 'a}b]'],
  ['\\Aab\\z', 'ab', 'ab'],
  ['(a|b(?i)C)d', 'bcd', 'bcd'],
])('%s in %j finds %j', (pattern, text, found) => {
  expect(rustRegex(pattern, { ignoreCase: false }).exec(text)?.[0]).toBe(found);
});

test.each([
  ['fo(o', 'unclosed group'],
  ['fo)o', 'unopened group'],
  ['[a', 'unclosed character class'],
  ['(?=x)', 'PCRE2'],
  ['(?<!x)', 'PCRE2'],
  ['(a)\\1', 'PCRE2'],
  ['\\y', 'unrecognized escape'],
  ['a{x}', 'repetition'],
  ['*a', 'Nothing to repeat'],
  ['\\p{Nope}', 'property'],
  ['(?x)a', 'flags'],
  ['a\\', 'escape'],
])('%s is refused: %s', (pattern, reason) => {
  expect(() => rustRegex(pattern, { ignoreCase: false })).toThrow(reason);
});

test('a literal is no expression, and case is folded as it is for expressions', () => {
  expect(literalRegex('a.b(', { ignoreCase: false }).exec('xa.b(')?.[0]).toBe('a.b(');
  expect(literalRegex('ÄB', { ignoreCase: true }).exec('xäb')?.[0]).toBe('äb');
});
