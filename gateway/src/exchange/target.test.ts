import { expect, test } from 'vitest';
import { namesCredential, ownReference, parseTarget, withQuery } from './target.ts';

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
  '/',
  '/p',
  '/p/',
  '/a:b',
  '/p/a:b',
  '//evil.example/x',
  '/\\evil.example/x',
  '//evil.example',
  '/\\evil.example',
  '/a//b',
])('a redirect of %s to itself keeps host and path, also behind a prefix', (path) => {
  const target = parseTarget(`${path}?x`, 'host');
  const reference = target ? ownReference(withQuery(target, 'y=1')) : '';
  for (const prefix of ['http://host', 'http://host/prefix']) {
    const own = new URL(`${prefix}${path}?x`);
    const { origin, pathname, search } = new URL(reference, own);
    expect([origin, pathname, search]).toEqual([own.origin, own.pathname, '?y=1']);
  }
  expect(target && ownReference(withQuery(target, undefined))).not.toContain('?');
});

test('the name of a credential is detected in any encoding', () => {
  expect([undefined, 'x=api_key', 'api_key', 'x&%74icket=1', '%zz=1'].map(namesCredential)).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
});
