import { Buffer } from 'node:buffer';
import type { TcpNetConnectOpts } from 'node:net';
import { WideSocket } from '../net/wide-socket.ts';
import { type BodyReader, bodyReader } from './response-body.ts';
import { HEAD_BYTES_MAX, MalformedResponse, parseResponseHead, type ResponseHead } from './response-head.ts';

/** Connect timeout, in milliseconds. */
const CONNECT_MS = 10_000;
/** Idle time of a connection before TCP keep-alive probes, in milliseconds. */
const KEEP_ALIVE_MS = 60_000;
/** Largest body, in bytes, after which a connection is reused: an idle connection keeps its read buffers. */
const REUSE_MAX_BODY_BYTES = 1024 ** 2;
const END_OF_HEAD = '\r\n\r\n';

/** Receives one response while it arrives; an exception in a callback fails the response. */
export interface ResponseReader {
  /** Never called for an interim response (RFC 9110 §15.2). */
  onHead(head: ResponseHead): void;
  /**
   * @param release call it when the bytes are no longer needed; their buffer is reused afterwards. Only the last piece of
   *   one read has it.
   * @returns false to pause until the connection is resumed
   */
  onBody(bytes: Buffer, release: (() => void) | undefined): boolean;
  onEnd(): void;
  /** Called at most once, instead of `onEnd`. */
  onError(error: Error): void;
}

/** One complete request. */
export interface SerializedRequest {
  readonly method: string;
  /** Request line and headers, with the empty line. */
  readonly head: string;
  readonly body: Buffer | null;
}

interface ConnectionEvents {
  /** The response is complete, and another request may be sent within `forMs` milliseconds. */
  readonly onIdle: (connection: DaemonConnection, forMs: number | undefined) => void;
  readonly onClosed: (connection: DaemonConnection) => void;
}

/**
 * A connection to the daemon, for one exchange at a time. It reads up to 512 KiB at a time into reused buffers and
 * passes the pieces of a body on without copying.
 */
export class DaemonConnection {
  readonly #socket = new WideSocket();
  readonly #events: ConnectionEvents;
  #reader: ResponseReader | undefined;
  #method = '';
  /** The received part of an incomplete head. */
  #partialHead: Buffer | undefined;
  #body: BodyReader | undefined;
  #keepAliveMs: number | undefined;
  /** Body bytes of the current response. */
  #bodyBytes = 0;
  /** The reader that may still hold borrowed buffers, and the number of those. */
  #borrower: ResponseReader | undefined;
  #borrowed = 0;
  #failure: Error | undefined;

