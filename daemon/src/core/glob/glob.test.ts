import { expect, test } from 'vitest';
import { Glob } from './glob.ts';
import { GlobRules } from './glob-rules.ts';

test.each([
  ['*.py', ['a.py', '.a.py', '.py'], ['a.pyc', 'd/a.py', 'apy']],
  ['a?c', ['abc', 'aäc', 'a🦀c'], ['ac', 'abbc', 'a/c']],
  ['[a-c]x[!0-9]', ['axb', 'cx-'], ['dxb', 'ax1']],
  ['[]x]', [']', 'x'], ['y', '[]x]']],
  ['[x', ['[x'], ['x']],
  ['\\*\\[', ['*['], ['a[']],
  ['**/*.ts', ['a.ts', 'd/a.ts', 'd/e/a.ts'], ['a.tsx', 'd/a.ts/b']],
  ['src/**', ['src/a', 'src/a/b'], ['src', 'a/src/b']],
  ['a/**/b/**/c', ['a/b/c', 'a/x/b/y/z/c', 'a/b/b/c/c'], ['a/c', 'a/b/x']],
  ['a**b', ['ab', 'axxb'], ['a/b']],
  ['{a,b{c,d}}/*.{x,y}', ['a/1.x', 'bc/2.y', 'bd/.x'], ['b/1.x', 'a/1.z']],
  ['{a', ['{a'], ['a']],
  ['*a*b*c*', ['abc', 'xaxbxcx', 'aabbcc'], ['acb', 'ab']],
])('%s fits %j and not %j', (pattern, fits, not) => {
  const glob = new Glob(pattern);
  expect(fits.filter((path) => !glob.matches(path))).toEqual([]);
  expect(not.filter((path) => glob.matches(path))).toEqual([]);
});

test('without dot, wildcards leave hidden names alone and literal dots reach them', () => {
  const glob = (pattern: string) => new Glob(pattern, { dot: false });
  expect(['*', '?x', '[.]x', '**/x', '**'].filter((pattern) => glob(pattern).matches('.x'))).toEqual([]);
  expect(glob('**/x').matches('a/.git/x')).toBe(false);
  expect(glob('**').matches('a/.git/x')).toBe(false);
  expect(glob('.*').matches('.x')).toBe(true);
  expect(glob('**/.git/*').matches('a/.git/x')).toBe(true);
});

test('without braces they stand for themselves, and too many of them are refused', () => {
  expect(new Glob('{a,b}', { braces: false }).matches('{a,b}')).toBe(true);
  expect(() => new Glob('{a,b}'.repeat(11))).toThrow('more than 1024 patterns');
});

test('a pattern of many stars takes no longer for it', () => {
  const glob = new Glob(`${'*a'.repeat(100)}b`);
  expect(glob.matches('a'.repeat(255))).toBe(false);
  expect(new Glob(`${'**/a/'.repeat(100)}b`).matches(`${'a/'.repeat(1000)}c`)).toBe(false);
});

test.each([
  ['braces within each other', `${'{'.repeat(8000)}a${'}'.repeat(8000)}`, 'more than 32 levels'],
  ['braces one after the other', '{a}'.repeat(5000), undefined],
  ['alternatives of long lists', `{${','.repeat(15_000)}}${'{a,b}'.repeat(10)}`, 'more than 1024 patterns'],
  ['a long pattern of many alternatives', `${'{a,b}'.repeat(10)}${'x'.repeat(100)}`, 'more than 16384 characters'],
  ['brackets that are not closed', '['.repeat(16_384), undefined],
  ['a pattern that is too long', '['.repeat(10_000_000), 'more than 16384 characters'],
])('[work.linear] %s are read or refused at once', (_what, pattern, refusal) => {
  const before = process.cpuUsage();
  if (refusal === undefined) new Glob(pattern);
  else expect(() => new Glob(pattern)).toThrow(refusal);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(500);
});

test('[work.linear] rules of many patterns are refused', () => {
  expect(() => new GlobRules(Array(2000).fill('12345678'))).toThrow('together with the others');
  expect(new GlobRules(Array(1000).fill('12345678')).hasPositive).toBe(true);
});

test('rules speak of names where they have no slash, of the path where they have, and the last one decides', () => {
  const rules = new GlobRules(['node_modules', '*.pyc', '/top', 'a/b', 'dir/', '!keep.pyc']);
  const judged = (path: string, isDirectory = false) => rules.judge(path, isDirectory);
  expect(judged('x/node_modules', true)).toBe('matched');
  expect(judged('x/y.pyc')).toBe('matched');
  expect(judged('x/keep.pyc')).toBe('negated');
  expect([judged('top'), judged('x/top')]).toEqual(['matched', undefined]);
  expect([judged('a/b'), judged('x/a/b')]).toEqual(['matched', undefined]);
  expect([judged('x/dir', true), judged('x/dir', false)]).toEqual(['matched', undefined]);
});
