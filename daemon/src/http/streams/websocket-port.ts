import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';

/** Milliseconds between two pings (§1.5 of the contract). */
export const PING_MS = 20_000;
/** Pings without an answer that end a connection. */
export const MISSED = 2;
/** Bytes from a client that may wait to be handled before it has to. */
const PENDING_BYTES = 256 * 1024;

/** A WebSocket as what serves it sees it: messages both ways, each side waiting for the other one. */
export class WebSocketPort {
  /** Fires when the connection has ended, however. */
  readonly gone: AbortSignal;
  readonly #connection: WebSocket;
  readonly #socket: Socket;
  #unanswered = 0;
  #pending = 0;

  /** `pingMs` is shorter in tests alone. */
  constructor(connection: WebSocket, socket: Socket, pingMs: number = PING_MS) {
    const gone = new AbortController();
    this.gone = gone.signal;
    this.#connection = connection;
    this.#socket = socket;
    // Where the loop stood still, the answer has come and is read first.
    const pings = setInterval(() => setImmediate(() => this.#ping()), pingMs).unref();
    connection.on('pong', () => {
      this.#unanswered = 0;
    });
    connection.on('error', () => {});
    connection.on('close', () => {
      clearInterval(pings);
      gone.abort();
    });
  }

  /** Bytes that were sent and did not leave yet. */
  get buffered(): number {
    return this.#connection.bufferedAmount;
  }

  sendText(text: string): void {
    if (this.#isOpen) this.#connection.send(text);
  }

  /** `sent`: the bytes have left, or never will, and may be changed. */
  sendBytes(bytes: Uint8Array, sent: () => void): void {
    if (this.#isOpen) this.#connection.send(bytes, { binary: true }, sent);
    else sent();
  }

  /** Resolves when what was sent has left, or the connection has ended. */
  async drained(): Promise<void> {
    if (!this.#socket.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        this.#socket.off('drain', settle);
        this.gone.removeEventListener('abort', settle);
        resolve();
      };
      this.#socket.once('drain', settle);
      this.gone.addEventListener('abort', settle, { once: true });
    });
  }

  /** `handle` gets the bytes of each message, and whether they are text; while much waits for it the client does too. */
  onMessage(handle: (bytes: Buffer, isText: boolean) => Promise<void>): void {
    this.#connection.on('message', (data, isBinary) => {
      const bytes = bytesOf(data);
      this.#pending += bytes.length;
      if (this.#pending > PENDING_BYTES) this.#connection.pause();
      void handle(bytes, !isBinary).then(() => {
        this.#pending -= bytes.length;
        if (this.#connection.isPaused && this.#pending <= PENDING_BYTES) this.#connection.resume();
      });
    });
  }

  close(code: number, reason: string): void {
    this.#connection.close(code, reason);
  }

  terminate(): void {
    this.#connection.terminate();
  }

  get #isOpen(): boolean {
    return this.#connection.readyState === this.#connection.OPEN;
  }

  #ping(): void {
    if (this.#unanswered >= MISSED) this.#connection.terminate();
    else if (this.#isOpen) this.#connection.ping();
    this.#unanswered += 1;
  }
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
