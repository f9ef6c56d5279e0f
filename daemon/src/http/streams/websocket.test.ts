import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { TestApp } from '../../app.fixture.ts';
import { WebSocketPort } from './websocket-port.ts';

/** A client and the server's end of its connection. */
class Connection implements AsyncDisposable {
  readonly client: WebSocket;
  readonly port: WebSocketPort;
  /** Pings that the client has received. */
  pings = 0;
  readonly #server: AsyncDisposable;

  private constructor(client: WebSocket, port: WebSocketPort, server: AsyncDisposable) {
    this.client = client;
    this.port = port;
    this.#server = server;
    client.on('ping', () => {
      this.pings += 1;
    });
  }

  static async open(pingMs: number, autoPong: boolean, fail: (error: unknown) => void = () => {}): Promise<Connection> {
    const handshake = new WebSocketServer({ noServer: true });
    const server = createServer();
    const port = new Promise<WebSocketPort>((resolve) => {
      server.on('upgrade', (request, socket, head) => {
        handshake.handleUpgrade(request, socket, head, (connection) =>
          resolve(new WebSocketPort(connection, socket as Socket, { pingMs, fail })),
        );
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { autoPong });
    return new Connection(client, await port, server);
  }

  /** Resolves when the client has received `count` pings; rejects if the connection closes first. */
  async pinged(count: number): Promise<void> {
    while (this.pings < count) await once(this.client, 'ping', { signal: this.port.gone });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.terminate();
    await this.#server[Symbol.asyncDispose]();
  }
}

test.concurrent('[websocket.ping] a client that sends pongs is pinged repeatedly', async () => {
  await using connection = await Connection.open(20, true);
  await connection.pinged(5);
  expect(connection.port.gone.aborted).toBe(false);
});

test.concurrent('[websocket.ping] two missed pongs close the connection when the third ping is due', async ({
  expect,
}) => {
  const startedAt = performance.now();
  await using connection = await Connection.open(100, false);
  const [code] = await once(connection.client, 'close');
  // A timer may fire a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThan(3 * 99);
  expect([code, connection.pings]).toEqual([1006, 2]);
  await expect.poll(() => connection.port.gone.aborted).toBe(true);
});

test.concurrent('[websocket.ping] one missed pong does not close the connection', async () => {
  await using connection = await Connection.open(1000, false);
  for (const count of [2, 4]) {
    await connection.pinged(count);
    connection.client.pong();
  }
  await connection.pinged(5);
  expect(connection.port.gone.aborted).toBe(false);
});

test.concurrent('[websocket.ping] the first ping is sent 20 s after the handshake', async () => {
  await using daemon = await TestApp.start();
  const base = await daemon.listen();
  const startedAt = performance.now();
  const client = new WebSocket(`${base.replace('http', 'ws')}/v2/pty/ws`);
  const pinged = once(client, 'ping').then(() => performance.now());
  await once(client, 'open');
  const opened = performance.now();
  expect((await pinged) - startedAt).toBeGreaterThan(19_990);
  expect((await pinged) - opened).toBeLessThan(22_000);
  client.terminate();
});

test.concurrent('[connection.boundary] an exception in the handler of a message closes its WebSocket with 1011', async ({
  expect,
}) => {
  const failures: unknown[] = [];
  await using connection = await Connection.open(1000, true, (error) => failures.push(error));
  connection.port.onMessage(() => {
    throw new TypeError('unexpected');
  });
  const closed = once(connection.client, 'close');
  await once(connection.client, 'open');
  connection.client.send('text');
  expect((await closed)[0]).toBe(1011);
  expect(failures).toEqual([new TypeError('unexpected')]);
});
