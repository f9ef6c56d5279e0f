import { expect, test } from 'vitest';
import { rewriteCookie, rewriteHeaders, rewriteLocation } from './rewrite-headers.ts';

const PATH = { form: 'path', prefix: '/proxy/3000' } as const;

test.each([
  ['/a?b', '/proxy/3000/a?b'],
  ['/', '/proxy/3000/'],
  ['/proxy/3000/a', '/proxy/3000/a'],
  ['/proxy/30001', '/proxy/3000/proxy/30001'],
  ['a/b', 'a/b'],
  ['../b', '../b'],
  ['?x', '?x'],
  ['', ''],
  ['http://localhost:3000', '/proxy/3000/'],
  ['HTTP://LOCALHOST:3000/A', '/proxy/3000/A'],
  ['http://127.0.0.1:3000/a', '/proxy/3000/a'],
  ['http://localhost:3000?x', '/proxy/3000/?x'],
  ['http://localhost:30001/a', 'http://localhost:30001/a'],
  ['http://localhost:3000@evil.example/', 'http://localhost:3000@evil.example/'],
  ['https://elsewhere.example/a', 'https://elsewhere.example/a'],
  ['//elsewhere.example/a', '//elsewhere.example/a'],
  ['/\\elsewhere.example/a', '/\\elsewhere.example/a'],
])('a redirect to %j is rewritten to %j', (location, rewritten) => {
  expect(rewriteLocation(location, PATH, 'localhost:3000')).toBe(rewritten);
});

test('the paths of an application that knows its prefix, or has its own host, stay unchanged', () => {
  expect(rewriteLocation('/a', { form: 'absolute', prefix: '/absproxy/3000' }, 'localhost:3000')).toBe('/a');
  expect(rewriteLocation('http://localhost:3000/a', { form: 'host', prefix: '' }, 'localhost:3000')).toBe('/a');
});

test.each([
  ['a=1', 'a=1'],
  ['a=1; Path=/', 'a=1; Path=/proxy/3000/'],
  ['a=1;path=/x;Secure', 'a=1; Path=/proxy/3000/x;Secure'],
  ['a=1; Path=/proxy/3000/x', 'a=1; Path=/proxy/3000/x'],
  ['a=1; Path=x', 'a=1; Path=x'],
  ['a="b;c"; Domain=.localhost; HttpOnly', 'a="b;c"; HttpOnly'],
  ['svc_session=1', undefined],
  [' SVC_session_vnc=1; Path=/', undefined],
])('the cookie %j is set as %j', (cookie, rewritten) => {
  expect(rewriteCookie(cookie, '/proxy/3000')).toBe(rewritten);
});

test.each([
  ['/', '/proxy/3000/', undefined, '/'],
  ['/app/', '/proxy/3000/app/', undefined, '/app/'],
  ['/absproxy/3000/a/', '/proxy/3000/absproxy/3000/a/', '/absproxy/3000/a/', '/absproxy/3000/a/'],
  ['/../../', '/proxy/3000/', undefined, '/../../'],
  ['/%2e%2e/', '/proxy/3000/', undefined, '/%2e%2e/'],
  ['/absproxy/3000/../', '/proxy/3000/absproxy/', undefined, '/absproxy/3000/../'],
  ['/\\evil.example/', undefined, undefined, '/\\evil.example/'],
  ['//evil.example/', undefined, undefined, '//evil.example/'],
  ['../', undefined, undefined, '../'],
])('the service worker scope %j is restricted to the prefix', (scope, path, absolute, host) => {
  const scopes = [
    PATH,
    { form: 'absolute', prefix: '/absproxy/3000' } as const,
    { form: 'host', prefix: '' } as const,
  ].map((place) => {
    const headers = rewriteHeaders(['Service-Worker-Allowed', scope], place, { requestId: 'r', cookies: [] });
    const at = headers.indexOf('Service-Worker-Allowed');
    return at < 0 ? undefined : headers[at + 1];
  });
  expect(scopes).toEqual([path, absolute, host]);
});
