import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ResponseReader } from './daemon-connection.ts';
import { DaemonConnections, type DaemonRequest } from './daemon-connections.ts';

const OK = 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=60\r\n';
const GET: DaemonRequest = { method: 'GET', path: '/', headers: [], body: null };

/** A TCP server and a pool of connections to it; `respond` is called with the bytes of each request. */
async function startServer(respond: (socket: Socket, head: string, connection: number) => void) {
  let connections = 0;
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    connections += 1;
    const connection = connections;
    sockets.push(socket.on('error', () => {}));
    socket.on('data', (bytes) => respond(socket, bytes.toString('latin1'), connection));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const to = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const pool = new DaemonConnections(to);
  return {
    pool,
    sockets,
    get connections() {
      return connections;
    },
    [Symbol.dispose]() {
      pool[Symbol.dispose]();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Reads one complete response and releases its bytes at once. */
class TextReader implements ResponseReader {
  status = 0;
  text = '';
  readonly #done = Promise.withResolvers<string>();

  constructor() {
    this.#done.promise.catch(() => {});
  }

  get ended(): Promise<string> {
    return this.#done.promise;
  }

  onHead({ status }: { status: number }): void {
    this.status = status;
  }

  onBody(bytes: Buffer, release: (() => void) | undefined): boolean {
    this.text += bytes.toString('latin1');
    release?.();
    return true;
  }

  onEnd(): void {
    this.#done.resolve(this.text);
  }

  onError(error: Error): void {
    this.#done.reject(error);
  }
}

/** Writes each byte separately. */
function writeSingly(socket: Socket, bytes: string): void {
  const [first, ...rest] = bytes;
  if (first !== undefined) socket.write(first, 'latin1', () => writeSingly(socket, rest.join('')));
}

async function fetchText(pool: DaemonConnections, request = GET): Promise<string> {
  const reader = new TextReader();
  pool.send(request, reader);
  return `${await reader.ended}`;
}

test('a connection is reused for responses of any framing, however their bytes are split', async () => {
  const responses = [
    [`${OK}Content-Length: 5\r\n\r\nhello`, 'hello'],
    [
      'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\nKeep-Alive: timeout=60\r\n\r\nhi',
      'hi',
    ],
    [`${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`, 'abc'],
    ['HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nKeep-Alive: timeout=60\r\n\r\n', ''],
    [`${OK}Content-Length: 0\r\n\r\n`, ''],
  ] as const;
  let turns = 0;
  using server = await startServer((socket) => {
    const [bytes] = responses[turns % responses.length] ?? [''];
    turns += 1;
    if (turns <= responses.length) socket.write(bytes, 'latin1');
    else writeSingly(socket, bytes);
  });
  for (const [, text] of [...responses, ...responses]) expect(await fetchText(server.pool)).toBe(text);
  expect(server.connections).toBe(1);
});

test.each([
  ['is announced to close', `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi`],
  ['is about to time out', `HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\nhi`],
])('a connection that %s is not reused', async (_why, bytes) => {
  using server = await startServer((socket) => void socket.write(bytes));
  expect(await fetchText(server.pool)).toBe('hi');
  expect(await fetchText(server.pool)).toBe('hi');
  expect(server.connections).toBe(2);
});

test('a body without framing ends with the connection', async () => {
  using server = await startServer((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\nuntil here'));
  expect(await fetchText(server.pool)).toBe('until here');
});

test.each([
  ['ends in its head', 'HTTP/1.1 200 OK\r\nContent-'],
  ['ends before its length', `${OK}Content-Length: 6\r\n\r\nhello`],
  ['ends in a chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n6\r\nhello`],
  ['ends before the last chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`],
  ['is missing', ''],
])('a response that %s is an error', async (_why, bytes) => {
  using server = await startServer((socket) => void socket.end(bytes));
  await expect(fetchText(server.pool)).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test.each([
  ['further bytes after it', `${OK}Content-Length: 2\r\n\r\nhi!`],
  ['another response after it', `${OK}Content-Length: 2\r\n\r\nhi${OK}Content-Length: 2\r\n\r\nho`],
  ['an unexpected upgrade', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
  ['a head that is too long', `HTTP/1.1 200 OK\r\nA: ${'x'.repeat(70_000)}`],
])('a response with %s is an error and closes its connection', async (_why, bytes) => {
  using server = await startServer((socket) => void socket.write(bytes));
  await expect(fetchText(server.pool)).rejects.toMatchObject({ code: 'MALFORMED_RESPONSE' });
  await expect(fetchText(server.pool)).rejects.toMatchObject({ code: 'MALFORMED_RESPONSE' });
  expect(server.connections).toBe(2);
});

test('unsolicited data on an idle connection is not used as a response', async () => {
  using server = await startServer((socket, _head, connection) => {
    socket.write(`${OK}Content-Length: 1\r\n\r\n${connection}`);
  });
  expect(await fetchText(server.pool)).toBe('1');
  const closed = once(server.sockets[0] as Socket, 'close');
  server.sockets[0]?.write(`${OK}Content-Length: 5\r\n\r\nwrong`);
  await closed;
  expect(await fetchText(server.pool)).toBe('2');
});

/** Does not release the bytes it receives. */
class SlowReader implements ResponseReader {
  readonly held: (() => void)[] = [];
  got = 0;
  readonly #done = Promise.withResolvers<void>();

  get ended(): Promise<void> {
    return this.#done.promise;
  }

  onHead(): void {}

  onBody(bytes: Buffer, release: (() => void) | undefined): boolean {
    this.got += bytes.length;
    if (release) this.held.push(release);
    return true;
  }

  onEnd(): void {
    this.#done.resolve();
  }

  onError(error: Error): void {
    this.#done.reject(error);
  }
}

function zeros(length: number): Buffer {
  return Buffer.concat([Buffer.from(`${OK}Content-Length: ${length}\r\n\r\n`), Buffer.alloc(length)]);
}

test('a reader that does not release its buffers is paused, and receives the rest after releasing them', async () => {
  const length = 16 * 1024 ** 2;
  using server = await startServer((socket) => void socket.write(zeros(length)));
  const slow = new SlowReader();
  server.pool.send(GET, slow);
  while (slow.held.length < 2) await turn();
  for (let i = 0; i < 500; i += 1) await turn();
  expect(slow.got).toBeLessThan(2 * 1024 ** 2);
  while (slow.got < length) {
    slow.held.shift()?.();
    await turn();
  }
  await slow.ended;
});

test('a connection with unreleased buffers is not idle, and one that carried a long body is not reused', async () => {
  using server = await startServer((socket, head) => {
    socket.write(head.startsWith('GET /long') ? zeros(2 * 1024 ** 2) : zeros(300_000));
  });
  const slow = new SlowReader();
  server.pool.send(GET, slow);
  while (slow.got < 300_000) {
    await turn();
    if (slow.held.length > 1) slow.held.shift()?.();
  }
  await slow.ended;
  await fetchText(server.pool);
  expect(server.connections).toBe(2);
  for (const release of slow.held) release();
  await Promise.all([fetchText(server.pool), fetchText(server.pool)]);
  expect(server.connections).toBe(2);
  await fetchText(server.pool, { ...GET, path: '/long' });
  await Promise.all([fetchText(server.pool), fetchText(server.pool)]);
  expect(server.connections).toBe(3);
});

test('abandoning a response closes its connection, unless the response is complete', async () => {
  using server = await startServer((socket, head) => {
    socket.write(head.startsWith('GET /open') ? `${OK}Content-Length: 9\r\n\r\n` : `${OK}Content-Length: 2\r\n\r\nhi`);
  });
  const left = new TextReader();
  const connection = server.pool.send({ ...GET, path: '/open' }, left);
  while (left.status === 0) await turn();
  connection.abandon(left);
  await expect(left.ended).rejects.toMatchObject({ code: 'ECONNRESET' });
  const done = new TextReader();
  const kept = server.pool.send(GET, done);
  expect(await done.ended).toBe('hi');
  kept.abandon(done);
  expect(await fetchText(server.pool)).toBe('hi');
  expect(server.connections).toBe(2);
});

test('a request is written with its length, and invalid characters are refused', async () => {
  const heads: string[] = [];
  using server = await startServer((socket, head) => {
    heads.push(head);
    socket.write(`${OK}Content-Length: 0\r\n\r\n`);
  });
  const { pool } = server;
  await fetchText(pool, { method: 'POST', path: '/a', headers: ['Host', 'h'], body: Buffer.from('body') });
  await fetchText(pool, { method: 'PUT', path: '/b', headers: ['content-length', '2'], body: Buffer.from('ab') });
  await fetchText(pool, { method: 'POST', path: '/c', headers: [], body: null });
  await fetchText(pool, { method: 'GET', path: '/d\xe9', headers: ['X', '\xe9'], body: null });
  expect(heads).toEqual([
    'POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody',
    'PUT /b HTTP/1.1\r\ncontent-length: 2\r\n\r\nab',
    'POST /c HTTP/1.1\r\nContent-Length: 0\r\n\r\n',
    'GET /d\xe9 HTTP/1.1\r\nX: \xe9\r\n\r\n',
  ]);
  for (const bad of [
    { ...GET, path: '/a b' },
    { ...GET, path: '/\r\nX: y' },
    { ...GET, headers: ['X', 'a\r\nY: b'] },
    { ...GET, headers: ['X', '\u0100'] },
  ]) {
    expect(() => pool.send(bad, new TextReader())).toThrow(/character/i);
  }
  expect(heads).toHaveLength(4);
});
