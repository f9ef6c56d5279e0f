import { expect, test } from 'vitest';
import { jsonText } from './json-text.ts';

test.each([
  ['a first half', 'a\ud83d', 'a\ufffd'],
  ['a second half', '\ude00b', '\ufffdb'],
  ['two halves in the wrong order', '\ude00\ud83d', '\ufffd\ufffd'],
  ['a half before a pair', '\ud83d😀', '\ufffd😀'],
  ['a half behind a backslash', '\\\ud83d', '\\\ufffd'],
])('%s becomes U+FFFD', (_name, text, shown) => {
  expect(JSON.parse(jsonText({ [text]: text }))).toStrictEqual({ [shown]: shown });
});

test.each([
  ['an escape that is text', '\\ud83d'],
  ['a backslash before an escape that is text', '\\\\ud83d and \\ud83d'],
  ['a pair', '😀 \u0000 \n "'],
])('%s stays', (_name, text) => {
  expect(JSON.parse(jsonText({ text }))).toStrictEqual({ text });
});

test('what has no JSON has none', () => {
  expect(jsonText(undefined)).toBeUndefined();
});