  constructor(to: TcpNetConnectOpts, events: ConnectionEvents) {
    this.#events = events;
    const socket = this.#socket;
    const timeoutError = Object.assign(new Error('connecting to the daemon timed out'), { code: 'CONNECT_TIMEOUT' });
    const timeout = setTimeout(() => this.destroy(timeoutError), CONNECT_MS);
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
    socket.once('connect', () => clearTimeout(timeout));
    socket.on('error', (error) => {
      this.#failure ??= error;
    });
    socket.on('end', () => this.#onEnd());
    socket.on('close', () => {
      clearTimeout(timeout);
      this.#events.onClosed(this);
      this.#fail(this.#failure ?? connectionLost());
    });
    socket.connect(to);
    socket.pumpInto({
      write: (bytes, release) => this.#onData(bytes, release),
      // The reader resumes the connection itself.
      on: () => undefined,
    });
  }

  get isDestroyed(): boolean {
    return this.#socket.destroyed;
  }

  /** Sends a request on an idle connection. */
  send({ method, head, body }: SerializedRequest, reader: ResponseReader): void {
    this.#reader = reader;
    this.#borrower = reader;
    this.#method = method;
    if (body === null) {
      this.#socket.write(head, 'latin1');
    } else {
      this.#socket.cork();
      this.#socket.write(head, 'latin1');
      this.#socket.write(body);
      this.#socket.uncork();
    }
  }

  /** Continues reading after `onBody` has returned false. */
  resume(): void {
    this.#socket.resume();
  }

  /** Destroys the connection if this reader's response is incomplete or its buffers are not released. */
  abandon(reader: ResponseReader): void {
    if (this.#borrower === reader) this.destroy();
  }

  /** Closes the connection; a response in progress fails with the error. */
  destroy(error?: Error): void {
    this.#failure ??= error;
    this.#socket.destroy();
  }

  /** @returns false to pause reading until the connection is resumed */
  #onData(bytes: Buffer, release: (() => void) | undefined): boolean {
    try {
      const pieces: Buffer[] = [];
      this.#parse(bytes, pieces);
      return this.#deliver(pieces, release);
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
      return false;
    }
  }

  #parse(bytes: Buffer, pieces: Buffer[]): void {
    let rest = bytes;
    while (rest.length > 0) {
      if (!this.#reader) throw new MalformedResponse('received data without a request');
      if (!this.#body) {
        const afterHead = this.#readHead(rest);
        if (!afterHead) return;
        rest = afterHead;
      }
      if (this.#body) {
        rest = rest.subarray(this.#body.read(rest, pieces));
        if (rest.length > 0) throw new MalformedResponse('received data after the end of the response');
      }
    }
  }

  /** @returns the bytes after a complete head; undefined if the head is incomplete */
  #readHead(bytes: Buffer): Buffer | undefined {
    const before = this.#partialHead;
    const head = before ? Buffer.concat([before, bytes]) : bytes;
    const end = head.indexOf(END_OF_HEAD, Math.max(0, (before?.length ?? 0) - END_OF_HEAD.length), 'latin1');
    if (end > HEAD_BYTES_MAX || (end < 0 && head.length > HEAD_BYTES_MAX)) {
      throw new MalformedResponse('response head too long');
    }
    if (end < 0) {
      // The bytes may belong to a buffer that is reused.
      this.#partialHead = before ? head : Buffer.from(head);
      return undefined;
    }
    this.#partialHead = undefined;
    this.#takeHead(parseResponseHead(head.toString('latin1', 0, end), this.#method));
    return head.subarray(end + END_OF_HEAD.length);
  }

  #takeHead(head: ResponseHead): void {
    if (head.status === 101) throw new MalformedResponse('unexpected 101 Switching Protocols');
    if (head.status < 200) return;
    this.#body = bodyReader(head.framing);
    this.#keepAliveMs = head.keepAliveMs;
    this.#reader?.onHead(head);
  }

  #deliver(pieces: readonly Buffer[], release: (() => void) | undefined): boolean {
    const last = pieces.length - 1;
    let wantsMore = true;
    for (const [index, piece] of pieces.entries()) {
      this.#bodyBytes += piece.length;
      wantsMore = this.#reader?.onBody(piece, index === last ? this.#borrow(release) : undefined) ?? false;
    }
    if (last < 0) release?.();
    if (this.#body?.isEnded) this.#finish();
    return wantsMore;
  }

  #borrow(release: (() => void) | undefined): (() => void) | undefined {
    if (!release) return undefined;
    this.#borrowed += 1;
    return () => {
      this.#borrowed -= 1;
      release();
      this.#releaseToPool();
    };
  }

  #finish(): void {
    const reader = this.#reader;
    this.#reader = undefined;
    this.#body = undefined;
    const isReusable =
      this.#keepAliveMs !== 0 && this.#socket.writableLength === 0 && this.#bodyBytes <= REUSE_MAX_BODY_BYTES;
    if (isReusable) this.#releaseToPool();
    else this.#socket.destroy();
    reader?.onEnd();
  }

  /** Becomes idle when all buffers of the last response are released, so that a slow client delays no other request. */
  #releaseToPool(): void {
    if (this.#reader || !this.#borrower || this.#borrowed > 0 || this.#socket.destroyed) return;
    this.#borrower = undefined;
    this.#bodyBytes = 0;
    this.#socket.resume();
    this.#events.onIdle(this, this.#keepAliveMs);
  }

  #onEnd(): void {
    if (this.#body?.endsWithConnection) this.#finish();
    else this.#socket.destroy();
  }

  #fail(error: Error): void {
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.onError(error);
  }
}

function connectionLost(): Error {
  return Object.assign(new Error('the daemon closed the connection'), { code: 'ECONNRESET' });
}
