import { execFileSync } from 'node:child_process';
import { widthOf } from '@sandbox/program/terminal/character-widths.ts';
import { expect, test } from 'vitest';
import { TestApp } from '../../../app.fixture.ts';
import { findTool } from '../../../core/tool-path.ts';
import { BARE, create, exec } from '../pty.fixture.ts';

const there = findTool('tmux') !== undefined;
if (!there) process.stderr.write('not tested: widths of characters in tmux, which is not installed\n');

/** One of each kind that counters of cells disagree about, with the version of Unicode that has it. */
const CHARACTERS = {
  'a letter': 'a',
  'an ideograph': '日',
  'a syllable of Hangul': '한',
  'a full-width letter': 'Ａ',
  'an emoji (6)': '😀',
  'an emoji (15)': '🫨',
  'an emoji (16)': '🫩',
  'a flag (regional indicators)': '🇩🇪',
  'an emoji with a skin tone': '👍🏽',
  'emojis joined to a family': '👨‍👩‍👧',
  'a heart with an emoji selector': '❤️',
  'a letter with a combining accent': 'e\u0301',
  'a vowel sign of Devanagari': 'क\u093f',
  'conjoining jamo': '\u1112\u1161\u11ab',
  'a zero-width space': 'a\u200b',
  'a soft hyphen': 'a\u00ad',
  'an ambiguous letter': 'Ω',
  'a private-use character': '\ue0b0',
  'a long Arabic ligature': '﷽',
} as const;

/** These are of one width everywhere. */
const AGREED = ['a letter', 'an ideograph', 'a full-width letter', 'an emoji (6)', 'an ambiguous letter'];

/**
 * Prints each argument at the beginning of a line, and the column that the terminal then reports (DSR of ECMA-48). The
 * terminal does not echo a report that arrives before the read.
 */
const MEASURE = [
  'measure() { stty -echo; for c; do printf "\\r%s\\033[6n" "$c"; IFS=";" read -rd R _ x',
  'printf "\\r\\033[Kwidth %d\\n" $((x - 1)); done; stty echo; }',
].join('; ');

test.runIf(there)('[pty.widths] where tmux counts other cells than the screen is listed', async () => {
  await using daemon = await TestApp.start({ shellBackend: 'tmux' });
  await create(daemon, 'a', { ...BARE, env: { ...BARE.env, LANG: 'C.UTF-8' } });
  await exec(daemon, 'a', MEASURE);
  const { output } = await exec(
    daemon,
    'a',
    `measure ${Object.values(CHARACTERS)
      .map((text) => `'${text}'`)
      .join(' ')}`,
  );
  const widths = [...String(output).matchAll(/^width (\d+)$/gm)].map(([, width]) => Number(width));
  const names = Object.keys(CHARACTERS);
  expect(widths).toHaveLength(names.length);
  const ours = Object.values(CHARACTERS).map((text) =>
    [...text].reduce((sum, character) => sum + widthOf(character.codePointAt(0) ?? 0), 0),
  );
  const differences = names.flatMap((name, i) =>
    widths[i] === ours[i] ? [] : [`${name}: ${widths[i]} in tmux, ${ours[i]} on the screen`],
  );
  const version = execFileSync('tmux', ['-V'], { encoding: 'utf8' }).trim();
  process.stderr.write(`cells of characters, ${version}: ${differences.join('; ') || 'no difference'}\n`);
  expect(differences.filter((one) => AGREED.some((name) => one.startsWith(`${name}:`)))).toEqual([]);
});
