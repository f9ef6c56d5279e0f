import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { Daemon, startDaemon, startGateway, Wire } from '../gateway.fixture.ts';
import { CredentialUses, usedCredential } from './credential-uses.ts';

/** A daemon that knows keys by their ids, and tells the gateway when they change. */
class Keys {
  valid: string[];
  #boot = 'boot';
  #version = 0;
  readonly #waiting = new Set<() => void>();

  constructor(...valid: string[]) {
    this.valid = valid;
  }

  readonly listener = (req: IncomingMessage, res: ServerResponse): void => {
    if (req.url === '/internal/auth') {
      const key = String(req.headers['x-api-key']);
      res.writeHead(this.valid.includes(key) ? 204 : 401, { 'X-Credential': `${this.#cursor} ${key}` }).end();
    } else if (req.url?.endsWith(`after=${this.#cursor}`)) this.#waiting.add(() => this.#tell(res));
    else this.#tell(res);
  };

  set(valid: string[], boot = this.#boot): void {
    this.valid = valid;
    this.#boot = boot;
    this.#version += 1;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  get #cursor(): string {
    return `${this.#boot}.${this.#version}`;
  }

  #tell(res: ServerResponse): void {
    res.end(JSON.stringify({ cursor: this.#cursor, keys: this.valid, revoked: [] }));
  }
}

/** A preview whose WebSockets send `greeting`, and whose other answers go on. */
async function startPreview(greeting: Buffer) {
  const server = createServer((_req, res) => void res.writeHead(200).write('begun'));
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on('connection', (socket, { socket: raw }) => {
    raw.write(greeting);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      for (const socket of sockets.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';

function webSocket(port: number, path: string, key: string): Wire {
  const nonce = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  const wire = new Wire(port);
  return wire.send(`GET ${path} HTTP/1.1\r\nHost: h\r\nX-API-Key: ${key}\r\n${UPGRADE}${nonce}\r\n`);
}

function stream(port: number, path: string, key: string): Wire {
  return new Wire(port).send(`GET ${path} HTTP/1.1\r\nHost: h\r\nX-API-Key: ${key}\r\n\r\n`);
}

/** A close frame with 4401, as latin1. */
const REASON = 'the credential of this connection was withdrawn';
const WITHDRAWN = `${String.fromCharCode(0x88, REASON.length + 2, 0x11, 0x31)}${REASON}`;

test('[access.withdrawn] WebSockets and streams of a withdrawn key end within a second; those of another go on', async () => {
  const keys = new Keys('one', 'two');
  await using daemon = await startDaemon(keys.listener);
  await using preview = await startPreview(Buffer.from([0x81, 2, 0x68, 0x69]));
  await using gateway = await startGateway(daemon.port);
  const path = `/proxy/${preview.port}/`;
  using gone = webSocket(gateway.port, path, 'one');
  using goneStream = stream(gateway.port, path, 'one');
  using stays = webSocket(gateway.port, path, 'two');
  using staysStream = stream(gateway.port, path, 'two');
  await Promise.all([gone.until('hi'), stays.until('hi'), goneStream.until('begun'), staysStream.until('begun')]);
  keys.set(['two']);
  const at = performance.now();
  expect(await gone.all()).toContain(WITHDRAWN);
  expect(await goneStream.all()).not.toMatch(/0\r\n\r\n$/);
  expect(performance.now() - at).toBeLessThan(1000);
  for (const socket of preview.sockets.clients) socket.send('still here');
  expect(await stays.until('still here')).not.toContain(WITHDRAWN);
  expect(staysStream.socket.readyState).toBe('open');
});

test('[access.withdrawn] a request that its application has not answered yet is refused, and its connection ends', async () => {
  const keys = new Keys('one');
  await using daemon = await startDaemon(keys.listener);
  const asked = Promise.withResolvers<IncomingMessage>();
  await using silent = await new Daemon((req) => asked.resolve(req)).listen();
  await using gateway = await startGateway(daemon.port);
  using wire = stream(gateway.port, `/proxy/${silent.port}/`, 'one');
  const { socket } = await asked.promise;
  const gone = once(socket, 'close');
  keys.set([]);
  const at = performance.now();
  const answer = await wire.all();
  expect(answer).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/);
  expect(answer).toContain('the credential of this request was withdrawn');
  expect(performance.now() - at).toBeLessThan(1000);
  await gone;
});

test('[access.withdrawn] a client that is being sent a frame is cut off without its rest', async () => {
  const keys = new Keys('one');
  await using daemon = await startDaemon(keys.listener);
  // A frame of 1,000 bytes of which four arrive.
  await using preview = await startPreview(Buffer.from([0x82, 126, 3, 232, 0x68, 0x69, 0x68, 0x69]));
  await using gateway = await startGateway(daemon.port);
  using wire = webSocket(gateway.port, `/proxy/${preview.port}/`, 'one');
  await wire.until('hihi');
  keys.set([]);
  const at = performance.now();
  expect(await wire.all()).not.toContain('withdrawn');
  expect(performance.now() - at).toBeLessThan(1000);
});

test('[access.recheck] what was withdrawn while the daemon was away ends when it is back; the rest goes on', async () => {
  const keys = new Keys('one', 'two');
  const daemon = await startDaemon(keys.listener);
  const { port } = daemon;
  await using preview = await startPreview(Buffer.from([0x81, 2, 0x68, 0x69]));
  await using gateway = await startGateway(port);
  const path = `/proxy/${preview.port}/`;
  using gone = webSocket(gateway.port, path, 'one');
  using stays = webSocket(gateway.port, path, 'two');
  await Promise.all([gone.until('hi'), stays.until('hi')]);
  await expect.poll(() => daemon.requests.some(({ url }) => url?.startsWith('/internal/credentials'))).toBe(true);
  await daemon[Symbol.asyncDispose]();
  keys.set(['two'], 'another boot');
  await using _back = await new Daemon(keys.listener).listen(port);
  expect(await gone.all()).toContain(WITHDRAWN);
  for (const socket of preview.sockets.clients) socket.send('still here');
  await stays.until('still here');
});

test('[access.recheck] nothing stays open if nobody can tell for long what was withdrawn', async () => {
  const uses = new CredentialUses(() => Promise.reject(new Error('away')), 300);
  const server = createServer((req, res) => {
    uses.hold({ req, res }, usedCredential('boot.1 one'));
    res.write('begun');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  using wire = new Wire((server.address() as AddressInfo).port).send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
  await wire.until('begun');
  await wire.all();
  uses[Symbol.dispose]();
  await new Promise((resolve) => server.close(resolve));
});
