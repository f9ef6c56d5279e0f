import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import { endGently } from '@sandbox/program/close-when-read.ts';
import { isHealthCheck } from '@sandbox/program/health-paths.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import { type ProtocolDoor, SANDBOXD_PREFIX } from '@sandbox/program/protocol-doors.ts';
import { requestIdOf } from '@sandbox/program/request-id.ts';
import { OpenConnections } from '@sandbox/program/server/open-connections.ts';
import type { Tracing } from '@sandbox/program/tracing/span.ts';
import { type PreviewTarget, previewByName } from './apps/preview-port.ts';
import { authorize } from './auth.ts';
import type { GatewayConfig } from './config.ts';
import { logAccess } from './exchange/access-log.ts';
import { type Admission, OWN_FRAMES } from './exchange/admission.ts';
import { type Exchange, isUpgrade, type UpgradeExchange } from './exchange/exchange.ts';
import { type Peer, peerOf } from './exchange/peer.ts';
import { sendError } from './exchange/responses.ts';
import { parseTarget } from './exchange/target.ts';
import { traceExchange } from './exchange/trace-exchange.ts';
import { postedForm, signIn } from './key-form/sign-in.ts';
import { enter } from './protocols/doors.ts';
import { GrpcListener } from './protocols/grpc/grpc-listener.ts';
import { relay } from './relay/relay.ts';
import { isProtocolChange, relayUpgrade } from './relay/upgrade.ts';
import { routeOf } from './routes.ts';
import { Services } from './services.ts';

/** Time for a client to send a request head, in milliseconds. */
const HEAD_TIMEOUT_MS = 20_000;
/** Keep-alive timeout of a client connection, in milliseconds. */
const IDLE_TIMEOUT_MS = 65_000;
/** High-water mark of a response to a client, in bytes. */
const WRITE_BYTES = 256 * 1024;
/** Open connections of clients. */
const MAX_CONNECTIONS = 4_096;

const UNGATED: Admission = { cookies: [], credentials: new Set(), frameRule: OWN_FRAMES };

interface ProtocolListener {
  readonly port: number;
  readonly server: NetServer;
}

interface GatewayContext {
  readonly logger: Logger;
  readonly version: string;
  /** Undefined if no collector is set; the gateway disposes of it. */
  readonly tracing?: Tracing | undefined;
}

/** Creates a gateway that does not listen yet. */
export function buildGateway(config: GatewayConfig, context: GatewayContext): Gateway {
  return new Gateway(config, context);
}

export class Gateway implements AsyncDisposable {
  readonly #config: GatewayConfig;
  readonly #logger: Logger;
  readonly #tracing: Tracing | undefined;
  readonly #services: Services;
  readonly #connections: OpenConnections;
  readonly #peers = new WeakMap<Socket, Peer>();
  readonly #server: Server;
  readonly #listeners: readonly ProtocolListener[];
  readonly #grpc: GrpcListener | undefined;
  readonly #doors = new WeakMap<Socket, ProtocolDoor>();

