import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AnswerReader } from './daemon-connection.ts';
import { DaemonConnections, type DaemonQuestion } from './daemon-connections.ts';

const OK = 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=60\r\n';
const GET: DaemonQuestion = { method: 'GET', path: '/', headers: [], body: null };

/** A server whose answers are what is on the wire, byte for byte: `answer` is called for each head that comes. */
async function serving(answer: (socket: Socket, head: string, connection: number) => void) {
  let connections = 0;
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    connections += 1;
    const connection = connections;
    sockets.push(socket.on('error', () => {}));
    socket.on('data', (bytes) => answer(socket, bytes.toString('latin1'), connection));
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

/** Reads one answer whole, giving its bytes back at once. */
class Whole implements AnswerReader {
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

  onBody(bytes: Buffer, taken: (() => void) | undefined): boolean {
    this.text += bytes.toString('latin1');
    taken?.();
    return true;
  }

  onEnd(): void {
    this.#done.resolve(this.text);
  }

  onError(error: Error): void {
    this.#done.reject(error);
  }
}

/** Each byte in a packet of its own. */
function writeSingly(socket: Socket, bytes: string): void {
  const [first, ...rest] = bytes;
  if (first !== undefined) socket.write(first, 'latin1', () => writeSingly(socket, rest.join('')));
}

async function ask(pool: DaemonConnections, question = GET): Promise<string> {
  const reader = new Whole();
  pool.ask(question, reader);
  return `${await reader.ended}`;
}

test('answers follow each other on one connection, however they are framed and cut', async () => {
  const answers = [
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
  using server = await serving((socket) => {
    const [bytes] = answers[turns % answers.length] ?? [''];
    turns += 1;
    if (turns <= answers.length) socket.write(bytes, 'latin1');
    else writeSingly(socket, bytes);
  });
  for (const [, text] of [...answers, ...answers]) expect(await ask(server.pool)).toBe(text);
  expect(server.connections).toBe(1);
});

test.each([
  ['says that it ends', `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi`],
  ['is about to end', `HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\nhi`],
])('a connection that %s is not used again', async (_why, bytes) => {
  using server = await serving((socket) => void socket.write(bytes));
  expect(await ask(server.pool)).toBe('hi');
  expect(await ask(server.pool)).toBe('hi');
  expect(server.connections).toBe(2);
});

test('a body without an end of its own ends with the connection', async () => {
  using server = await serving((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\nuntil here'));
  expect(await ask(server.pool)).toBe('until here');
});

test.each([
  ['ends in its head', 'HTTP/1.1 200 OK\r\nContent-'],
  ['ends before its length', `${OK}Content-Length: 6\r\n\r\nhello`],
  ['ends in a chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n6\r\nhello`],
  ['ends before the last chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`],
  ['is not there', ''],
])('an answer that %s has failed', async (_why, bytes) => {
  using server = await serving((socket) => void socket.end(bytes));
  await expect(ask(server.pool)).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test.each([
  ['bytes behind it', `${OK}Content-Length: 2\r\n\r\nhi!`],
  ['another answer behind it', `${OK}Content-Length: 2\r\n\r\nhi${OK}Content-Length: 2\r\n\r\nho`],
  ['a protocol that nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
  ['a head without end', `HTTP/1.1 200 OK\r\nA: ${'x'.repeat(70_000)}`],
])('an answer with %s ends its connection and is none', async (_why, bytes) => {
  using server = await serving((socket) => void socket.write(bytes));
  await expect(ask(server.pool)).rejects.toMatchObject({ code: 'MALFORMED_ANSWER' });
  await expect(ask(server.pool)).rejects.toMatchObject({ code: 'MALFORMED_ANSWER' });
  expect(server.connections).toBe(2);
});

test('what a kept connection brings unasked answers no request', async () => {
  using server = await serving((socket, _head, connection) => {
    socket.write(`${OK}Content-Length: 1\r\n\r\n${connection}`);
  });
  expect(await ask(server.pool)).toBe('1');
  const closed = once(server.sockets[0] as Socket, 'close');
  server.sockets[0]?.write(`${OK}Content-Length: 5\r\n\r\nwrong`);
  await closed;
  expect(await ask(server.pool)).toBe('2');
});

/** Keeps the bytes it gets. */
class Slow implements AnswerReader {
  readonly held: (() => void)[] = [];
  got = 0;
  readonly #done = Promise.withResolvers<void>();

  get ended(): Promise<void> {
    return this.#done.promise;
  }

  onHead(): void {}

  onBody(bytes: Buffer, taken: (() => void) | undefined): boolean {
    this.got += bytes.length;
    if (taken) this.held.push(taken);
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

test('a reader that does not give bytes back gets few buffers full, and then all the rest', async () => {
  const length = 16 * 1024 ** 2;
  using server = await serving((socket) => void socket.write(zeros(length)));
  const slow = new Slow();
  server.pool.ask(GET, slow);
  while (slow.held.length < 2) await turn();
  for (let i = 0; i < 500; i += 1) await turn();
  expect(slow.got).toBeLessThan(2 * 1024 ** 2);
  while (slow.got < length) {
    slow.held.shift()?.();
    await turn();
  }
  await slow.ended;
});

test('a connection whose last bytes are on their way is not free, nor is one kept that carried many', async () => {
  using server = await serving((socket, head) => {
    socket.write(head.startsWith('GET /long') ? zeros(2 * 1024 ** 2) : zeros(300_000));
  });
  const slow = new Slow();
  server.pool.ask(GET, slow);
  while (slow.got < 300_000) {
    await turn();
    if (slow.held.length > 1) slow.held.shift()?.();
  }
  await slow.ended;
  await ask(server.pool);
  expect(server.connections).toBe(2);
  for (const taken of slow.held) taken();
  await Promise.all([ask(server.pool), ask(server.pool)]);
  expect(server.connections).toBe(2);
  await ask(server.pool, { ...GET, path: '/long' });
  await Promise.all([ask(server.pool), ask(server.pool)]);
  expect(server.connections).toBe(3);
});

test('abandoning an answer ends its connection, and no other once it is done with', async () => {
  using server = await serving((socket, head) => {
    socket.write(head.startsWith('GET /open') ? `${OK}Content-Length: 9\r\n\r\n` : `${OK}Content-Length: 2\r\n\r\nhi`);
  });
  const left = new Whole();
  const connection = server.pool.ask({ ...GET, path: '/open' }, left);
  while (left.status === 0) await turn();
  connection.abandon(left);
  await expect(left.ended).rejects.toMatchObject({ code: 'ECONNRESET' });
  const done = new Whole();
  const kept = server.pool.ask(GET, done);
  expect(await done.ended).toBe('hi');
  kept.abandon(done);
  expect(await ask(server.pool)).toBe('hi');
  expect(server.connections).toBe(2);
});

test('a request is written with its length, and what HTTP cannot carry is not written', async () => {
  const heads: string[] = [];
  using server = await serving((socket, head) => {
    heads.push(head);
    socket.write(`${OK}Content-Length: 0\r\n\r\n`);
  });
  const { pool } = server;
  await ask(pool, { method: 'POST', path: '/a', headers: ['Host', 'h'], body: Buffer.from('body') });
  await ask(pool, { method: 'PUT', path: '/b', headers: ['content-length', '2'], body: Buffer.from('ab') });
  await ask(pool, { method: 'POST', path: '/c', headers: [], body: null });
  await ask(pool, { method: 'GET', path: '/d\xe9', headers: ['X', '\xe9'], body: null });
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
    expect(() => pool.ask(bad, new Whole())).toThrow(/character/i);
  }
  expect(heads).toHaveLength(4);
});
