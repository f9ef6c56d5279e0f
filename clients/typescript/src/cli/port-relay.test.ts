import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { PortRelay } from './port-relay.ts';

/** What a service does with a connection. */
type Serve = (socket: WebSocket, raw: Duplex) => void;

const EOF = '{"type":"eof"}';

/** A service, and a local server that relays its connections to it. */
class Relayed implements AsyncDisposable {
  readonly reports: string[] = [];
  readonly #service: HttpServer;
  readonly #local: Server;
  readonly #sockets = new Set<Duplex>();

  private constructor(service: HttpServer, local: Server) {
    this.#service = service;
    this.#local = local;
  }

  /** @param upgrade takes the request for a WebSocket */
  static async start(
    upgrade: (raw: Duplex, accept: (serve: Serve) => void) => void,
    pingMs?: number,
    handshakeMs?: number,
  ): Promise<Relayed> {
    const handshake = new WebSocketServer({ noServer: true, perMessageDeflate: false });
    const service = createHttpServer().on('upgrade', (request, raw, head) => {
      relayed.#sockets.add(raw.on('error', () => undefined));
      upgrade(raw, (serve) => {
        handshake.handleUpgrade(request, raw, head, (socket) =>
          serve(
            socket.on('error', () => undefined),
            raw,
          ),
        );
      });
    });
    const local = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
      const { port } = service.address() as AddressInfo;
      const report = (reason: string): void => void relayed.reports.push(reason);
      const times = { ...(pingMs && { pingMs }), ...(handshakeMs && { handshakeMs }) };
      const url = `ws://127.0.0.1:${port}`;
      new PortRelay(socket, { webSocketUrl: url, headers: {}, report, ...times });
    });
    const relayed = new Relayed(service, local);
    await Promise.all([service, local].map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
    return relayed;
  }

  static async serving(serve: Serve, pingMs?: number): Promise<Relayed> {
    return await Relayed.start((_raw, accept) => accept(serve), pingMs);
  }

  connect(): Socket {
    return connect({ port: (this.#local.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  }

  get open(): number {
    return [...this.#sockets].filter(({ destroyed }) => !destroyed).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    for (const server of [this.#service, this.#local]) await once(server.close(), 'close');
  }
}

/** How the local connection ends: its bytes, and the code of the error if it is reset. */
async function outcome(
  socket: Socket,
  { endsToo = false } = {},
): Promise<{ readonly text: string; readonly code: unknown }> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => endsToo && socket.end());
  let code: unknown;
  socket.on('error', (error: NodeJS.ErrnoException) => {
    code = error.code;
  });
  await once(socket, 'close').catch(() => once(socket, 'close'));
  return { text: Buffer.concat(chunks).toString(), code };
}

test.each<[string, Serve, RegExp]>([
  ['sends other text', (socket) => socket.send('{"type":"later"}'), /not of the connection/],
  ['sends no frames', (_socket, raw) => void raw.write('SSH-2.0-OpenSSH_9.2\r\n'), /Invalid WebSocket frame|RSV/],
  // A binary frame of 2^31 bytes (RFC 6455, 5.2).
  ['names 2^31', (_socket, raw) => void raw.write(Buffer.from('827f0000000080000000', 'hex')), /Max payload size/],
  ['stops in a frame', (_socket, raw) => void raw.end(Buffer.from('827f00', 'hex')), /closed the connection: 1006/],
  ['closes with a reason', (socket) => socket.close(1001, 'the service is stopping'), /1001 the service is stopping/],
])('[cli.forward-hostile] a service that %s resets the local connection', async (_what, serve, reason) => {
  await using relayed = await Relayed.serving(serve);
  const socket = relayed.connect();
  // Both sides are silent until then.
  expect((await outcome(socket)).code).toBe('ECONNRESET');
  expect(relayed.reports).toEqual([expect.stringMatching(reason)]);
});

test.each<[string, Buffer | string]>([
  ['sends after the end', Buffer.from('a')],
  ['ends twice', EOF],
])('[cli.forward-hostile] a service that %s is left', async (_what, second) => {
  await using relayed = await Relayed.serving((socket) => {
    for (const message of [EOF, second]) socket.send(message);
  });
  const socket = relayed.connect();
  await once(socket.resume(), 'end');
  await expect.poll(() => relayed.reports).toEqual(['the service sent what is not of the connection']);
  await expect.poll(() => relayed.open).toBe(0);
  socket.destroy();
});

test('[cli.forward-hostile] a service that answers no ping resets the local connection', async () => {
  await using relayed = await Relayed.serving((_socket, raw) => void raw.removeAllListeners('data').resume(), 50);
  expect((await outcome(relayed.connect())).code).toBe('ECONNRESET');
  expect(relayed.reports).toEqual(['the service answers no more']);
});

test.each<[string, (raw: Duplex) => void, RegExp]>([
  ['never answers the handshake', (raw) => raw.on('end', () => raw.destroy()).resume(), /handshake has timed out/],
  [
    'refuses',
    (raw) => raw.end(refusal('{"message":"64 connections are open","hint":"close one"}')),
    /^64 .*: close one$/,
  ],
  ['refuses with an answer without end', (raw) => endless(raw), /status 429/],
  ['is no HTTP', (raw) => raw.end('SSH-2.0-OpenSSH_9.2\r\n'), /Parse Error/],
])('[cli.forward-hostile] a service that %s resets the local connection', async (what, upgrade, reason) => {
  await using relayed = await Relayed.start(upgrade, undefined, what.includes('never') ? 300 : undefined);
  expect((await outcome(relayed.connect())).code).toBe('ECONNRESET');
  expect(relayed.reports).toEqual([expect.stringMatching(reason)]);
  await expect.poll(() => relayed.open).toBe(0);
});

function refusal(body: string): string {
  return `HTTP/1.1 429 Too Many Requests\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
}

function endless(raw: Duplex): void {
  raw.write('HTTP/1.1 429 Too Many Requests\r\nContent-Length: 1000000000000\r\n\r\n');
  const piece = Buffer.alloc(1024 ** 2, 'a');
  const more = (): void => {
    while (!raw.destroyed && raw.write(piece));
  };
  raw.on('drain', more);
  more();
}

test('[cli.forward-hostile] a cut in the middle is a reset, and an end an end', async () => {
  await using relayed = await Relayed.serving((socket) => {
    socket.on('message', (data) => {
      socket.send(Buffer.from('half'), () => {
        if (String(data) === 'cut') socket.terminate();
        else if (String(data) === 'reset') socket.close(1000);
        else socket.send(EOF, () => socket.close(1000));
      });
    });
  });
  const outcomes: unknown[] = [];
  for (const word of ['cut', 'reset', 'end']) {
    const socket = relayed.connect();
    socket.write(word);
    outcomes.push(await outcome(socket, { endsToo: true }));
  }
  expect(outcomes).toEqual([
    { text: 'half', code: 'ECONNRESET' },
    { text: 'half', code: 'ECONNRESET' },
    { text: 'half', code: undefined },
  ]);
  // A program that resets its connection is no fault of the service.
  expect(relayed.reports).toEqual([expect.stringContaining('1006')]);
});

test('[cli.forward-hostile] a local program that reads nothing stops the service, and loses nothing', async () => {
  const piece = Buffer.alloc(64 * 1024);
  const total = 64 * 1024 ** 2;
  let sent = 0;
  let isStopped = false;
  let isDone = false;
  await using relayed = await Relayed.serving((socket, raw) => {
    const more = (): void => {
      while (sent < total) {
        sent += piece.length;
        socket.send(piece);
        isStopped = socket.bufferedAmount > 1024 ** 2;
        if (isStopped) return;
      }
      if (!isDone) socket.send(EOF, () => socket.close(1000));
      isDone = true;
    };
    raw.on('drain', more);
    more();
  });
  const socket = relayed.connect();
  await expect.poll(() => isStopped).toBe(true);
  expect(sent).toBeLessThan(total);
  const { text, code } = await outcome(socket, { endsToo: true });
  expect([text.length, code, relayed.reports]).toEqual([total, undefined, []]);
});
