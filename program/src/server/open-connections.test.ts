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
