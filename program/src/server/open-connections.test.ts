import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createLogger } from '../logger.ts';
import { type ConnectionLimits, OpenConnections } from './open-connections.ts';

/** A server whose connections are bounded. */
class Bounded implements AsyncDisposable {
  readonly log: string[] = [];
  readonly connections: OpenConnections;
  readonly #server = createServer({ keepAliveTimeout: 1_000 });

  constructor(limits: ConnectionLimits, handle: (req: IncomingMessage, res: ServerResponse) => void) {
    this.connections = new OpenConnections(
      limits,
      createLogger('test', 'warn', [], { write: (line) => void this.log.push(line) }),
    );
    this.connections.watch(this.#server);
    this.#server.on('request', (req, res) => this.connections.take(req, res, () => handle(req, res)));
  }

  async open(): Promise<Socket> {
    if (!this.#server.listening) {
      this.#server.listen(0, '127.0.0.1');
      await once(this.#server, 'listening');
    }
    const { port } = this.#server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('latin1');
    await once(socket, 'connect');
    return socket;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connections.destroyAll();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function allOf(socket: Socket): Promise<string> {
  let text = '';
  for await (const piece of socket) text += String(piece);
  return text;
}

/** Seconds until the server's end of a connection asks whether the client is there (proc(5), `/proc/net/tcp`). */
function keepAliveSeconds({ localPort = 0, remotePort = 0 }: Socket): number | undefined {
  const hex = (port: number): string => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  const fields = lines.map((line) => line.trim().split(/\s+/));
  const timer = fields.find(([, local, remote]) => local === hex(remotePort) && remote === hex(localPort))?.[5];
  const [kind, ticks = ''] = timer?.split(':') ?? [];
  return kind === '02' ? Number.parseInt(ticks, 16) / 100 : undefined;
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n';
const CLOSING = 'GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n';

test('[connection.ceiling] a connection beyond the ceiling is answered 503 with a hint, and logged once', async () => {
  await using server = new Bounded({ ceiling: 2 }, (_req, res) => void res.end('ok'));
  const [first] = [await server.open(), await server.open()];
  await expect.poll(() => server.connections.size).toBe(2);
  for (const refused of [await server.open(), await server.open()]) {
    expect(await allOf(refused)).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 1[\s\S]*"hint":"close some/);
  }
  expect(server.log.filter((line) => line.includes('ceiling'))).toHaveLength(1);
  first?.destroy();
  await expect.poll(() => server.connections.size).toBe(1);
  const next = await server.open();
  next.write(CLOSING);
  expect(await allOf(next)).toMatch(/^HTTP\/1\.1 200 /);
});

test('a client that vanishes is noticed: TCP keep-alive runs on each connection, with its request in work', async () => {
  await using server = new Bounded({ ceiling: 2 }, () => undefined);
  const client = await server.open();
  client.write(REQUEST);
  await expect.poll(() => keepAliveSeconds(client)).toBeGreaterThan(50);
  expect(keepAliveSeconds(client)).toBeLessThanOrEqual(60);
  client.destroy();
});

test('[connection.boundary] an exception in a handler ends its own connection, with one log line that has the stack', async () => {
  await using server = new Bounded({ ceiling: 8 }, (req, res) => {
    if (req.url === '/throw') throw new TypeError('unexpected');
    res.end('ok');
  });
  const [failing, other] = [await server.open(), await server.open()];
  failing.write(REQUEST.replace('/', '/throw'));
  expect(await allOf(failing)).toBe('');
  other.write(CLOSING);
  expect(await allOf(other)).toMatch(/^HTTP\/1\.1 200 /);
  expect(server.log).toEqual([expect.stringMatching(/TypeError.*unexpected.*open-connections\.test\.ts/)]);
});

describe('[connection.half-close] after the bound', () => {
  test('a client that has only ended its half gets its answer', async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    await using server = new Bounded({ ceiling: 8, halfOpenMs: 50 }, (_req, res) => asked.resolve(res));
    const client = await server.open();
    client.end(REQUEST);
    const text = allOf(client);
    const res = await asked.promise;
    await once(client, 'data');
    res.end('ok');
    expect(await text).toMatch(/^(?:HTTP\/1\.1 102 Processing\r\n\r\n)+HTTP\/1\.1 200 [\s\S]*ok/);
  });

  test.each([
    ['a client that has left', REQUEST, true],
    ['a client of HTTP/1.0', REQUEST.replace('1.1', '1.0'), false],
  ])('the response to %s is abandoned', async (_name, request, leaves) => {
    const asked = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<boolean>();
    await using server = new Bounded({ ceiling: 8, halfOpenMs: 50 }, (_req, res) => {
      res.on('close', () => closed.resolve(res.writableFinished));
      asked.resolve();
    });
    const client = await server.open();
    client.end(request);
    await asked.promise;
    if (leaves) client.destroy();
    expect(await closed.promise).toBe(false);
  });

  test('a response that has begun is abandoned', async () => {
    const closed = Promise.withResolvers<boolean>();
    await using server = new Bounded({ ceiling: 8, halfOpenMs: 50 }, (_req, res) => {
      res.on('close', () => closed.resolve(res.writableFinished));
      res.write('begun');
    });
    const client = await server.open();
    client.end(REQUEST);
    expect(await closed.promise).toBe(false);
  });
});

describe('connections without a valid credential', () => {
  const strangers = { perAddress: 2, isExempt: () => false };
  const path = (target: string): string => REQUEST.replace('/', target);
  /** `/in` shows a credential, `/busy` gets no answer. */
  const started = (limits: Partial<ConnectionLimits>): Bounded => {
    const server: Bounded = new Bounded({ ceiling: 8, strangers, ...limits }, (req, res) => {
      if (req.url === '/in') server.connections.admit(req.socket);
      if (req.url !== '/busy') res.end('ok');
    });
    return server;
  };

  test('[connection.address] the oldest without a request head makes room, before one that waits for its next', async () => {
    await using server = started({});
    const served = await server.open();
    served.write(REQUEST);
    await once(served, 'data');
    const silent = await server.open();
    await expect.poll(() => server.connections.size).toBe(2);
    const evicted = once(silent, 'end');
    const next = await server.open();
    silent.resume();
    await evicted;
    silent.destroy();
    next.write(REQUEST);
    await once(next, 'data');
    served.write(CLOSING);
    expect(String(await once(served, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
    expect(server.connections.totals).toEqual({ evicted: 1, refused: 0 });
    expect(server.log.filter((line) => line.includes('without a valid credential'))).toHaveLength(1);
  });

  test('[connection.address] one that works is not cut: the next is refused with a hint', async () => {
    let busy = 0;
    await using server = new Bounded({ ceiling: 8, strangers }, () => {
      busy += 1;
    });
    for (const client of [await server.open(), await server.open()]) client.write(REQUEST);
    await expect.poll(() => busy).toBe(2);
    expect(await allOf(await server.open())).toMatch(/^HTTP\/1\.1 503 [\s\S]*SVC_CONNECTIONS_PER_ADDRESS/);
  });

  test.each([
    ['with a credential', {}, '/in'],
    ['of an exempt address', { strangers: { ...strangers, isExempt: () => true } }, '/'],
    ['without a limit', { strangers: { ...strangers, perAddress: 0 } }, '/'],
  ])('[connection.address] connections %s do not count', async (_name, limits, target) => {
    await using server = started(limits);
    for (let n = 0; n < 6; n += 1) {
      const client = await server.open();
      client.write(path(target));
      await once(client, 'data');
    }
    expect([server.connections.size, server.connections.totals.evicted]).toEqual([6, 0]);
  });

  test('[connection.reserve] a client of this machine gets in beyond the ceiling', async () => {
    await using server = started({ ceiling: 2, strangers: { ...strangers, perAddress: 0 } });
    for (const busy of [await server.open(), await server.open()]) busy.write(path('/busy'));
    const health = await server.open();
    health.write(CLOSING);
    expect(await allOf(health)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('requests that are reserved', () => {
  const strangers = { perAddress: 2, isExempt: () => false };
  const HEALTH = CLOSING.replace('/', '/health');
  let busy = 0;
  /** Answers nothing but `/health`. */
  const started = (limits: Partial<ConnectionLimits>): Bounded => {
    busy = 0;
    return new Bounded({ ceiling: 8, isReserved: ({ url }) => url === '/health', ...limits }, (req, res) => {
      if (req.url === '/health') res.end('ok');
      else busy += 1;
    });
  };
  const crowd = async (server: Bounded, count: number, sent: string): Promise<Socket[]> => {
    const clients: Socket[] = [];
    for (let n = 0; n < count; n += 1) {
      const client = await server.open();
      client.on('error', () => undefined).write(sent);
      clients.push(client.resume());
    }
    return clients;
  };

  test.each([
    ['the share of one address', { strangers }, 2],
    ['the ceiling', { ceiling: 2 }, 2],
    ['both, and the connections for this machine', { ceiling: 2, strangers: { ...strangers, perAddress: 0 } }, 66],
  ])('[connection.health] are served beyond %s, and others are not', async (_name, limits, count) => {
    await using server = started(limits);
    await crowd(server, count, REQUEST);
    await expect.poll(() => busy).toBe(count);
    for (let n = 0; n < 3; n += 1) {
      const health = await server.open();
      health.write(HEALTH.replace('Connection: close\r\n', ''));
      expect(await allOf(health)).toMatch(/^HTTP\/1\.1 200 [\s\S]*Connection: close/);
    }
    const other = await server.open();
    other.write(CLOSING);
    expect(await allOf(other)).toMatch(/^HTTP\/1\.1 503 /);
  });

  test.each([
    ['say nothing', ''],
    ['send half of a head', 'GET /health HTTP/1.1\r\nHost: h\r\n'],
    ['send half of a body', 'GET /health HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nx'],
    ['ask for more', REQUEST],
  ])('[connection.health] are served while clients that %s fill the reserve', async (_name, sent) => {
    await using server = started({ ceiling: 2 });
    await crowd(server, 2, REQUEST);
    await expect.poll(() => busy).toBe(2);
    await crowd(server, 80, sent);
    const health = await server.open();
    health.write(HEALTH);
    expect(await allOf(health)).toMatch(/^HTTP\/1\.1 200 /);
    expect(server.connections.size).toBeLessThanOrEqual(2 + 64);
  });
});

test('[connection.fair] a request is not behind the pipelined ones of other connections', async () => {
  const other = Promise.withResolvers<Socket>();
  const seen = Promise.withResolvers<number>();
  let begun = 0;
  await using server = new Bounded({ ceiling: 32 }, (req, res) => {
    res.end('ok');
    if (req.url === '/other') seen.resolve(begun);
    else begun += 1;
    if (begun === 1) void other.promise.then((socket) => socket.write(REQUEST.replace('/', '/other')));
  });
  other.resolve(await server.open());
  const flood = await Promise.all(Array.from({ length: 16 }, () => server.open()));
  for (const socket of flood)
    socket
      .on('error', () => undefined)
      .resume()
      .write(REQUEST.repeat(900));
  expect(await seen.promise).toBeLessThan(100);
});
