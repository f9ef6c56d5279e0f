import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createLogger, type LogLevel } from '@sandbox/program/logger.ts';
import { openTracing } from '@sandbox/program/tracing/tracing.ts';
import { freePort } from '../../scripts/testing/free-port.ts';
import { readConfig } from './config.ts';
import { buildGateway, type Gateway } from './gateway.ts';

/** An HTTP server that replaces the daemon or another upstream; tests inspect and cut its sockets. */
export class Daemon implements AsyncDisposable {
  readonly server: Server;
  readonly sockets = new Set<Socket>();
  readonly requests: IncomingMessage[] = [];
  /** Connections so far, closed ones included. */
  connections = 0;

  constructor(listener: RequestListener) {
    this.server = createServer((req, res) => {
      this.requests.push(req);
      listener(req, res);
    });
    this.server.on('connection', (socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Listens on a port that no other process takes while the server is stopped. */
  async listen(port?: number): Promise<this> {
    this.server.listen(port ?? (await freePort()), '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}

export function startDaemon(listener: RequestListener): Promise<Daemon> {
  return new Daemon(listener).listen();
}

interface GatewaySetup {
  readonly trustedProxies?: string;
  readonly logLevel?: LogLevel;
  readonly log?: string[];
  /** Environment variables of the gateway. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Addresses where nothing listens, independent of the programs on the test machine. */
const NO_UPSTREAMS = {
  BROWSER_REMOTE_DEBUGGING_PORT: '1',
  GATEWAY_VNC: '/nonexistent/vnc.sock',
  GATEWAY_NOVNC_DIR: '/nonexistent',
  GATEWAY_CODE_SERVER: '/nonexistent/code-server.sock',
  GATEWAY_JUPYTER: '/nonexistent/jupyter.sock',
};

export async function startGateway(
  daemonPort: number,
  { trustedProxies = 'loopback', logLevel = 'silent', log = [], env = {} }: GatewaySetup = {},
): Promise<AsyncDisposable & { readonly port: number; readonly origin: string; readonly close: Gateway['close'] }> {
  const config = readConfig([], {
    GATEWAY_PORT: String(await freePort()),
    SVC_PORT: String(daemonPort),
    SVC_TRUSTED_PROXIES: trustedProxies,
    LOG_LEVEL: logLevel,
    SVC_ACCESS_LOG: 'all',
    ...NO_UPSTREAMS,
    ...env,
  });
  const logger = createLogger('gateway', logLevel, [], { write: (line) => void log.push(line) });
  const version = '9.9.9';
  const tracing = await openTracing({ endpoint: config.otlpEndpoint, service: 'gateway', version });
  const gateway = buildGateway(config, { logger, version, tracing });
  const { port } = await gateway.listen();
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    close: (options) => gateway.close(options),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

/** The query parameters with the key `k` or the ticket `t`, as the daemon names them. */
export function queryCredentials(target: string): string[] {
  const parameters = target.split('?')[1]?.split('&') ?? [];
  return parameters.flatMap((text, i) => (text === 'api_key=k' || text === 'ticket=t' ? [`?${i}`] : []));
}

/** A daemon that admits the key `k` in a header, the query or a cookie; `rest` handles all other requests. */
export function startAuthDaemon(rest: RequestListener = (_req, res) => void res.end()): Promise<Daemon> {
  return startDaemon((req, res) => {
    if (req.url !== '/internal/auth') return rest(req, res);
    const credentials = [
      ...(req.headers['x-api-key'] === 'k' ? ['x-api-key'] : []),
      ...(req.headers.authorization === 'Bearer k' ? ['authorization'] : []),
      ...queryCredentials(String(req.headers['x-original-uri'])),
    ];
    const admitted = credentials.length > 0 || req.headers.cookie?.includes('svc_session=k');
    res.writeHead(admitted ? 204 : 401, { 'X-Credentials': credentials.join(', ') }).end();
  });
}

/** A TCP connection that sends and records raw bytes, as latin1 text. */
export class Wire implements Disposable {
  readonly socket: Socket;
  #text = '';
  #ended = false;
  #wake: () => void = () => {};

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.socket.setEncoding('latin1');
    this.socket.on('data', (chunk: string) => {
      this.#text += chunk;
      this.#wake();
    });
    const end = (): void => {
      this.#ended = true;
      this.#wake();
    };
    this.socket.on('end', end).on('close', end);
    this.socket.on('error', end);
  }

  get text(): string {
    return this.#text;
  }

  send(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  /** Resolves with all text so far when it contains the part. @throws if the connection ends first */
  async until(part: string | RegExp): Promise<string> {
    for (;;) {
      if (typeof part === 'string' ? this.#text.includes(part) : part.test(this.#text)) return this.#text;
      if (this.#ended) throw new Error(`the connection ended without ${String(part)}:\n${this.#text}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Resolves with all text at the end of the connection. */
  async all(): Promise<string> {
    while (!this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#text;
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }
}

/** Sends one request with `Connection: close`; resolves with the complete response. */
export async function exchange(port: number, head: string, body = ''): Promise<string> {
  using wire = new Wire(port);
  return await wire.send(`${head.replaceAll('\n', '\r\n')}\r\nConnection: close\r\n\r\n${body}`).all();
}
