import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { startDaemon, startGateway } from '../gateway.fixture.ts';

/** RFC 9113, section 3.4 and frames of section 6. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const [HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION] = [1, 3, 4, 6, 8, 9];
const END_STREAM_AND_HEADERS = 5;

function frame(type: number, { flags = 0, stream = 0, payload = Buffer.alloc(0) } = {}): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const many = (count: number, of: (n: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, n) => of(n)));
/** The fields :method GET, :path /, :scheme http of the static table. */
const GET = Buffer.of(0x82, 0x84, 0x86);
const opened = (n: number, payload = GET) =>
  frame(HEADERS, { flags: END_STREAM_AND_HEADERS, stream: 2 * n + 1, payload });
const noWindow = Buffer.from('000400000000', 'hex');

const ATTACKS: readonly (readonly [string, Buffer])[] = [
  ['a preface alone', Buffer.alloc(0)],
  [
    'rapid reset',
    many(20_000, (n) => Buffer.concat([opened(n), frame(RST_STREAM, { stream: 2 * n + 1, payload: Buffer.alloc(4) })])),
  ],
  [
    'a flood of CONTINUATION',
    Buffer.concat([
      frame(HEADERS, { stream: 1, payload: GET }),
      many(20_000, () => frame(CONTINUATION, { stream: 1, payload: Buffer.alloc(64, 0x82) })),
    ]),
  ],
  ['a flood of SETTINGS', many(50_000, () => frame(SETTINGS))],
  ['a flood of PING', many(50_000, () => frame(PING, { payload: Buffer.alloc(8) }))],
  [
    'a header bomb',
    many(200, (n) =>
      opened(
        n,
        Buffer.concat([
          Buffer.from('400161', 'hex'),
          Buffer.of(0x7f, 0x80, 0x1f),
          Buffer.alloc(4096, 97),
          Buffer.alloc(10_000, 0xbe),
        ]),
      ),
    ),
  ],
  [
    'windows of zero',
    Buffer.concat([
      frame(SETTINGS, { payload: noWindow }),
      many(1000, (n) => opened(n)),
      frame(WINDOW_UPDATE, { payload: Buffer.alloc(4) }),
    ]),
  ],
];

/** All that the server answers until it closes the connection. */
async function answerTo(port: number, bytes: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  // It may be closed while these are on the way.
  socket.on('error', () => undefined);
  socket.write(bytes);
  const pieces: Buffer[] = [];
  socket.on('data', (piece) => pieces.push(piece));
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(pieces).toString('latin1');
}

test.each(ATTACKS)(
  '[e2b.http2] %s: each listener refuses HTTP/2 at its first bytes, and serves others',
  async (_name, frames) => {
    await using daemon = await startDaemon((req, res) => {
      if (req.url === '/internal/auth') res.writeHead(204).end();
      else res.end('served');
    });
    const port = await freePort();
    await using gateway = await startGateway(daemon.port, { env: { SVC_E2B_PORT: String(port) } });
    const bytes = Buffer.concat([PREFACE, frame(SETTINGS), frames]);
    const before = process.memoryUsage().rss;
    for (const listener of [gateway.port, port]) {
      const answers = await Promise.all(Array.from({ length: 32 }, () => answerTo(listener, bytes)));
      for (const answer of answers) expect(answer).toMatch(/^(?:HTTP\/1\.1 400 Bad Request\r\n|$)/);
      expect(answers.join('').length).toBeLessThan(32 * 1024);
      const url = listener === port ? `http://127.0.0.1:${port}/health` : `${gateway.origin}/v2/x`;
      expect(await (await fetch(url)).text()).toBe('served');
    }
    expect(daemon.requests.filter(({ url }) => url !== '/internal/auth').map(({ method }) => method)).toEqual([
      'GET',
      'GET',
    ]);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  },
);

test('[e2b.http2] an upgrade to h2c is not taken: the answer is HTTP/1.1, or none', async () => {
  await using daemon = await startDaemon((_req, res) => res.end('served'));
  const port = await freePort();
  await using _gateway = await startGateway(daemon.port, { env: { SVC_E2B_PORT: String(port) } });
  const head =
    'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n';
  const answer = await answerTo(port, Buffer.from(head));
  expect(answer).toMatch(/^HTTP\/1\.1 [2-5]\d\d /);
});
