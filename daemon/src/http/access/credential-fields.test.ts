import { expect, test } from 'vitest';
import { ApiKey } from './api-key.ts';
import { fieldsWithCredential } from './credential-fields.ts';

const KEY = 'a;b+c=d/e~f';
const IN_URL = encodeURIComponent(KEY);

function fieldsOf(query: string, ...rawHeaders: string[]): string[] {
  const key = new ApiKey(KEY);
  return fieldsWithCredential({ rawHeaders, query }, (texts) => key.isAmong(texts));
}

test.each([
  ['the key header', ['X-API-Key', KEY], ['x-api-key']],
  ['a repeated header', ['X-API-Key', 'its-own', 'x-api-KEY', KEY], ['x-api-key']],
  ['a list in a header', ['X-API-Key', `its-own, ${KEY},x`], ['x-api-key']],
  ['a quoted value', ['X-Token', `x; key="${IN_URL}"`], ['x-token']],
  ['a scheme', ['Authorization', `Bearer\t${KEY}`], ['authorization']],
  ['Basic', ['Authorization', `Basic ${Buffer.from(`user:${KEY}`).toString('base64')}`], ['authorization']],
  ['the URL in Referer', ['Referer', `http://h/x?api_key=${IN_URL}&y#z`], ['referer']],
  ['a URL in a URL', ['Referer', `http://h/x?next=${encodeURIComponent(`/?api%5Fkey=${IN_URL}`)}`], ['referer']],
  ['a cookie', ['Cookie', `a=1; api_key=${IN_URL}`], ['cookie']],
  ['a forwarded URL', ['X-Forwarded-Uri', `/x?api_key=${IN_URL}`], ['x-forwarded-uri']],
  ['the decision about it', ['X-Original-URI', `/x?api_key=${IN_URL}`], []],
  ['an application’s own', ['X-API-Key', 'its-own', 'Authorization', 'Bearer its-own', 'Cookie', 'api_key=x'], []],
  ['a text that contains it', ['X-API-Key', `${KEY}x`, 'Authorization', `Bearer x${KEY}`], []],
])('a header with the key is named: %s', (_what, rawHeaders, fields) => {
  expect(fieldsOf('', ...rawHeaders)).toEqual(fields);
});

test.each([
  [`api_key=${IN_URL}`, ['?0']],
  [`a=1&api%5Fkey=${IN_URL}&b`, ['?1']],
  [`a=1;&x;api_key=${IN_URL};b`, ['?3']],
  [`api_key=${KEY}&a`, ['?0', '?1']],
  [`api_key=its-own&api_key=${IN_URL}&token=${IN_URL}`, ['?1', '?2']],
  [`next=${encodeURIComponent(`/x?a&api_key=${IN_URL}`)}`, ['?0']],
  ['api_key=its-own&ticket=its-own;x=%zz&%=&&', []],
  ['', []],
])('the parameters with the key are named by position: %s', (query, fields) => {
  expect(fieldsOf(query)).toEqual(fields);
});
