import { validateHeaderValue } from 'node:http';
import type { TcpNetConnectOpts } from 'node:net';
import { type FlatHeaders, needsLength } from '../exchange/headers.ts';
import { type AnswerReader, DaemonConnection } from './daemon-connection.ts';

/** Connections that are kept while nothing uses them. */
const IDLE_MAX = 64;
/** A connection that is about to be ended by the daemon is not used again: so many milliseconds before. */
const MARGIN_MS = 2_000;
/** Where the daemon does not say how long it keeps a connection, in milliseconds. */
const UNSAID_MS = 4_000;
/** Anything but a character of a request target; a byte of UTF-8 is one, as it is to the parser of requests. */
const NOT_OF_TARGET = /[^\x21-\xff]/;

export interface DaemonQuestion {
  readonly method: string;
  readonly path: string;
  readonly headers: FlatHeaders;
  readonly body: Buffer | null;
}

interface Idle {
  readonly connection: DaemonConnection;
  /** By `performance.now()`. */
  readonly until: number;
}

/**
 * Connections to the daemon for requests whose body is at hand. Without a ceiling: a stream keeps its connection for
 * as long as it likes, and no other request may wait for it.
 */
export class DaemonConnections implements Disposable {
  readonly #to: TcpNetConnectOpts;
  readonly #all = new Set<DaemonConnection>();
  /** The one used last is used next, so that those that are too many grow old. */
  #idle: Idle[] = [];

  constructor(to: TcpNetConnectOpts) {
    this.#to = to;
  }

  /**
   * Sends a request on a connection that is idle, or a new one.
   * @returns the connection, which the reader resumes, and whoever wants no answer any more destroys
   * @throws Error `ERR_INVALID_CHAR` for what HTTP/1.1 cannot carry
   */
  ask({ method, path, headers, body }: DaemonQuestion, reader: AnswerReader): DaemonConnection {
    const head = headOf(method, path, headers, body);
    const connection = this.#take() ?? this.#open();
    connection.ask({ method, head, body }, reader);
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

  #keep(connection: DaemonConnection, forMs = UNSAID_MS): void {
    this.#idle.push({ connection, until: performance.now() + forMs - MARGIN_MS });
    if (this.#idle.length > IDLE_MAX) this.#idle.shift()?.connection.destroy();
  }

  #forget(connection: DaemonConnection): void {
    this.#all.delete(connection);
    this.#idle = this.#idle.filter((idle) => idle.connection !== connection);
  }
}

function headOf(method: string, path: string, headers: FlatHeaders, body: Buffer | null): string {
  if (NOT_OF_TARGET.test(path)) {
    throw Object.assign(new TypeError('the target has a character of none'), { code: 'ERR_UNESCAPED_CHARACTERS' });
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
