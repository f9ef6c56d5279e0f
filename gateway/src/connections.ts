import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Peer, peerOf } from './exchange/peer.ts';
import { envelope } from './exchange/responses.ts';

interface Connection {
  readonly peer: Peer;
  /** The response to the last request on it; earlier responses are complete or are sent first. */
  last: ServerResponse | undefined;
}

const REFUSALS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the request header section is too long'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'the chunk extensions are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request header section did not arrive in time'],
};
const MALFORMED = ['400 Bad Request', 'the request is not valid HTTP/1.1'] as const;

/** The open connections of the public port, upgraded ones included. */
export class Connections {
  readonly #isTrusted: (address: string) => boolean;
  readonly #open = new Map<Socket, Connection>();
  #onEmpty: (() => void) | undefined;

  constructor(isTrusted: (address: string) => boolean) {
    this.#isTrusted = isTrusted;
  }

  add(socket: Socket): void {
    this.#open.set(socket, { peer: peerOf(socket, this.#isTrusted), last: undefined });
    socket.once('close', () => {
      this.#open.delete(socket);
      if (this.#open.size === 0) this.#onEmpty?.();
    });
  }

  /** @returns undefined for a request after a response that closes the connection: it must not be handled */
  begin(socket: Socket, res: ServerResponse): Connection | undefined {
    const connection = this.#open.get(socket);
    if (!connection || connection.last?.shouldKeepAlive === false) return undefined;
    connection.last = res;
    return connection;
  }

  /** Whether a response on the connection is incomplete. */
  isBusy(socket: Socket): boolean {
    const last = this.#open.get(socket)?.last;
    return last !== undefined && !last.writableFinished;
  }

  /** Responds to a parser error, unless another response is in progress, and closes the connection. */
  refuse(error: NodeJS.ErrnoException, socket: Socket): void {
    if (!socket.writable || error.code === 'ECONNRESET' || this.isBusy(socket)) {
      socket.destroy();
      return;
    }
    const [status, message] = REFUSALS[error.code ?? ''] ?? MALFORMED;
    const body = envelope(message, undefined);
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nx-request-id: ${randomUUID()}\r\nConnection: close\r\n\r\n${body}`,
      () => socket.destroy(),
    );
  }

  destroyIdle(): void {
    for (const [socket] of this.#open) if (!this.isBusy(socket)) socket.destroy();
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
}
