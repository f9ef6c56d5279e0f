import { expect, test } from 'vitest';
import { carriesCredential, parseTarget, withoutCredentials } from './target.ts';

test('an origin-form is split at its first question mark and stays unchanged', () => {
  expect(parseTarget('/a/%2e/../b?x=?&y', 'h')).toEqual({
    raw: '/a/%2e/../b?x=?&y',
    path: '/a/%2e/../b',
    query: 'x=?&y',
  });
});

test('an absolute-form of this host becomes an origin-form', () => {
  expect(parseTarget('http://Host:80/x?y', 'host:80')?.raw).toBe('/x?y');
  expect(parseTarget('http://host', 'host')?.raw).toBe('/');
  expect(parseTarget('https://host?y', 'host')?.raw).toBe('/?y');
});

test.each(['http://other/x', 'http://u@host/x', 'ftp://host/x', '*', 'host:80', 'http://host#x', ''])(
  'the target %j is refused',
  (url) => {
    expect(parseTarget(url, 'host')).toBeUndefined();
  },
);

test.each([
  ['/p?api_key=k', '/p'],
  ['/p?a=%20b&api_key=k&c=d+e&ticket=t&', '/p?a=%20b&c=d+e&'],
  ['/p?api%5Fkey=k&x', '/p?x'],
  ['/p?my_api_key=k', '/p?my_api_key=k'],
  ['/p', '/p'],
])('the credentials of %s are removed, the rest stays', (raw, clean) => {
  const target = parseTarget(raw, 'host');
  expect(target && withoutCredentials(target)).toBe(clean);
});

test('a credential is detected in any encoding of its name', () => {
  expect([undefined, 'x=api_key', 'api_key', 'x&%74icket=1', '%zz=1'].map(carriesCredential)).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
});
