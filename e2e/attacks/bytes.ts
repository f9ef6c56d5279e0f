import type { BytesAttack } from './attack.ts';

type Row = readonly [name: string, send: string, gets: RegExp, more?: Partial<BytesAttack>];

const HOST = 'Host: localhost\r\n';
const GET = `GET /health HTTP/1.1\r\n${HOST}`;
const HEALTH = `${GET}\r\n`;
const LAST = `${GET}Connection: close\r\n\r\n`;
const POST = `POST /v2/tickets HTTP/1.1\r\n${HOST}`;
const WITH_KEY = `${POST}X-API-Key: KEY\r\nConnection: close\r\n`;
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;
const UPGRADE = `GET /v2/pty/ws HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n`;
const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

const OK = /^HTTP\/1\.1 200 [\s\S]*healthy/;
const ONE_OK = /^HTTP\/1\.1 200 [\s\S]*healthy"[^{}]*\}$/;
/** The last of many answers is the one of `/health`. */
const OK_AT_END = /healthy"[^{}]*\}$/;
const REFUSED = /^HTTP\/1\.1 4\d\d [\s\S]*x-request-id: /i;
/** HTTP/0.9, which has no Host: a public path is served with a key alone. */
const OK_OR_REFUSED = /^HTTP\/1\.1 (?:200|4\d\d) [\s\S]*x-request-id: /i;
const REFUSED_LATER = /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 4\d\d [\s\S]*x-request-id: /i;
const CLOSED: Partial<BytesAttack> = { halfClose: true };

