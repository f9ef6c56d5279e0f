import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import process from 'node:process';
import { expect, test } from 'vitest';
import { has } from '../../../../scripts/testing/machine.ts';
import { TestApp } from '../../app.fixture.ts';
import { ownPorts } from './own-ports.ts';
import { PortClient } from './port-client.fixture.ts';
import { CONNECTIONS_MAX } from './port-service.ts';

const MIB = 1024 ** 2;
const EOF = '{"type":"eof"}';

class Listener implements AsyncDisposable {
  readonly #server: Server;
  readonly sockets: Socket[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(serve: (socket: Socket) => void, host = '127.0.0.1'): Promise<Listener> {
    const listener = new Listener(createServer({ allowHalfOpen: true }));
    listener.#server.on('connection', (socket) => {
      listener.sockets.push(socket);
      socket.on('error', () => undefined);
      serve(socket);
    });
    await once(listener.#server.listen(0, host), 'listening');
    return listener;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.#server.close();
  }
}

test('[ports.bytes] bytes pass in both directions, and each direction ends alone', async () => {
  await using daemon = await TestApp.start();
  // Answers with what it has read once the client has ended its direction.
  await using listener = await Listener.start((socket) => {
    const read: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => read.push(bytes)).on('end', () => socket.end(Buffer.concat(read)));
  });
  await using client = new PortClient(await daemon.listen(), listener.port);
  expect(await client.status()).toBe(101);
  const sent = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  client.socket.send(sent);
  client.socket.send('{"type":"eof"}');
  expect(await client.closed()).toBe(1000);
  expect([client.bytes.equals(sent), client.texts]).toEqual([true, [EOF]]);
});

test.runIf(has('IPv6 loopback'))('[ports.bytes] a program that listens on ::1 alone is reached', async () => {
  await using daemon = await TestApp.start();
  await using listener = await Listener.start((socket) => void socket.end('from ::1'), '::1');
  await using client = new PortClient(await daemon.listen(), listener.port);
  expect(await client.status()).toBe(101);
  client.socket.send(EOF);
  expect([await client.closed(), client.bytes.toString()]).toEqual([1000, 'from ::1']);
});

test('[ports.back-pressure] the memory does not grow with 100 MiB that nobody reads, in either direction', async () => {
  await using daemon = await TestApp.start();
  const bytes = Buffer.alloc(MIB, 'x');
  await using source = await Listener.start((socket) => {
    for (let count = 0; count < 100; count++) socket.write(bytes);
    socket.end();
  });
  await using sink = await Listener.start((socket) => void socket.pause());
  const base = await daemon.listen();
  await using reader = new PortClient(base, source.port);
  await reader.status();
  reader.socket.pause();
  await using writer = new PortClient(base, sink.port);
  await writer.status();
  for (let count = 0; count < 100; count++) writer.socket.send(bytes);
  await expect.poll(() => sink.sockets[0]?.bytesRead ?? -1).toBeGreaterThanOrEqual(0);
  // Both stop where the buffers of sockets are full.
  const waiting = () =>
    [source.sockets[0]?.writableLength, writer.socket.bufferedAmount].map((left = 0) => left > 50 * MIB);
  expect(waiting()).toEqual([true, true]);
  reader.socket.resume();
  sink.sockets[0]?.resume();
  await expect.poll(() => [reader.count, sink.sockets[0]?.bytesRead]).toEqual([100 * MIB, 100 * MIB]);
});

test('[ports.back-pressure] thousands of small messages that wait cost one listener', async () => {
  await using daemon = await TestApp.start();
  await using sink = await Listener.start((socket) => void socket.pause());
  const warnings: string[] = [];
  const warned = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', warned);
  try {
    await using writer = new PortClient(await daemon.listen(), sink.port);
    await writer.status();
    const message = Buffer.alloc(400, 'x');
    for (let count = 0; count < 50_000; count++) writer.socket.send(message);
    // Nothing moves any more: every buffer on the way is full.
    let before = -1;
    const stands = (): boolean => {
      const { bufferedAmount } = writer.socket;
      const isSame = bufferedAmount > 0 && bufferedAmount === before;
      before = bufferedAmount;
      return isSame;
    };
    await expect.poll(stands, { interval: 200 }).toBe(true);
    sink.sockets[0]?.resume();
    await expect.poll(() => sink.sockets[0]?.bytesRead).toBe(50_000 * message.length);
  } finally {
    process.off('warning', warned);
  }
  expect(warnings).toEqual([]);
});

