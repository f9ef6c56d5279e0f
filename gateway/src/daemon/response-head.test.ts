import { expect, test } from 'vitest';
import { MalformedResponse, parseResponseHead } from './response-head.ts';

const head = (...lines: string[]) => lines.join('\r\n');

test('a head is parsed to status, reason, unchanged header lines, framing and keep-alive', () => {
  const text = head(
    'HTTP/1.1 206 Partial Content',
    'X-Name:\t v\xe9 ',
    'x-empty:',
    'x-name:\t \t\xc3\xa0 \t',
    'Content-Length: 5',
    'Keep-Alive: timeout=75',
  );
  expect(parseResponseHead(text, 'GET')).toEqual({
    status: 206,
    reason: 'Partial Content',
    fields: ['X-Name', 'v\xe9', 'x-empty', '', 'x-name', '\xc3\xa0', 'Content-Length', '5', 'Keep-Alive', 'timeout=75'],
    framing: { kind: 'length', length: 5 },
    keepAliveMs: 75_000,
  });
});

test.each([
  ['GET', head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked'), { kind: 'chunked' }],
  ['GET', head('HTTP/1.1 200 OK'), { kind: 'until-close' }],
  ['GET', head('HTTP/1.1 200', 'Content-Length: 0'), { kind: 'length', length: 0 }],
  ['HEAD', head('HTTP/1.1 200 OK', 'Content-Length: 1000'), { kind: 'length', length: 0 }],
  ['HEAD', head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked'), { kind: 'length', length: 0 }],
  ['GET', head('HTTP/1.1 304 Not Modified', 'Content-Length: 1000'), { kind: 'length', length: 0 }],
  ['PUT', head('HTTP/1.1 204 No Content'), { kind: 'length', length: 0 }],
])('the framing of a response to %s with %j follows RFC 9112 §6.3', (method, text, framing) => {
  expect(parseResponseHead(text, method).framing).toEqual(framing);
});

test.each([
  [head('HTTP/1.1 200 OK', 'Content-Length: 1', 'Connection: close'), 0],
  [head('HTTP/1.1 200 OK', 'Content-Length: 1', 'Connection: x, Close'), 0],
  [head('HTTP/1.0 200 OK', 'Content-Length: 1'), 0],
  [head('HTTP/1.1 200 OK'), 0],
  [head('HTTP/1.1 200 OK', 'Content-Length: 1'), undefined],
  [head('HTTP/1.1 200 OK', 'Content-Length: 1', 'Keep-Alive: max=9, timeout=5'), 5000],
])('the keep-alive time of %j', (text, keepAliveMs) => {
  expect(parseResponseHead(text, 'GET').keepAliveMs).toBe(keepAliveMs);
});

test.each([
  ['no status line', 'hello'],
  ['another version', 'HTTP/2 200 OK'],
  ['a status of two digits', 'HTTP/1.1 20 OK'],
  ['a control character in the reason', 'HTTP/1.1 200 O\x01K'],
  ['no colon', head('HTTP/1.1 200 OK', 'nothing')],
  ['a space before the colon', head('HTTP/1.1 200 OK', 'Content-Length : 5')],
  ['a folded line', head('HTTP/1.1 200 OK', 'A: b', ' c: d')],
  ['a bare line feed', head('HTTP/1.1 200 OK', 'A: b\nContent-Length: 5')],
  ['a bare carriage return', head('HTTP/1.1 200 OK', 'A: b\rc')],
  ['two lengths', head('HTTP/1.1 200 OK', 'Content-Length: 5', 'Content-Length: 6')],
  ['one length twice', head('HTTP/1.1 200 OK', 'Content-Length: 5', 'content-length: 5')],
  ['a list of lengths', head('HTTP/1.1 200 OK', 'Content-Length: 5, 5')],
  ['a signed length', head('HTTP/1.1 200 OK', 'Content-Length: +5')],
  ['a length beside chunks', head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', 'Content-Length: 5')],
  ['chunks beside a length', head('HTTP/1.1 200 OK', 'Content-Length: 5', 'Transfer-Encoding: chunked')],
  ['another coding', head('HTTP/1.1 200 OK', 'Transfer-Encoding: gzip, chunked')],
  ['two codings', head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked')],
])('a response with %s is refused, also if it has no body', (_why, text) => {
  expect(() => parseResponseHead(text, 'GET')).toThrow(MalformedResponse);
  expect(() => parseResponseHead(text, 'HEAD')).toThrow(MalformedResponse);
});
