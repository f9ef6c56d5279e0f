import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { freePort } from '../../../scripts/testing/free-port.ts';
import { Daemon, startDaemon, startGateway, Wire } from '../gateway.fixture.ts';
import { fill, IN_FLIGHT_MAX_MB } from '../in-flight.fixture.ts';

const ASK = 'GET /ws?q HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Original-URI: /health\r\n';
const ACCEPT = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Answer: 1\r\n\r\n';

/** A daemon that accepts every upgrade; `upgraded` is its end of the first one. */
async function acceptingDaemon(
  afterHead = '',
): Promise<{ daemon: Daemon; upgraded: Promise<{ req: IncomingMessage; socket: Socket; head: Buffer }> }> {
  const { promise, resolve } = Promise.withResolvers<{ req: IncomingMessage; socket: Socket; head: Buffer }>();
  const daemon = new Daemon((_req, res) => void res.end());
  daemon.server.on('upgrade', (req, socket, head) => {
    socket.write(ACCEPT + afterHead);
    resolve({ req, socket: socket as Socket, head });
  });
  await daemon.listen();
  return { daemon, upgraded: promise };
}

test('a WebSocket relays text, binary, ping and close in both directions', async () => {
  await using daemon = await startDaemon((_req, res) => void res.end());
  const sockets = new WebSocketServer({ server: daemon.server });
  sockets.on('connection', (ws, req) => {
    ws.send(`hello ${req.url}`);
    ws.on('message', (data, binary) => ws.send(data, { binary }));
  });
  await using gateway = await startGateway(daemon.port);
  const client = new WebSocket(`ws://127.0.0.1:${gateway.port}/v2/pty?x=1`, ['a', 'b']);
  const [hello] = (await once(client, 'message')) as [Buffer];
  expect([hello.toString(), client.protocol]).toEqual(['hello /v2/pty?x=1', 'a']);
  const bytes = Buffer.alloc(3_000_000, 7);
  client.send(bytes);
  const [back] = (await once(client, 'message')) as [Buffer];
  expect(back.equals(bytes)).toBe(true);
  client.ping('p');
  expect(String((await once(client, 'pong'))[0])).toBe('p');
  client.close(4001, 'bye');
  expect((await once(client, 'close')).map(String)).toEqual(['4001', 'bye']);
});

test('the upgrade reaches the daemon unchanged, and bytes after either head are not lost', async () => {
  const { daemon, upgraded } = await acceptingDaemon('early from the daemon');
  await using _daemon = daemon;
  await using gateway = await startGateway(daemon.port, { trustedProxies: '192.0.2.1' });
  using wire = new Wire(gateway.port);
  wire.send(`${ASK}Origin: http://o\r\nX-Forwarded-For: 10.0.0.1\r\nX-Request-Id: mine\r\n\r\nearly from the client`);
  const text = await wire.until('early from the daemon');
  expect(text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
  expect(text).toMatch(/X-Answer: 1\r\nx-request-id: mine\r\n/);
  const { req, socket, head } = await upgraded;
  const early = head.length > 0 ? head : ((await once(socket, 'data'))[0] as Buffer);
  expect(early.toString()).toBe('early from the client');
  expect(req.headers).toMatchObject({
    host: 'h',
    upgrade: 'websocket',
    origin: 'http://o',
    'x-forwarded-for': '127.0.0.1',
  });
  expect(req.headers).not.toHaveProperty('x-original-uri');
});

test('the end of one direction leaves the other open', async () => {
  const { daemon, upgraded } = await acceptingDaemon();
  await using _daemon = daemon;
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  await wire.send(`${ASK}\r\n`).until('\r\n\r\n');
  const { socket } = await upgraded;
  wire.send('request');
  wire.socket.end();
  let heard = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) heard += String(chunk);
  expect(heard).toBe('request');
  socket.end('reply');
  expect(await wire.all()).toContain('reply');
});

test('bytes of the client still arrive after the daemon has ended its direction', async () => {
  const { daemon, upgraded } = await acceptingDaemon();
  await using _daemon = daemon;
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  await wire.send(`${ASK}\r\n`).until('\r\n\r\n');
  const { socket } = await upgraded;
  socket.end('request');
  expect(await wire.all()).toMatch(/request$/);
  wire.send('reply').socket.end();
  let heard = '';
  for await (const chunk of socket) heard += String(chunk);
  expect(heard).toBe('reply');
});