const ROWS: readonly Row[] = [
  ['nothing', '', /^$/, CLOSED],
  ['one byte', 'G', /^(?:$|HTTP\/1\.1 400)/, CLOSED],
  ['a line end', '\r\n', /^$/, CLOSED],
  ['NUL bytes', '\0'.repeat(1000), REFUSED],
  ['bytes above ASCII', '\xff\xfe\xfd'.repeat(300), REFUSED],
  ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', REFUSED],
  ['a preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', REFUSED],
  ['an SSH banner', 'SSH-2.0-x\r\n', REFUSED],
  ['a request line without a version', 'GET /\r\n\r\n', OK_OR_REFUSED],
  ['HTTP/9.9', `GET / HTTP/9.9\r\n${HOST}\r\n`, REFUSED],
  ['a method of 10,000 letters', `${'A'.repeat(10_000)} / HTTP/1.1\r\n\r\n`, REFUSED],
  ['a target of 60,000 characters', `GET /${'a'.repeat(60_000)} HTTP/1.1\r\n\r\n`, REFUSED],
  ['a control character in the target', 'GET /\x01 HTTP/1.1\r\n\r\n', REFUSED],
  ['a header of 100,000 characters', `${GET}A: ${'x'.repeat(100_000)}\r\n\r\n`, REFUSED],
  ['5,000 headers', `${GET}${'A: b\r\n'.repeat(5_000)}\r\n`, REFUSED],
  ['a header without a colon', `${GET}A\r\n\r\n`, REFUSED],
  ['a blank in a header name', `${GET}A B: c\r\n\r\n`, REFUSED],
  ['a NUL in a header', `${GET}A: \0\r\n\r\n`, REFUSED],
  ['a bare line feed', 'GET /health HTTP/1.1\nHost: localhost\n\n', /^HTTP\/1\.1 (?:200|400) /, CLOSED],
  ['a bare carriage return in a header', `${GET}A: b\rc\r\n\r\n`, REFUSED],
  ['a folded header', `${LAST.slice(0, -2)}A: b\r\n c\r\n\r\n`, /^HTTP\/1\.1 (?:200|400) /, CLOSED],
  ['two lengths', `${POST}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`, REFUSED],
  ['a negative length', `${POST}Content-Length: -1\r\n\r\n`, REFUSED],
  ['a length of 30 digits', `${POST}Content-Length: ${'9'.repeat(30)}\r\n\r\n`, REFUSED],
  ['a length and chunks', `${POST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, REFUSED],
  ['an unknown transfer coding', `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, /^HTTP\/1\.1 501 /],
  ['a transfer coding that is not chunked', `${POST}Transfer-Encoding: gzip\r\n\r\n`, /^HTTP\/1\.1 (?:400|501) /],
  ['an invalid chunk size', `${CHUNKED}zz\r\n`, REFUSED],
  ['a chunk size of 30 digits', `${CHUNKED}${'f'.repeat(30)}\r\n`, REFUSED],
  ['a chunk that is longer than its size', `${CHUNKED}1\r\nabc\r\n0\r\n\r\n`, REFUSED],
  ['an extension of 100,000 characters', `${CHUNKED}1;${'x'.repeat(100_000)}\r\na\r\n`, REFUSED],
  [
    'a body of 50,000 chunks of one byte',
    `${WITH_KEY}Transfer-Encoding: chunked\r\n\r\n${'1\r\n[\r\n'.repeat(50_000)}0\r\n\r\n`,
    /^HTTP\/1\.1 400 [\s\S]*arrays and objects within each other/,
  ],
  ['an invalid chunk behind a request', `${HEALTH}${CHUNKED}zz\r\n`, REFUSED_LATER],
  ['garbage behind a request', `${HEALTH}\x01\x02\x03\r\n\r\n`, REFUSED_LATER],
  ['a head behind a request that never ends', `${HEALTH}GET /x HTTP/1.1\r\nA: `, /^HTTP\/1\.1 200 /, CLOSED],
  ['a body that stops half-way', `${POST}Content-Length: 100\r\n\r\nabc`, /^(?:$|HTTP\/1\.1 40[01])/, CLOSED],
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', /^HTTP\/1\.1 405 /],
  ['CONNECT behind a request', `${HEALTH}CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`, REFUSED_LATER],
  [
    'two CONNECT behind ten requests',
    `${HEALTH.repeat(10)}${'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'.repeat(2)}`,
    REFUSED_LATER,
  ],
  ['CONNECT without a host', 'CONNECT / HTTP/1.1\r\n\r\n', REFUSED],
  ['an upgrade behind a request', `${HEALTH}${UPGRADE}${KEY}Sec-WebSocket-Version: 13\r\n\r\n`, REFUSED_LATER],
  ['an upgrade without a key', `${UPGRADE}Sec-WebSocket-Version: 13\r\n\r\n`, /^HTTP\/1\.1 40[01] /],
  ['an upgrade of version 99', `${UPGRADE}${KEY}Sec-WebSocket-Version: 99\r\n\r\n`, /^HTTP\/1\.1 40[01] /],
  ['an upgrade to h2c', `${GET}Connection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n`, OK],
  ['an upgrade of 10,000 protocols', `${GET}Connection: Upgrade\r\nUpgrade: ${'a,'.repeat(2_000)}\r\n\r\n`, /^HTTP/],
  ['requests after Connection: close', `${LAST}${HEALTH.repeat(5)}`, ONE_OK],
  ['garbage after Connection: close', `${LAST}\x01\x02`, ONE_OK],
  ['a half-close after the request', HEALTH, OK, CLOSED],
  ['900 pipelined requests', `${HEALTH.repeat(900)}${LAST}`, OK_AT_END],
  ['900 pipelined requests of unknown paths', `${'GET /x HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(900)}${LAST}`, OK_AT_END],
  ['an expectation that no server knows', `${GET}Expect: a-pony\r\nConnection: close\r\n\r\n`, /^HTTP\/1\.1 417 /],
  [
    'a request target in asterisk-form',
    `OPTIONS * HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    /^HTTP\/1\.1 [24]\d\d /,
  ],
  [
    'a target of another host',
    `GET http://other/health HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    /^HTTP\/1\.1 4/,
    { to: 'gateway' },
  ],
  [
    'invalid percent-encoding',
    `GET /v2/commands/%zz HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    /^HTTP\/1\.1 40[01] /,
  ],
  ['a request id of 1,000 characters', `${GET}X-Request-ID: ${'a'.repeat(1_000)}\r\nConnection: close\r\n\r\n`, OK],
  ['ranges without end', `${GET}Range: bytes=${'0-,'.repeat(4_000)}\r\nConnection: close\r\n\r\n`, OK],
  ['a cookie of 10,000 names', `${GET}Cookie: ${'a=b;'.repeat(3_000)}\r\nConnection: close\r\n\r\n`, OK],
];

export const BYTES: readonly BytesAttack[] = ROWS.map(([name, send, gets, more]) => ({
  kind: 'bytes',
  name,
  send,
  gets,
  ...more,
}));
