import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TempDir, tempDir } from '../../scripts/testing/temp-dir.ts';

/** A server on a unix socket that replaces an RFB server; tests inspect, pause and cut its connections. */
export class RfbServer implements AsyncDisposable {
  readonly server: Server;
  readonly sockets = new Set<Socket>();
  readonly #directory: TempDir;
  /** Connections so far, closed ones included. */
  connections = 0;

  private constructor(directory: TempDir, greet: (socket: Socket) => void) {
    this.#directory = directory;
    this.server = createServer((socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on('error', () => {}).on('close', () => this.sockets.delete(socket));
      socket.resume();
      greet(socket);
    });
  }

  static async start(greet: (socket: Socket) => void = () => {}): Promise<RfbServer> {
    const rfb = new RfbServer(await tempDir(), greet);
    await new Promise<void>((resolve) => rfb.server.listen(rfb.path, () => resolve()));
    return rfb;
  }

  get path(): string {
    return join(this.#directory.path, 'vnc.sock');
  }

  /** Resolves with the first open connection, or with the next one. */
  async connection(): Promise<Socket> {
    const [first] = this.sockets;
    return first ?? (await new Promise<Socket>((resolve) => this.server.once('connection', resolve)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
    await this.#directory[Symbol.asyncDispose]();
  }
}
