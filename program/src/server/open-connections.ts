import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ignore } from '../ignore.ts';
import type { Logger } from '../logger.ts';
import { addressTest } from '../trusted-proxies.ts';
import { Connection } from './connection.ts';
import { NO_TUNNEL, type Refusal, rawAnswer, refusalOf } from './refusals.ts';
import { type StrangerLimits, Strangers } from './strangers.ts';
import { Turns } from './turns.ts';

const HALF_OPEN_MS = 3_000;
/** Milliseconds without a packet after which the client's system is asked by TCP whether the connection still exists. */
const KEEP_ALIVE_MS = 60_000;
/** Milliseconds for a client beyond the ceiling to read its answer, and such clients that get one at once. */
const REFUSED_MS = 1_000;
const REFUSED_MAX = 64;

const FULL: Refusal = {
  status: '503 Service Unavailable',
  message: 'the service has too many open connections',
  hint: 'close some of them, or retry shortly',
  headers: { 'Retry-After': '1' },
};

const CROWDED: Refusal = {
  ...FULL,
  message: 'your address has too many open connections without a valid credential',
  hint: 'close some of them, send a valid key on each, or see SVC_CONNECTIONS_PER_ADDRESS',
};

/** Connections beyond the ceiling for clients of this machine, such as the health check. */
const RESERVED = 64;
/** Milliseconds between two log lines about connections that were evicted or refused. */
const LOG_MS = 60_000;

const isLoopback = addressTest(['loopback']);

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

export interface ConnectionLimits {
  /** Open connections; a further one is answered 503 and closed. */
  readonly ceiling: number;
  /** Milliseconds after the client has ended its half until it is asked whether it is still there. */
  readonly halfOpenMs?: number;
  /** Limits of connections without a valid credential; default: none. */
  readonly strangers?: StrangerLimits;
  /**
   * The request, such as that of a health check, that a client of this machine gets answered beyond every limit, on a
   * connection that closes with the answer; default: none.
   */
  readonly isReserved?: (req: IncomingMessage) => boolean;
}

/** The open connections of an HTTP server, upgraded ones included. */
export class OpenConnections {
  readonly #limits: ConnectionLimits;
  readonly #logger: Logger;
  readonly #open = new Map<Socket, Connection>();
  readonly #strangers: Strangers | undefined;
  /** Connections beyond a limit that serve a reserved request alone, oldest first, with why they got no room. */
  readonly #reserved = new Map<Socket, Refusal>();
  readonly #turns = new Turns();
  readonly #totals = { evicted: 0, refused: 0 };
  /** Connections beyond the ceiling that are being answered. */
  #refused = 0;
  #isFull = false;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #onEmpty: (() => void) | undefined;

  constructor(limits: ConnectionLimits, logger: Logger) {
    this.#limits = limits;
    this.#strangers = limits.strangers && new Strangers(limits.strangers);
    this.#logger = logger;
  }

