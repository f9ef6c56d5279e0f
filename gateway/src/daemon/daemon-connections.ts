import { validateHeaderValue } from 'node:http';
import type { TcpNetConnectOpts } from 'node:net';
import { type FlatHeaders, needsLength } from '../exchange/headers.ts';
import { DaemonConnection, type ResponseReader } from './daemon-connection.ts';

/** Idle connections that are kept. */
const IDLE_MAX = 64;
/** Milliseconds before the daemon's idle timeout from which a connection is no longer used. */
const MARGIN_MS = 2_000;
/** Idle timeout if the daemon sends no Keep-Alive header, in milliseconds. */
const DEFAULT_KEEP_ALIVE_MS = 4_000;
/** Characters that a request target cannot contain; Node's parser allows bytes of UTF-8, so they are allowed here. */
const INVALID_IN_TARGET = /[^\x21-\xff]/;

export interface DaemonRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: FlatHeaders;
  readonly body: Buffer | null;
}

interface Idle {
  readonly connection: DaemonConnection;
  /** Milliseconds of `performance.now()`. */
  readonly until: number;
}

/**
 * Connection pool to the daemon for requests with a complete body or none. The number of connections is not limited: a
 * stream may occupy its connection for any time, and no other request may wait for it.
 */
export class DaemonConnections implements Disposable {
  readonly #to: TcpNetConnectOpts;
  readonly #all = new Set<DaemonConnection>();
  /** Last in, first out, so that surplus connections reach their idle timeout. */
  #idle: Idle[] = [];

  constructor(to: TcpNetConnectOpts) {
    this.#to = to;
  }

  /**
   * Sends a request on an idle connection, or on a new one.
   * @returns the connection: the caller resumes it, and destroys or abandons it to cancel the request
   * @throws Error `ERR_INVALID_CHAR` or `ERR_UNESCAPED_CHARACTERS` if HTTP/1.1 cannot carry the request
   */
  send({ method, path, headers, body }: DaemonRequest, reader: ResponseReader): DaemonConnection {
    const head = headOf(method, path, headers, body);
    const connection = this.#take() ?? this.#open();
    connection.send({ method, head, body }, reader);
    return connection;
  }

  [Symbol.dispose](): void {
    for (const connection of [...this.#all]) connection.destroy();
  }

  #open(): DaemonConnection {
    const connection = new DaemonConnection(this.#to, {
      onIdle: (idle, forMs) => this.#keep(idle, forMs),
      onClosed: (closed) => this.#forget(closed),
    });
    this.#all.add(connection);
    return connection;
  }

  #take(): DaemonConnection | undefined {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.until > performance.now() && !idle.connection.isDestroyed) return idle.connection;
      idle.connection.destroy();
    }
    return undefined;
  }

  #keep(connection: DaemonConnection, forMs = DEFAULT_KEEP_ALIVE_MS): void {
    this.#idle.push({ connection, until: performance.now() + forMs - MARGIN_MS });
    if (this.#idle.length > IDLE_MAX) this.#idle.shift()?.connection.destroy();
  }

  #forget(connection: DaemonConnection): void {
    this.#all.delete(connection);
    this.#idle = this.#idle.filter((idle) => idle.connection !== connection);
  }
}

function headOf(method: string, path: string, headers: FlatHeaders, body: Buffer | null): string {
  if (INVALID_IN_TARGET.test(path)) {
    throw Object.assign(new TypeError('invalid character in the request target'), { code: 'ERR_UNESCAPED_CHARACTERS' });
  }
  let head = `${method} ${path} HTTP/1.1\r\n`;
  let hasLength = false;
  for (let i = 0; i < headers.length; i += 2) {
    const [name = '', value = ''] = [headers[i], headers[i + 1]];
    validateHeaderValue(name, value);
    if (name.length === 14 && name.toLowerCase() === 'content-length') hasLength = true;
    head += `${name}: ${value}\r\n`;
  }
  if (!hasLength && (body !== null || needsLength(method))) head += `Content-Length: ${body?.length ?? 0}\r\n`;
  return `${head}\r\n`;
}
