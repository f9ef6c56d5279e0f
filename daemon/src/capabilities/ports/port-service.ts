import { connect, type Socket } from 'node:net';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { PortConnection } from './port-connection.ts';

/** Connections at once. */
export const CONNECTIONS_MAX = 64;
/** Milliseconds for a program on loopback to accept a connection. */
const CONNECT_MS = 10_000;

/** Connections of clients to programs that listen on the loopback of the sandbox. */
export class PortService implements AsyncDisposable {
  readonly #isOwn: (port: number) => boolean;
  readonly #open = new Set<Disposable>();
  #connecting = 0;

  /** @param isOwn whether a port is the product's own */
  constructor(isOwn: (port: number) => boolean) {
    this.#isOwn = isOwn;
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
    if (this.#isOwn(port)) {
      throw new SandboxError('forbidden', `port ${port} belongs to the service`, {
        hint: 'use the routes of the service, such as /cdp and /vnc/',
      });
    }
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

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#open) connection[Symbol.dispose]();
  }
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