test.each(['client', 'daemon'] as const)('a reset by the %s reaches the other side as a reset', async (side) => {
  const { daemon, upgraded } = await acceptingDaemon();
  await using _daemon = daemon;
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  await wire.send(`${ASK}\r\n`).until('\r\n\r\n');
  const { socket } = await upgraded;
  const [resetting, hearing] = side === 'client' ? [wire.socket, socket] : [socket, wire.socket];
  socket.resume();
  // Within a frame of the daemon, where no close frame can follow.
  socket.write('\x82\x05ab');
  await wire.until('ab');
  const failed = once(hearing, 'error') as Promise<[NodeJS.ErrnoException]>;
  resetting.resetAndDestroy();
  expect((await failed)[0].code).toBe('ECONNRESET');
});

test('a peer that does not read causes backpressure on the other', async () => {
  const { daemon, upgraded } = await acceptingDaemon();
  await using _daemon = daemon;
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  await wire.send(`${ASK}\r\n`).until('\r\n\r\n');
  wire.socket.pause();
  const { socket } = await upgraded;
  expect(await fill(socket)).toBeLessThan(IN_FLIGHT_MAX_MB);
});

test.each([401, 403, 404])(
  'a refusal with %i is an ordinary response, and the connection closes afterwards',
  async (status) => {
    await using daemon = await startDaemon(() => {});
    daemon.server.on('upgrade', (_req, socket) => {
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nreason`);
    });
    await using gateway = await startGateway(daemon.port);
    using wire = new Wire(gateway.port);
    const text = await wire.send(`${ASK}\r\n`).all();
    expect(text).toMatch(
      new RegExp(`^HTTP/1\\.1 ${status} No\\r\\n[\\s\\S]*Connection: close[\\s\\S]*\\r\\n\\r\\nreason$`),
    );
    expect(text).toMatch(/^x-request-id: /m);
  },
);

test('without a daemon an upgrade is 503 with the envelope', async () => {
  await using gateway = await startGateway(await freePort());
  using wire = new Wire(gateway.port);
  const text = await wire.send(`${ASK}\r\n`).all();
  expect(text).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 1[\s\S]*"success":false/);
});

test('an upgrade of an own path requires the daemon’s admission, and its error is JSON even for a browser', async () => {
  const authRequests: IncomingMessage[] = [];
  await using daemon = await startDaemon((req, res) => {
    authRequests.push(req);
    res.writeHead(req.headers['x-api-key'] === 'k' ? 204 : 401).end();
  });
  await using gateway = await startGateway(daemon.port);
  const own = ASK.replace('/ws?q', '/cdp/devtools/x?y');
  using unauthorized = new Wire(gateway.port);
  const refused = await unauthorized.send(`${own}Accept: text/html\r\n\r\n`).all();
  expect(refused).toMatch(/^HTTP\/1\.1 401 [\s\S]*"success":false/);
  using authorized = new Wire(gateway.port);
  expect(await authorized.send(`${own}X-API-Key: k\r\n\r\n`).all()).toMatch(/^HTTP\/1\.1 503 /);
  expect(authRequests.map((req) => req.url)).toEqual(['/internal/auth', '/internal/auth']);
  expect(authRequests[0]?.headers).toMatchObject({
    'x-original-uri': '/cdp/devtools/x?y',
    'x-original-method': 'GET',
    'x-original-upgrade': 'websocket',
  });
  expect(authRequests[0]?.headers.upgrade).toBeUndefined();
});

test('an upgrade that is pipelined after an unfinished request is handled as a plain request', async () => {
  const { promise, resolve } = Promise.withResolvers<() => void>();
  await using daemon = await startDaemon((req, res) => {
    if (req.url === '/slow') resolve(() => res.end('slow'));
    else res.end('plain');
  });
  daemon.server.on('upgrade', (_req, socket) => socket.destroy());
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  wire.send(`GET /slow HTTP/1.1\r\nHost: h\r\n\r\n${ASK}\r\n`);
  (await promise)();
  const text = await wire.until('plain');
  expect(text.indexOf('slow')).toBeLessThan(text.indexOf('plain'));
});

test('closing ends upgraded connections after the grace', async () => {
  const { daemon } = await acceptingDaemon();
  await using _daemon = daemon;
  const gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  await wire.send(`${ASK}\r\n`).until('\r\n\r\n');
  await gateway.close();
  await wire.all();
});
