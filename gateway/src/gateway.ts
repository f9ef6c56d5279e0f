import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { endGently } from '@sandbox/program/close-when-read.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import { requestIdOf } from '@sandbox/program/request-id.ts';
import { type PreviewTarget, previewByName } from './apps/preview-port.ts';
import { type Admission, passGate } from './auth.ts';
import type { GatewayConfig } from './config.ts';
import { Connections } from './connections.ts';
import { logAccess } from './exchange/access-log.ts';
import { answerRefusal } from './exchange/answers.ts';
import { type Exchange, isUpgrade, type UpgradeExchange } from './exchange/exchange.ts';
import { parseTarget } from './exchange/target.ts';
import { relay } from './relay/relay.ts';
import { isProtocolChange, relayUpgrade } from './relay/upgrade.ts';
import { routeOf } from './routes.ts';
import { Services } from './services.ts';

/** How long a client may take to send the head of a request, in milliseconds. */
const HEAD_TIMEOUT_MS = 20_000;
/** How long a connection waits for its next request, in milliseconds. */
const IDLE_TIMEOUT_MS = 65_000;
/** How much of an answer may wait for a client, in bytes. */
const WRITE_BYTES = 256 * 1024;

const UNJUDGED: Admission = { cookies: [], credentials: new Set() };

interface GatewayContext {
  readonly logger: Logger;
  readonly version: string;
}

/** A gateway that listens on nothing yet. */
export function buildGateway(config: GatewayConfig, context: GatewayContext): Gateway {
  return new Gateway(config, context);
}

export class Gateway implements AsyncDisposable {
  readonly #config: GatewayConfig;
  readonly #logger: Logger;
  readonly #services: Services;
  readonly #connections: Connections;
  readonly #server: Server;

  constructor(config: GatewayConfig, { logger, version }: GatewayContext) {
    this.#config = config;
    this.#logger = logger;
    this.#services = new Services(config, version, () => this.#publicPort());
    this.#connections = new Connections(config.isTrusted);
    this.#server = createServer({
      headersTimeout: HEAD_TIMEOUT_MS,
      requestTimeout: 0,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      highWaterMark: WRITE_BYTES,
      requireHostHeader: false,
      optimizeEmptyRequests: true,
      shouldUpgradeCallback: (req) => isProtocolChange(req) && !this.#connections.isBusy(req.socket),
    })
      .on('connection', (socket: Socket) => this.#connections.add(socket))
      .on('request', (req, res) => this.#onRequest(req, res))
      .on('checkContinue', (req, res) => this.#onRequest(req, res))
      .on('checkExpectation', (req, res) => this.#onExpectation(req, res))
      .on('upgrade', (req, socket, head) => this.#onUpgrade(req, socket as Socket, head))
      .on('connect', (req, socket) => this.#onConnect(req, socket as Socket))
      .on('clientError', (error, socket) => this.#connections.refuse(error, socket as Socket));
  }

  /** @throws the operating system's error where the address cannot be had. */
  listen(): Promise<{ readonly host: string; readonly port: number }> {
    const { gatewayHost: host, gatewayPort: port } = this.#config;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', reject);
        resolve({ host, port: this.#publicPort() });
      });
    });
  }

  /** Stops accepting, gives what is under way the grace, then ends it. */
  async close({ graceMs = 1_000 } = {}): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const grace = setTimeout(() => this.#connections.destroyAll(), graceMs);
    this.#connections.destroyIdle();
    await Promise.all([closed, this.#connections.allClosed()]);
    clearTimeout(grace);
    await this.#services[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close({ graceMs: 0 });
  }

  #onRequest(req: IncomingMessage, res: ServerResponse): void {
    const exchange = this.#exchange(req, res);
    if (exchange) this.#serve(exchange);
  }

  #onUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): void {
    socket.on('error', () => {});
    const exchange = this.#exchange(req, this.#responseOn(req, socket), { upgrade: true });
    if (exchange) this.#serve({ ...exchange, protocol: req.headers.upgrade ?? '', socket, head } as UpgradeExchange);
  }

  #onConnect(req: IncomingMessage, socket: Socket): void {
    socket.on('error', () => {});
    const res = this.#responseOn(req, socket);
    const requestId = requestIdOf(req.headers['x-request-id']);
    answerRefusal({ req, res, requestId }, 405, {
      message: 'CONNECT is not served here',
      headers: { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' },
    });
  }

  #onExpectation(req: IncomingMessage, res: ServerResponse): void {
    const exchange = this.#exchange(req, res);
    if (exchange) answerRefusal(exchange, 417, { message: 'only Expect: 100-continue is understood' });
  }

  /** For answers on a connection that the server has given away; the connection ends with them. */
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

  /** @returns undefined where the request has been answered, or is one too many on its connection. */
  #exchange(req: IncomingMessage, res: ServerResponse, { upgrade = false } = {}): Exchange | undefined {
    const connection = this.#connections.begin(req.socket, res);
    if (!connection) return undefined;
    const requestId = requestIdOf(req.headers['x-request-id']);
    const target = parseTarget(req.url ?? '', req.headers.host);
    logAccess(this.#logger, { req, res, requestId, path: target?.path ?? '-', upgrade });
    if (!target) {
      answerRefusal({ req, res, requestId }, 400, { message: 'the request target is not one of this server' });
    } else if (!hasOneHost(req)) {
      answerRefusal({ req, res, requestId }, 400, { message: 'a request has exactly one Host field' });
    } else {
      return { req, res, target, requestId, peer: connection.peer };
    }
    return undefined;
  }

  #serve(exchange: Exchange): void {
    const preview = this.#previewByName(exchange);
    const route = preview ? undefined : routeOf(exchange);
    if (!preview && !route) {
      if (isUpgrade(exchange)) relayUpgrade(exchange, this.#services.upstream.proxyTarget(exchange));
      else relay(exchange, this.#services.upstream);
      return;
    }
    const served = preview ? this.#servePreview(exchange, preview) : this.#serveOwn(exchange, route);
    served.catch((error: unknown) => {
      this.#logger.error({ err: error, request_id: exchange.requestId }, 'a handler failed');
      answerRefusal(exchange, 500, { message: 'the gateway failed' });
    });
  }

  /** A name with the gateway's own port is a name of the gateway: a platform before it may give it such a one. */
  #previewByName(exchange: Exchange): PreviewTarget | undefined {
    const preview = previewByName(exchange);
    return preview?.form === 'host' && preview.port === this.#publicPort() ? undefined : preview;
  }

  async #servePreview(exchange: Exchange, preview: PreviewTarget): Promise<void> {
    const { upstream, previews } = this.#services;
    const admission = await passGate(exchange, upstream, preview.judged);
    if (admission) previews.answer(exchange, preview, admission);
  }

  async #serveOwn(exchange: Exchange, route: ReturnType<typeof routeOf>): Promise<void> {
    const admission = route?.gated === false ? UNJUDGED : await passGate(exchange, this.#services.upstream);
    if (admission) await route?.handler(exchange, this.#services, admission);
  }

  #publicPort(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? this.#config.gatewayPort;
  }
}

function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0');
}
