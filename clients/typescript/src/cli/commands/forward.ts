import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import { type Context, UsageError } from '../command-spec.ts';
import { portOf } from './service.ts';

/** The message after which a side sends no more bytes. */
const EOF = '{"type":"eof"}';

/** The service sends 64 KiB in a message. */
const SOCKET_OPTIONS = { perMessageDeflate: false, handshakeTimeout: 30_000, maxPayload: 1024 * 1024 };

/** Listens on 127.0.0.1 until Ctrl-C; each connection is one to the port in the sandbox. */
export async function forward({
  sandbox,
  args: [text = ''],
  print,
  terminal: { stderr },
}: Context): Promise<undefined> {
  const [remote = '', local = remote, ...rest] = text.split(':');
  if (rest.length > 0) throw new UsageError(`not PORT or PORT:LOCAL: ${text}`);
  const { webSocketUrl, headers } = sandbox.port(portOf(remote));
  const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (socket) => {
    relay(socket, new WebSocket(webSocketUrl, { headers, ...SOCKET_OPTIONS }), (reason) => {
      stderr.write(`sandbox: ${reason}\n`);
    });
  });
  const port = await listening(server, local === '0' ? 0 : portOf(local));
  print(`127.0.0.1:${port} is port ${remote} of the sandbox\n`, { local: port, remote: Number(remote) });
  await once(server, 'close');
}

async function listening(server: Server, port: number): Promise<number> {
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}

/** Passes bytes and the end of each direction on; a side that does not read stops the other. */
function relay(socket: Socket, remote: WebSocket, report: (reason: string) => void): void {
  socket.on('error', () => remote.terminate());
  socket.on('close', () => remote.close());
  remote.on('open', () => void send(socket, remote));
  remote.on('message', (data: Buffer, isBinary: boolean) => {
    if (!isBinary) {
      if (data.toString() === EOF) socket.end();
      return;
    }
    if (socket.write(data) || remote.isPaused) return;
    remote.pause();
    socket.once('drain', () => remote.resume());
  });
  remote.on('unexpected-response', (_request, response) => {
    report(`the service answered ${response.statusCode}: ${response.statusMessage ?? ''}`);
    response.resume();
    socket.resetAndDestroy();
  });
  remote.on('error', ({ message }) => {
    report(message);
    socket.resetAndDestroy();
  });
  remote.on('close', () => socket.destroySoon());
}

async function send(socket: Socket, remote: WebSocket): Promise<void> {
  try {
    for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      await new Promise<void>((resolve) => remote.send(chunk, { binary: true }, () => resolve()));
    }
    remote.send(EOF, { binary: false });
  } catch {
    // The local connection was cut; its close event ends the other side.
  }
}
