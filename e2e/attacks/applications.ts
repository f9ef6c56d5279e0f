import type { ApplicationAttack } from './attack.ts';

type Row = readonly [name: string, answer: string, gets: RegExp, request?: ApplicationAttack['request']];

const BAD = /^HTTP\/1\.1 502 [\s\S]*"success":false/;
const BAD_OR_CUT = /^HTTP\/1\.1 (?:502|200) /;
const EMPTY = 'Content-Length: 0\r\n\r\n';
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\n';

const ROWS: readonly Row[] = [
  ['closes at once', '', BAD],
  ['closes an upgrade at once', '', BAD, 'upgrade'],
  ['garbage', '\x00\x01\x02\xff', BAD],
  ['a line that never ends', 'HTTP/1.1 200 OK', BAD],
  ['a head that never ends', 'HTTP/1.1 200 OK\r\nA: b\r\n', BAD],
  ['a control character in the status line', `HTTP/1.1 200 O\x01K\r\n${EMPTY}`, BAD],
  ['a control character in the status line of an upgrade', `HTTP/1.1 200 O\x01K\r\n${EMPTY}`, BAD, 'upgrade'],
  ['a DEL in the status line', `HTTP/1.1 200 \x7f\r\n${EMPTY}`, BAD],
  ['a status of two digits', `HTTP/1.1 20 OK\r\n${EMPTY}`, BAD],
  ['a status of 099', `HTTP/1.1 099 OK\r\n${EMPTY}`, BAD],
  ['a status of 1000', `HTTP/1.1 1000 OK\r\n${EMPTY}`, BAD],
  ['a status of 999', `HTTP/1.1 999 OK\r\n${EMPTY}`, /^HTTP\/1\.1 (?:999|502) /],
  ['HTTP/3.0', `HTTP/3.0 200 OK\r\n${EMPTY}`, BAD],
  ['a 101 without Upgrade', `${SWITCH}${EMPTY}`, BAD],
  ['a 101 that nobody asked for', `${SWITCH}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`, BAD],
  ['a 101 without Upgrade to an upgrade', `${SWITCH}\r\n`, BAD, 'upgrade'],
  ['a 101 to another protocol', `${SWITCH}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`, BAD, 'upgrade'],
  ['a 101 to an upload', `${SWITCH}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`, BAD, 'upload'],
  [
    'two 100 Continue',
    `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(2)}HTTP/1.1 200 OK\r\n${EMPTY}`,
    /HTTP\/1\.1 200 /,
    'upload',
  ],
  [
    'a thousand 100 Continue',
    `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000)}HTTP/1.1 200 OK\r\n${EMPTY}`,
    /200 /,
    'upload',
  ],
  ['100 Continue to a GET', `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n${EMPTY}`, /^HTTP\/1\.1 200 /],
  [
    'a thousand 103',
    `${'HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n'.repeat(1_000)}HTTP/1.1 200 OK\r\n${EMPTY}`,
    /200 /,
  ],
  [
    'a refusal before the body',
    `HTTP/1.1 413 No\r\n${EMPTY}`,
    /^(?:HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 413 /,
    'upload',
  ],
  ['HTTP/1.0 to an upload with Expect', 'HTTP/1.0 200 OK\r\n\r\nok', /HTTP\/1\.1 200 [\s\S]*ok/, 'upload'],
  ['a header of 100,000 characters', `HTTP/1.1 200 OK\r\nA: ${'x'.repeat(100_000)}\r\n\r\n`, BAD],
  ['10,000 headers', `HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(10_000)}\r\n`, BAD_OR_CUT],
  ['a control character in a header', `HTTP/1.1 200 OK\r\nA: \x01\r\n${EMPTY}`, BAD_OR_CUT],
  ['a header name with a blank', `HTTP/1.1 200 OK\r\nA B: c\r\n${EMPTY}`, BAD],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', BAD],
  [
    'a length and chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    BAD_OR_CUT,
  ],
  ['less than its length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc', BAD_OR_CUT],
  ['more than its length', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabcdef', BAD_OR_CUT],
  ['an invalid chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', BAD_OR_CUT],
  [
    'a Location of 10,000 slashes',
    `HTTP/1.1 302 Found\r\nLocation: ${'/'.repeat(10_000)}\r\n${EMPTY}`,
    /^HTTP\/1\.1 302 /,
  ],
  ['a Location that is no URL', `HTTP/1.1 302 Found\r\nLocation: http://[::\r\n${EMPTY}`, /^HTTP\/1\.1 302 /],
  [
    'a cookie of 10,000 attributes',
    `HTTP/1.1 200 OK\r\nSet-Cookie: a=b${'; Path=/'.repeat(1_500)}\r\n${EMPTY}`,
    /^HTTP\/1\.1 200 /,
  ],
  ['names declared hop-by-hop', `HTTP/1.1 200 OK\r\nConnection: ${'a,'.repeat(3_000)}\r\n${EMPTY}`, /^HTTP\/1\.1 200 /],
];

export const APPLICATIONS: readonly ApplicationAttack[] = ROWS.map(([name, answer, gets, request]) => ({
  kind: 'application',
  name,
  answer,
  gets,
  ...(request && { request }),
}));
