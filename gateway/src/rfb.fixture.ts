import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server on a unix socket in the place of an RFB one: its connections can be looked at, stopped and cut. */
export class RfbServer implements AsyncDisposable {
  readonly server: Server;
  readonly sockets = new Set<Socket>();
  readonly #directory: TempDir;
  /** Connections so far, closed ones included. */
  connections = 0;

  private constructor(directory: string, greet: (socket: Socket) => void) {
    this.directory = directory;
    this.server = createServer((socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on('error', () => {}).on('close', () => this.sockets.delete(socket));
      socket.resume();
      greet(socket);
    });
  }

  static async start(greet: (socket: Socket) => void = () => {}): Promise<RfbServer> {
    const rfb = new RfbServer(await mkdtemp(join(tmpdir(), 'rfb-')), greet);
    await new Promise<void>((resolve) => rfb.server.listen(rfb.path, () => resolve()));
    return rfb;
  }

  get path(): string {
    return join(this.directory, 'vnc.sock');
  }

  /** The one connection there is, or the next that comes. */
  async connection(): Promise<Socket> {
    const [first] = this.sockets;
    return first ?? (await new Promise<Socket>((resolve) => this.server.once('connection', resolve)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
    await rm(this.directory, { recursive: true });
  }
}