test('[ports.cut] a cut of either side ends the other, and the place is free again', async () => {
  await using daemon = await TestApp.start();
  await using listener = await Listener.start((socket) => void socket.write('hello'));
  const base = await daemon.listen();
  await using left = new PortClient(base, listener.port);
  await expect.poll(() => left.bytes.toString()).toBe('hello');
  left.socket.terminate();
  await expect.poll(() => listener.sockets[0]?.destroyed || listener.sockets[0]?.readableEnded).toBe(true);
  await using reset = new PortClient(base, listener.port);
  await expect.poll(() => reset.bytes.toString()).toBe('hello');
  listener.sockets[1]?.resetAndDestroy();
  expect(await reset.closed()).toBe(1000);
  await expect.poll(async () => (await daemon.inject('/metrics')).body).toMatch(/\nport_connections(?:{[^}]*})? 0\n/);
});

test('[ports.refused] wrong ports, those of the product, and ports without a listener are refused', async () => {
  await using daemon = await TestApp.start();
  const base = await daemon.listen();
  for (const port of ['0', '65536', '1.5', '-1', 'x', '2147483648', '%20']) {
    await using client = new PortClient(base, port);
    expect([port, await client.status()]).toEqual([port, 422]);
  }
  await using nothing = new PortClient(base, 1);
  expect(await nothing.status()).toBe(503);
  for (const port of [8080, 9222, 18_100]) {
    await using own = new PortClient(base, port);
    expect([port, await own.status()]).toEqual([port, 403]);
  }
  const plain = await daemon.inject('/v2/ports/3000/connect');
  expect([plain.statusCode, plain.headers['upgrade']]).toEqual([426, 'websocket']);
  await using listener = await Listener.start(() => undefined);
  await using text = new PortClient(base, listener.port);
  await text.status();
  text.socket.send('not bytes');
  expect(await text.closed()).toBe(1003);
});

test('[ports.access] it needs the key, and no foreign page opens it', async () => {
  await using listener = await Listener.start(() => undefined);
  await using daemon = await TestApp.start({ apiKey: 'secret' });
  const base = await daemon.listen();
  await using stranger = new PortClient(base, listener.port);
  expect(await stranger.status()).toBe(401);
  await using owner = new PortClient(base, listener.port, { 'x-api-key': 'secret' });
  expect(await owner.status()).toBe(101);
  await using open = await TestApp.start();
  await using page = new PortClient(await open.listen(), listener.port, { origin: 'http://evil.example' });
  expect(await page.status()).toBe(403);
});

test('[ports.ceiling] the 65th connection is refused until one has left', async () => {
  await using daemon = await TestApp.start();
  await using listener = await Listener.start(() => undefined);
  const base = await daemon.listen();
  await using all = new AsyncDisposableStack();
  const clients = Array.from({ length: CONNECTIONS_MAX }, () => all.use(new PortClient(base, listener.port)));
  await Promise.all(clients.map((client) => client.status()));
  await using more = new PortClient(base, listener.port);
  expect(await more.status()).toBe(429);
  clients[0]?.socket.terminate();
  await expect
    .poll(async () => {
      await using next = new PortClient(base, listener.port);
      return next.status();
    })
    .toBe(101);
});

test('[ports.refused] the ports of the product are those of its options', () => {
  expect([...ownPorts({})].sort((a, b) => a - b)).toEqual([8080, 8100, 8101, 9222, 18_100]);
  const env = {
    GATEWAY_PORT: '80',
    SVC_COMPUTER_USE_URL: 'http://desk:7/',
    GATEWAY_VNC: '127.0.0.1:5900',
    SVC_E2B_PORT: '49983',
  };
  expect([...ownPorts(env)].sort((a, b) => a - b)).toEqual([7, 80, 5900, 8100, 8101, 9222, 49_983]);
});