  /** Watches the connections of a server, and answers what its parser rejects. */
  watch(server: Server): void {
    // An option of node:http without documentation: a client may end its half after the request.
    Object.assign(server, { httpAllowHalfOpen: true });
    server
      .on('connection', (socket: Socket) => this.#add(socket))
      .on('connect', (_req, socket) => this.#open.get(socket as Socket)?.refuseDetached(NO_TUNNEL))
      .on('clientError', (error, socket) => this.#refuse(error, socket as Socket));
  }

  /** Counts a connection of another protocol, which is never closed to make room; without room it is destroyed. */
  takeForeign(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const refusal = this.#makeRoom(address);
    if (refusal !== undefined) {
      this.#totals.refused += 1;
      if (refusal === CROWDED) this.#logCrowd(address);
      socket.destroy();
      return;
    }
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    const connection = new Connection(socket, this.#limits.halfOpenMs ?? HALF_OPEN_MS, this.#turns);
    connection.upgraded();
    this.#open.set(socket, connection);
    this.#strangers?.add(socket, address);
    socket.once('close', () => this.#remove(socket));
  }

  get size(): number {
    return this.#open.size;
  }

  /** Connections so far that were closed to make room, and that got no room. */
  get totals(): { readonly evicted: number; readonly refused: number } {
    return this.#totals;
  }

  /** The connection has shown a valid credential. */
  admit(socket: Socket): void {
    this.#strangers?.delete(socket);
  }

  /** Handles a request in its turn. An exception in `work` ends the connection with a log line. */
  take(req: IncomingMessage, res: ServerResponse, work: () => void): void {
    const refusal = this.#reserved.get(req.socket);
    if (refusal !== undefined && hasBody(req)) {
      // Its answer would wait for the body.
      req.socket.destroy();
      return;
    }
    const refused = refusal !== undefined && this.#limits.isReserved?.(req) !== true ? refusal : undefined;
    if (refusal !== undefined) res.shouldKeepAlive = false;
    this.#open.get(req.socket)?.take({ req, res, work: () => this.guard(req.socket, work) }, refused);
  }

  /** As `take`, for a request to change the protocol. */
  takeUpgrade(req: IncomingMessage, res: ServerResponse, work: () => void): void {
    this.#open.get(req.socket)?.upgraded();
    this.take(req, res, work);
  }

  /** An exception ends the connection with a log line that has the stack. */
  guard(socket: Socket, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#logger.error({ err: error }, 'handling a connection failed');
      socket.destroy();
    }
  }

  /** Whether a response on the connection is incomplete, or the connection is not served. */
  isBusy(socket: Socket): boolean {
    return this.#open.get(socket)?.isBusy ?? true;
  }

  destroyIdle(): void {
    for (const [socket, connection] of this.#open) if (!connection.isBusy) socket.destroy();
  }

  /** Resolves when the last connection has closed. */
  async allClosed(): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
  }

  destroyAll(): void {
    for (const [socket] of this.#open) socket.destroy();
  }

  #add(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const refusal = this.#makeRoom(address);
    if (refusal !== undefined && !this.#makeReservedRoom(address)) {
      this.#turnAway(socket, refusal);
      return;
    }
    if (this.#open.size < this.#limits.ceiling) this.#isFull = false;
    // A client that vanished, as behind a router that forgot it, sends no end: its request would wait for ever.
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    this.#open.set(socket, new Connection(socket, this.#limits.halfOpenMs ?? HALF_OPEN_MS, this.#turns));
    if (refusal !== undefined) this.#reserved.set(socket, refusal);
    else this.#strangers?.add(socket, address);
    socket.once('close', () => this.#remove(socket));
  }

  #remove(socket: Socket): void {
    this.#strangers?.delete(socket);
    this.#reserved.delete(socket);
    this.#open.delete(socket);
    if (this.#open.size === 0) this.#onEmpty?.();
  }

  /** @returns why the connection gets no room */
  #makeRoom(address: string): Refusal | undefined {
    const strangers = this.#strangers;
    if (strangers && !strangers.hasRoom(address) && !this.#evict(strangers.of(address), address)) return CROWDED;
    const reserved = strangers && isLoopback(address) ? RESERVED : 0;
    if (this.#open.size < this.#limits.ceiling + reserved) return undefined;
    return strangers && this.#evict(strangers.all(), address) ? undefined : FULL;
  }

  /** Whether a connection beyond a limit may ask for what is reserved; the oldest that has not asked makes room. */
  #makeReservedRoom(address: string): boolean {
    if (this.#limits.isReserved === undefined || !isLoopback(address)) return false;
    return this.#reserved.size < RESERVED || this.#evict(this.#reserved.keys(), address);
  }

  /** Closes the oldest connection that has sent no request yet, else the oldest that waits for its next request. */
  #evict(sockets: Iterable<Socket>, address: string): boolean {
    let idle: Socket | undefined;
    for (const socket of sockets) {
      const connection = this.#open.get(socket);
      if (connection?.isIdle !== true) continue;
      idle ??= socket;
      if (connection.hasHadRequest) continue;
      idle = socket;
      break;
    }
    if (idle === undefined) return false;
    this.#totals.evicted += 1;
    this.#logCrowd(address);
    this.#remove(idle);
    idle.on('error', ignore).destroy();
    return true;
  }

  #logCrowd(address: string): void {
    const now = performance.now();
    if (now - this.#loggedAt < LOG_MS) return;
    this.#loggedAt = now;
    this.#logger.warn({ address, connections: this.#open.size }, 'too many connections without a valid credential');
  }

  #turnAway(socket: Socket, refusal: Refusal): void {
    this.#totals.refused += 1;
    if (refusal === CROWDED) {
      this.#logCrowd(socket.remoteAddress ?? '');
    } else {
      if (!this.#isFull) this.#logger.warn({ connections: this.#open.size }, 'the ceiling of connections is reached');
      this.#isFull = true;
    }
    socket.on('error', ignore);
    if (this.#refused >= REFUSED_MAX) {
      socket.destroy();
      return;
    }
    this.#refused += 1;
    const timer = setTimeout(() => socket.destroy(), REFUSED_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      this.#refused -= 1;
    });
    socket.end(rawAnswer(refusal));
  }

  #refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined || !socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else connection.refuse(refusalOf(error));
  }
}
