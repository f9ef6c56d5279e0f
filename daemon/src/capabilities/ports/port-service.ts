import { connect, type Socket } from 'node:net';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { GATEWAY_PATHS } from '@sandbox/program/pages.ts';
import type { PublicCaller } from '../../core/access/public-caller.ts';
import type { TicketStore } from '../../core/access/tickets.ts';
import { PortConnection } from './port-connection.ts';

/** Connections at once. */
export const CONNECTIONS_MAX = 64;
/** Milliseconds for a program on loopback to accept a connection. */
const CONNECT_MS = 10_000;
/** Requests that the ticket of a link admits: a page may load many files before it has its cookie. */
const USES = 1000;

/** Connections of clients to programs that listen on the loopback of the sandbox. */
export class PortService implements AsyncDisposable {
  readonly #isOwn: (port: number) => boolean;
  readonly #tickets: TicketStore;
  readonly #open = new Set<Disposable>();
  #connecting = 0;

  /** @param isOwn whether a port is the product's own */
  constructor(isOwn: (port: number) => boolean, tickets: TicketStore) {
    this.#isOwn = isOwn;
    this.#tickets = tickets;
  }

  isOwn(port: number): boolean {
    return this.#isOwn(port);
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#open.size;
  }

  /**
   * Connects to a port.
   * @throws SandboxError `forbidden` for a port of the product, `capacity` beyond the ceiling, `unavailable` if nothing
   *   accepts the connection
   */
  async connect(port: number): Promise<PortConnection> {
    this.#requireForeign(port);
    if (this.#open.size + this.#connecting >= CONNECTIONS_MAX) {
      throw new SandboxError('capacity', `${CONNECTIONS_MAX} connections to ports are open`, {
        hint: 'close one of them',
      });
    }
    this.#connecting += 1;
    try {
      const connection = new PortConnection(await accepted(port), () => void this.#open.delete(connection));
      this.#open.add(connection);
      return connection;
    } finally {
      this.#connecting -= 1;
    }
  }

  /**
   * A link to a preview of the port by the gateway, with a ticket for it if the caller needs one.
   * @param ttl seconds that the ticket is valid
   * @throws SandboxError `forbidden` for a port of the product, `invalid` for a path that is none, `capacity` of tickets
   */
  previewOf(
    port: number,
    path: string,
    ttl: number,
    caller: PublicCaller,
  ): { url: string; expiresAt: Date | undefined } {
    this.#requireForeign(port);
    const { pathname, search, hash } = pageOf(path);
    const pathPrefix = `${GATEWAY_PATHS.preview}/${port}`;
    const { ticket, expiresAt } = caller.needsTicket
      ? this.#tickets.issue({ pathPrefix, ttl, uses: USES }, caller.credential)
      : {};
    const query = [search.slice(1), caller.query, ticket === undefined ? '' : `ticket=${ticket}`];
    const given = query.filter((part) => part !== '').join('&');
    const scheme = caller.isSecure ? 'https' : 'http';
    const target = `${pathPrefix}${pathname}${given === '' ? '' : `?${given}`}${hash}`;
    return { url: `${scheme}://${caller.base}${target}`, expiresAt };
  }

  /** Whether a program accepts connections on the port. */
  async isListening(port: number): Promise<boolean> {
    try {
      (await accepted(port)).destroy();
      return true;
    } catch {
      return false;
    }
  }

  #requireForeign(port: number): void {
    if (!this.#isOwn(port)) return;
    throw new SandboxError('forbidden', `port ${port} belongs to the service`, {
      hint: 'use the routes of the service, such as /cdp and /vnc/',
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#open) connection[Symbol.dispose]();
  }
}

/** @throws SandboxError `invalid` */
function pageOf(path: string): URL {
  const base = 'http://page';
  if (path.startsWith('/') && URL.canParse(base + path)) return new URL(base + path);
  throw new SandboxError('invalid', 'must begin with /', { field: 'path', hint: 'for example /docs?page=2' });
}

/** @throws SandboxError `unavailable` */
async function accepted(port: number): Promise<Socket> {
  try {
    return await connected('127.0.0.1', port).catch(() => connected('::1', port));
  } catch (cause) {
    const hint = 'start a program that listens on it; GET /v2/commands lists what runs';
    throw new SandboxError('unavailable', `nothing answers on port ${port} of the sandbox`, { hint, cause });
  }
}

function connected(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('it did not accept the connection')));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', reject);
      socket.on('error', ignore);
      resolve(socket);
    });
  });
}
