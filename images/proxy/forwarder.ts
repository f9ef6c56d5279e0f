import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Upstream } from './upstream.ts';

const CONNECTIONS_MAX = 1024;
const NOT_HTTP = 'the proxy answered what HTTP does not allow';
/** `host:port` of CONNECT (RFC 9110 §9.3.6). */
const AUTHORITY = /^(?:[a-z0-9._-]+|\[[0-9a-f:]+\]):\d{1,5}$/i;
/** Headers of one connection alone (RFC 9110 §7.6.1). */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'upgrade'];
/** Marks a 502 of the forwarder (RFC 9209 §2), which is no answer of the site. No site can send it through here. */
const PROXY_STATUS = 'proxy-status';
const PROXY_FAILED = 'sandbox-forwarder; error=destination_unavailable';

/** An HTTP proxy on loopback that passes everything to another proxy with the credentials that Chromium cannot send. */
export class Forwarder implements AsyncDisposable {
  readonly #upstream: Upstream;
  readonly #server: Server;
  readonly #tunnels = new Set<Duplex>();

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
    this.#server = createServer({ requestTimeout: 0 })
      .on('request', (request, response) => this.#forward(request, response))
      .on('connect', (request, client, head) => void this.#tunnel(request.url ?? '', client, head));
    this.#server.maxConnections = CONNECTIONS_MAX;
  }

  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: '127.0.0.1', port }, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    for (const tunnel of this.#tunnels) tunnel.destroy();
    await closed;
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    const url = URL.parse(request.url ?? '');
    if (url?.protocol !== 'http:') {
      refuse(response, 400, 'this is a proxy: the request needs an absolute address');
      return;
    }
    const outgoing = this.#upstream.request({
      method: request.method ?? 'GET',
      url,
      headers: endToEnd(request.headers),
    });
    outgoing.on('error', (error) => refuse(response, 502, error.message));
    outgoing.on('response', (answer) => {
      answer.on('error', () => response.destroy());
      try {
        response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
        answer.pipe(response);
      } catch {
        outgoing.destroy();
        refuse(response, 502, NOT_HTTP);
      }
    });
    outgoing.on('upgrade', (_answer, socket) => {
      socket.destroy();
      refuse(response, 502, NOT_HTTP);
    });
    response.on('close', () => outgoing.destroy());
    request.pipe(outgoing);
  }

  async #tunnel(authority: string, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy());
    if (!AUTHORITY.test(authority)) return void client.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    try {
      const { socket, head: first } = await this.#upstream.tunnel(authority);
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.write(first);
      socket.write(head);
      this.#join(client, socket);
    } catch {
      client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    }
  }

  #join(client: Duplex, upstream: Duplex): void {
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#tunnels.add(from);
      from.on('error', () => from.destroy());
      from.on('close', () => {
        this.#tunnels.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}

function endToEnd(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => name !== PROXY_STATUS && !HOP_BY_HOP.includes(name)),
  );
}

function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) response.destroy();
  else {
    const mark = status === 502 ? { [PROXY_STATUS]: PROXY_FAILED } : {};
    response.writeHead(status, { 'content-type': 'text/plain', ...mark }).end(`${message}\n`);
  }
}
