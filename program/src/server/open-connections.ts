import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ignore } from '../ignore.ts';
import type { Logger } from '../logger.ts';
import { Connection } from './connection.ts';
import { NO_TUNNEL, type Refusal, rawAnswer, refusalOf } from './refusals.ts';

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

export interface ConnectionLimits {
  /** Open connections; a further one is answered 503 and closed. */
  readonly ceiling: number;
  /** Milliseconds after the client has ended its half until it is asked whether it is still there. */
  readonly halfOpenMs?: number;
}

/** The open connections of an HTTP server, upgraded ones included. */
export class OpenConnections {
  readonly #limits: ConnectionLimits;
  readonly #logger: Logger;
  readonly #open = new Map<Socket, Connection>();
  #refused = 0;
  #isFull = false;
  #onEmpty: (() => void) | undefined;

  constructor(limits: ConnectionLimits, logger: Logger) {
    this.#limits = limits;
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

  get size(): number {
    return this.#open.size;
  }

  /** Handles a request in its turn. An exception in `work` ends the connection with a log line. */
  take(req: IncomingMessage, res: ServerResponse, work: () => void): void {
    this.#open.get(req.socket)?.take({ req, res, work: () => this.guard(req.socket, work) });
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
    if (this.#open.size >= this.#limits.ceiling) {
      this.#turnAway(socket);
      return;
    }
    this.#isFull = false;
    // A client that vanished, as behind a router that forgot it, sends no end: its request would wait for ever.
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    this.#open.set(socket, new Connection(socket, this.#limits.halfOpenMs ?? HALF_OPEN_MS));
    socket.once('close', () => {
      this.#open.delete(socket);
      if (this.#open.size === 0) this.#onEmpty?.();
    });
  }

  #turnAway(socket: Socket): void {
    if (!this.#isFull) this.#logger.warn({ connections: this.#open.size }, 'the ceiling of connections is reached');
    this.#isFull = true;
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
    socket.end(rawAnswer(FULL));
  }

  #refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined || !socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else connection.refuse(refusalOf(error));
  }
}
