import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { envelope } from './exchange/answers.ts';
import { type Peer, peerOf } from './exchange/forwarded.ts';

interface Connection {
  readonly peer: Peer;
  /** The newest answer on it; earlier ones are done or stand before it. */
  newest: ServerResponse | undefined;
}

const REFUSALS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the head of the request is too long'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'the extensions of a chunk are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the head of the request did not come in time'],
};
const MALFORMED = ['400 Bad Request', 'the request is not valid HTTP/1.1'] as const;

/** The open connections of the public port, upgraded ones too. */
export class Connections {
  readonly #isTrusted: (address: string) => boolean;
  readonly #open = new Map<Socket, Connection>();
  #onEmpty: (() => void) | undefined;

  constructor(isTrusted: (address: string) => boolean) {
    this.#isTrusted = isTrusted;
  }

  add(socket: Socket): void {
    this.#open.set(socket, { peer: peerOf(socket, this.#isTrusted), newest: undefined });
    socket.once('close', () => {
      this.#open.delete(socket);
      if (this.#open.size === 0) this.#onEmpty?.();
    });
  }

  /** @returns undefined for a request behind an answer that ends its connection: it is not served. */
  begin(socket: Socket, res: ServerResponse): Connection | undefined {
    const connection = this.#open.get(socket);
    if (!connection || connection.newest?.shouldKeepAlive === false) return undefined;
    connection.newest = res;
    return connection;
  }

  /** An answer on it is not complete yet. */
  isBusy(socket: Socket): boolean {
    const newest = this.#open.get(socket)?.newest;
    return newest !== undefined && !newest.writableFinished;
  }

  /** Answers what the parser refuses, where no other answer stands in the way, and ends the connection. */
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

  /** Resolves when the last one has closed and everybody who listens for it has heard. */
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