  constructor(config: GatewayConfig, { logger, version, tracing }: GatewayContext) {
    this.#config = config;
    this.#logger = logger;
    this.#tracing = tracing;
    this.#services = new Services(config, version, () => this.#publicPort());
    const { strangers } = config;
    const limits = { ceiling: MAX_CONNECTIONS, strangers, isReserved: isHealthCheck };
    this.#connections = new OpenConnections(limits, logger);
    this.#server = this.#makeServer();
    this.#services.metrics.watch(this.#server, this.#connections);
    const { isTrusted, grpcPort } = config;
    const { upstream } = this.#services;
    const terms = { prefix: SANDBOXD_PREFIX, upstream, connections: this.#connections, isTrusted };
    this.#grpc = grpcPort === undefined ? undefined : new GrpcListener(terms);
    this.#listeners = [
      ...config.doors.map(({ port, door }) => ({ port, server: this.#makeServer(door) })),
      ...(this.#grpc && grpcPort !== undefined ? [{ port: grpcPort, server: this.#grpc.server }] : []),
    ];
  }

  /** @param door of the requests on its connections */
  #makeServer(door?: ProtocolDoor): Server {
    const server = createServer({
      headersTimeout: HEAD_TIMEOUT_MS,
      requestTimeout: 0,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      highWaterMark: WRITE_BYTES,
      requireHostHeader: false,
      optimizeEmptyRequests: true,
      shouldUpgradeCallback: (req) => isProtocolChange(req) && !this.#connections.isBusy(req.socket),
    });
    this.#connections.watch(server);
    const onRequest = (req: IncomingMessage, res: ServerResponse): void =>
      this.#connections.take(req, res, () => this.#onRequest(req, res));
    return server
      .on('connection', (socket: Socket) => {
        this.#peers.set(socket, peerOf(socket, this.#config.isTrusted));
        if (door) this.#doors.set(socket, door);
      })
      .on('request', onRequest)
      .on('checkContinue', onRequest)
      .on('checkExpectation', (req, res) => this.#connections.take(req, res, () => this.#onExpectation(req, res)))
      .on('upgrade', (req, socket, head) => this.#takeUpgrade(req, socket as Socket, head));
  }

  /**
   * Listens on the public port, and on those of protocols.
   * @throws the operating system's error if an address cannot be bound
   */
  async listen(): Promise<{ readonly host: string; readonly port: number }> {
    const { gatewayHost: host, gatewayPort: port } = this.#config;
    await listenOn(this.#server, host, port);
    for (const listener of this.#listeners) await listenOn(listener.server, host, listener.port);
    return { host, port: this.#publicPort() };
  }

  /** Stops accepting connections, waits up to `graceMs` milliseconds for open requests, then closes them. */
  async close({ graceMs = 1_000 } = {}): Promise<void> {
    const servers = [this.#server, ...this.#listeners.map(({ server }) => server)];
    const closed = Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
    const grace = setTimeout(() => this.#connections.destroyAll(), graceMs);
    this.#connections.destroyIdle();
    this.#grpc?.close();
    await Promise.all([closed, this.#connections.allClosed()]);
    clearTimeout(grace);
    await this.#services[Symbol.asyncDispose]();
    await this.#tracing?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close({ graceMs: 0 });
  }

  #onRequest(req: IncomingMessage, res: ServerResponse): void {
    const exchange = this.#exchange(req, res);
    if (exchange) this.#serve(exchange);
  }

  #takeUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): void {
    socket.on('error', ignore);
    this.#connections.guard(socket, () => {
      const res = this.#responseOn(req, socket);
      this.#connections.takeUpgrade(req, res, () => this.#onUpgrade(req, res, head));
    });
  }

  #onUpgrade(req: IncomingMessage, res: ServerResponse, head: Buffer): void {
    this.#services.metrics.countUpgrade();
    const exchange = this.#exchange(req, res, { upgrade: true });
    const upgrade = { protocol: req.headers.upgrade ?? '', socket: req.socket, head };
    if (exchange) this.#serve({ ...exchange, ...upgrade } as UpgradeExchange);
  }

  #onExpectation(req: IncomingMessage, res: ServerResponse): void {
    const exchange = this.#exchange(req, res);
    if (exchange)
      sendError(exchange, 417, {
        message: 'only Expect: 100-continue is supported',
        hint: 'leave the header Expect out',
      });
  }

  /** Creates a response on a connection that the HTTP server has detached; the connection closes after the response. */
  #responseOn(req: IncomingMessage, socket: Socket): ServerResponse {
    const res = new ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(socket);
    res.on('finish', () => {
      res.detachSocket(socket);
      endGently(socket);
    });
    return res;
  }

  /** @returns undefined if the response has been sent */
  #exchange(req: IncomingMessage, res: ServerResponse, { upgrade = false } = {}): Exchange | undefined {
    const peer = this.#peers.get(req.socket);
    if (!peer) return undefined;
    const requestId = requestIdOf(req.headers['x-request-id']);
    const { accessLog } = this.#config;
    const target = parseTarget(req.url ?? '', req.headers.host);
    const access = logAccess(this.#logger, { accessLog, req, res, requestId, path: target?.path ?? '-', upgrade });
    if (!target) {
      sendError({ req, res, requestId }, 400, {
        message: 'invalid request target',
        hint: 'send a path that begins with /',
      });
    } else if (!hasOneHost(req)) {
      sendError({ req, res, requestId }, 400, {
        message: 'the request must have exactly one Host header',
        hint: 'send one Host header',
      });
    } else {
      const fail = (error: unknown): void => this.#fail({ req, res, requestId }, error);
      const traceparent = this.#tracing && traceExchange(this.#tracing, { req, res, requestId, path: target.path });
      const upstreamFailed = (): void => this.#services.metrics.countUpstreamFailure();
      const admitted = (): void => this.#connections.admit(req.socket);
      return { req, res, target, requestId, peer, access, traceparent, fail, upstreamFailed, admitted };
    }
    return undefined;
  }

  #serve(exchange: Exchange): void {
    const form = postedForm(exchange);
    if (form) {
      const authTarget = this.#previewByName(form)?.authTarget ?? form.target.raw;
      signIn(form, this.#services.upstream, authTarget).catch(exchange.fail);
      return;
    }
    const entered = enter(exchange, this.#doors.get(exchange.req.socket));
    if (entered?.exchange) {
      this.#toDaemon(entered.exchange);
      return;
    }
    const preview = entered?.preview ?? this.#previewByName(exchange);
    const route = preview ? undefined : routeOf(exchange);
    if (!preview && !route) {
      this.#toDaemon(exchange);
      return;
    }
    const handled = preview ? this.#handlePreview(exchange, preview) : this.#handleRoute(exchange, route);
    handled.catch(exchange.fail);
  }

  #toDaemon(exchange: Exchange): void {
    exchange.access.byDaemon = true;
    if (isUpgrade(exchange)) relayUpgrade(exchange, this.#services.upstream.proxyTarget(exchange));
    else relay(exchange, this.#services.upstream);
  }

  /** Ends one exchange after an unexpected exception: by an answer, or by its connection if one has begun. */
  #fail(exchange: Pick<Exchange, 'req' | 'res' | 'requestId'>, error: unknown): void {
    this.#logger.error({ err: error, request_id: exchange.requestId }, 'request handler failed');
    if (exchange.res.headersSent) exchange.req.socket.destroy();
    else
      sendError(exchange, 500, {
        message: 'internal error of the gateway',
        hint: 'the log of the gateway has the details under the request id',
      });
  }

  /** A host with the gateway's own port names the gateway itself: a platform's proxy may assign such a host to it. */
  #previewByName(exchange: Exchange): PreviewTarget | undefined {
    const preview = previewByName(exchange);
    return preview?.form === 'host' && preview.port === this.#publicPort() ? undefined : preview;
  }

  async #handlePreview(exchange: Exchange, preview: PreviewTarget): Promise<void> {
    const { upstream, previews } = this.#services;
    const admission = await authorize(exchange, upstream, preview.authTarget);
    if (admission) previews.handle(exchange, preview, admission);
  }

  async #handleRoute(exchange: Exchange, route: ReturnType<typeof routeOf>): Promise<void> {
    const admission = route?.gated === false ? UNGATED : await authorize(exchange, this.#services.upstream);
    if (admission) await route?.handler(exchange, this.#services, admission);
  }

  #publicPort(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? this.#config.gatewayPort;
  }
}

function listenOn(server: NetServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}
