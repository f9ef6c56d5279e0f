import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy that cuts its connections. */
export class CuttingProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  /** Bytes from the service after which a connection is cut, from now on or from its begin. */
  cutAfter: number | undefined;
  cuts = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(port: number): Promise<CuttingProxy> {
    const server = createServer({ pauseOnConnect: false });
    const proxy = new CuttingProxy(server);
    server.on('connection', (client) => proxy.#relay(client, port));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** Cuts all connections at once, by a reset. */
  cut(): void {
    for (const [client, upstream] of this.#pairs) {
      this.cuts++;
      client.resetAndDestroy();
      upstream.resetAndDestroy();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  #relay(client: Socket, port: number): void {
    const upstream = connect(port, '127.0.0.1');
    const pair = [client, upstream] as const;
    this.#pairs.add(pair);
    for (const [socket, other] of [pair, [upstream, client]] as const) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#pairs.delete(pair);
        other.destroy();
      });
    }
    client.pipe(upstream);
    this.#pass(upstream, client);
  }

  /** Passes bytes of the service on: those before a cut, and all that came in one piece with the last of them. */
  #pass(upstream: Socket, client: Socket): void {
    let left = this.cutAfter;
    upstream.on('end', () => client.end());
    client.on('drain', () => upstream.resume());
    upstream.on('data', (chunk: Buffer) => {
      left ??= this.cutAfter;
      if (left !== 0 && !client.write(chunk)) upstream.pause();
      if (left === undefined) return;
      left = Math.max(0, left - chunk.length);
      if (left > 0) return;
      this.cuts++;
      upstream.destroy();
    });
  }
}
