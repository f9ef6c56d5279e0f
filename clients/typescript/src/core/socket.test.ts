import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { Sandbox, type SandboxError } from '../index.ts';

/** A terminal of `GET /v2/pty/sessions/{id}`. */
const TERMINAL = {
  ...{
    session_id: 't',
    working_dir: '/',
    cols: 80,
    rows: 24,
    pid: 1,
    status: 'idle',
    created_at: '',
    last_used_at: '',
  },
  ...{ attached: 1, exit_code: null, signal: null, oom_killed: null, oom_process: null, offset: 0, first_offset: 0 },
  current_command: null,
};

/** Answers requests well, and does with each WebSocket what it is told to. */
class HostileSockets implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets: WebSocketServer;
  opened = 0;
  closed = 0;

  private constructor(server: Server, sockets: WebSocketServer) {
    this.#server = server;
    this.#sockets = sockets;
  }

  static async start(serve: ((socket: WebSocket) => void) | undefined): Promise<HostileSockets> {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ success: true, data: TERMINAL }));
    });
    const sockets = new WebSocketServer({ noServer: true });
    const all = new HostileSockets(server, sockets);
    server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => undefined);
      // Without something to serve, the handshake is never answered.
      if (!serve) return void socket.on('end', () => socket.destroy()).resume();
      sockets.handleUpgrade(request, socket, head, (accepted) => {
        all.opened++;
        accepted.on('error', () => undefined).on('close', () => all.closed++);
        serve(accepted);
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return all;
  }

  /** The output of a terminal of the server. @param patience seconds, beyond what a busy machine needs */
  output(patience = 60): ReturnType<Awaited<ReturnType<Sandbox['terminal']>>['output']> {
    const { port } = this.#server.address() as AddressInfo;
    const sandbox = Sandbox.at({ url: `http://127.0.0.1:${port}`, retryFor: patience, answerWithin: patience });
    return this.#outputOf(sandbox);
  }

  async *#outputOf(sandbox: Sandbox): ReturnType<HostileSockets['output']> {
    yield* (await sandbox.terminal({ id: 't' })).output({ since: 0 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

async function failure(output: AsyncIterable<unknown>): Promise<SandboxError> {
  try {
    for await (const _ of output);
  } catch (error) {
    return error as SandboxError;
  }
  throw new Error('it has ended');
}

test.each([
  'SSH-2.0-OpenSSH_9.2',
  'null',
  '[]',
  '7',
  '{}',
  '{"type":5}',
  '{"type":"ready"}',
  '{"type":"ready","offset":"0"}',
  '{"type":"relay_resumed","offset":1e400}',
  '{"type":"exit","exit_code":"0"}',
  '{"type":"error"}',
])('[client.hostile-socket] the message %s ends the output with an error', async (message) => {
  await using server = await HostileSockets.start((socket) => socket.send(message));
  const error = await failure(server.output());
  expect(error).toMatchObject({ name: 'SandboxError', message: expect.stringMatching(/^the answer is not that of/) });
  await expect.poll(() => server.closed).toBe(1);
});

test.each<[string, ((socket: WebSocket) => void) | undefined]>([
  ['never answers the handshake', undefined],
  ['closes each connection', (socket) => socket.close(1011, 'no')],
  ['resets each connection', (socket) => socket.terminate()],
  ['sends what is no frame', (socket) => void (socket as unknown as Raw)._socket.write('HTTP/1.1 200 OK\r\n\r\n')],
  ['says that it failed', (socket) => socket.send('{"type":"error","data":"no"}')],
])('[client.hostile-socket] a server that %s is given up', async (_what, serve) => {
  await using server = await HostileSockets.start(serve);
  expect(await failure(server.output(0.3))).toMatchObject({ name: 'ConnectionLost' });
  await expect.poll(() => server.closed).toBe(server.opened);
});

interface Raw {
  readonly _socket: { readonly write: (text: string) => void };
}

test.each([
  ['large', 1024 ** 2],
  ['small', 1],
])('[client.hostile-socket] %s messages beyond those that were asked for end the connection', async (_what, size) => {
  let sent = 0;
  await using server = await HostileSockets.start((socket) => {
    const piece = Buffer.alloc(size, 'a');
    const more = (): void => {
      for (let count = 0; count < 1000 && socket.readyState === socket.OPEN; count++) {
        socket.send(piece);
        sent += size + 100;
        if (socket.bufferedAmount > 8 * 1024 ** 2) break;
      }
      if (socket.readyState === socket.OPEN) setImmediate(more);
    };
    more();
  });
  const output = server.output();
  expect(await output.next()).toMatchObject({ value: { type: 'output', offset: 0 } });
  // Nothing is read until the client has ended the connection by itself.
  await expect.poll(() => server.closed, { timeout: 60_000 }).toBe(1);
  expect((await failure(output)).message).toBe(
    'the answer is not that of a sandbox: it sends more than it was asked for',
  );
  expect(sent).toBeGreaterThan(32 * 1024 ** 2);
});
