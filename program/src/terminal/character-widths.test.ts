import { expect, test } from 'vitest';
import { widthOf } from './character-widths.ts';

test.each([
  ['a', 1],
  ['é', 1],
  ['日', 2],
  ['😀', 2],
  ['🫩', 2],
  ['\u0301', 0],
  ['\u200d', 0],
  ['\u00ad', 1],
  ['가', 2],
  ['\u1161', 0],
  ['※', 1],
])('[pty.widths] %j has %d cells', (character, width) => {
  expect(widthOf(character.codePointAt(0) ?? 0)).toBe(width);
});

test('[pty.widths] the table agrees with the properties of Unicode', () => {
  const wrong: string[] = [];
  for (let code = 0xa1; code <= 0x3fffd; code += 1) {
    const character = String.fromCodePoint(code);
    if (/^\p{Emoji_Presentation}$/u.test(character) && !/^\p{Regional_Indicator}$/u.test(character)) {
      if (widthOf(code) !== 2) wrong.push(code.toString(16));
    } else if (/^[\p{Mn}\p{Me}]$/u.test(character) && widthOf(code) !== 0) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});
