import { env } from 'node:process';
import { checkSync } from 'recheck';
import { expect, test } from 'vitest';
import { patternsIn, productPatterns } from './pattern-literals.ts';

// The other backends are programs for one platform each.
env['RECHECK_BACKEND'] = 'pure';

/** Milliseconds for one literal; the slowest needs 4 s of a processor, which others may use too. */
const TIMEOUT_MS = 300_000;

/** Files that construct a regular expression from text, how many each constructs, and what bounds the work with it. */
const CONSTRUCTED: Readonly<Record<string, { readonly count: number; readonly bound: string }>> = {
  'daemon/src/capabilities/pty/exec/marks.ts': {
    count: 1,
    bound: 'the source is a constant and a nonce of letters and digits; it reads marks of at most one read of output',
  },
  'daemon/src/capabilities/search/regex/regex-classes.ts': {
    count: 1,
    bound: 'never matched against text: it shows whether a Unicode property exists',
  },
  'daemon/src/capabilities/search/regex/rust-regex.ts': {
    count: 2,
    bound: 'matched in a worker thread only, which is terminated at the time limit of the search',
  },
  'daemon/src/capabilities/timeline/options.ts': {
    count: 1,
    bound: 'patterns of the operator, matched against at most 16 KiB of a text',
  },
  'daemon/src/core/memory/family-memory.ts': {
    count: 1,
    bound: 'a constant name and digits, at the beginning of a line; it reads a table of the kernel of some 60 lines',
  },
  'daemon/src/core/memory/group-memory.ts': {
    count: 1,
    bound: 'a constant name and digits, at the beginning of a line; it reads a table of the kernel of some 60 lines',
  },
};

const { literals, constructed } = await productPatterns();

test('the parser finds regular expressions in TypeScript, not what looks like one', () => {
  const found: string[] = [];
  const text = 'const a: RegExp = /[/]"+/gu; // /c/\nconst b = "/x/" + 1 / 2 / 3; const c = new RegExp(b); RegExp(b);';
  patternsIn('a.ts', text, {
    literal: (source, flags) => found.push(`${source} ${flags}`),
    constructed: () => found.push('constructed'),
  });
  expect(found).toEqual(['[/]"+ gu', 'constructed', 'constructed']);
});

test('a regular expression with two ways to match the same characters is not linear', () => {
  for (const source of ['(a+)+$', '/+$', 'a*a*b']) expect(verdict({ source, flags: '' })).toBe('vulnerable');
});

test('[limits.linear-patterns] each regular expression literal of the product matches in linear time', {
  timeout: 600_000,
}, () => {
  expect(literals.size).toBeGreaterThan(100);
  const others = [...literals].flatMap(([literal, { files, ...pattern }]) => {
    const status = verdict(pattern);
    return status === 'safe' ? [] : [`${status}: ${literal} in ${files.join(', ')}`];
  });
  expect(others).toEqual([]);
});

test('[limits.linear-patterns] the bound of each constructed regular expression is stated', () => {
  const stated = Object.entries(CONSTRUCTED).map(([file, { count }]) => [file, count]);
  expect(Object.fromEntries(constructed)).toEqual(Object.fromEntries(stated));
});

/** The flag `v` only adds notations, which the literals of the product do without. */
function verdict({ source, flags }: { readonly source: string; readonly flags: string }): string {
  const result = checkSync(source, flags.replace('v', 'u'), { timeout: TIMEOUT_MS, attackTimeout: 300 });
  return result.status === 'unknown' ? `unknown (${result.error.kind})` : result.status;
}
