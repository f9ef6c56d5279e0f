import type { Socket } from 'node:net';
import { onAbort } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { WITHDRAWN } from '@sandbox/program/withdrawn.ts';
import type { RawData, WebSocket } from 'ws';
import { incompleteTail } from '../../core/output/text-slice.ts';

/** Milliseconds between two pings (docs/contract.md §1.5). */
export const PING_MS = 20_000;
/** Missed pongs after which the connection is terminated. */
export const MISSED = 2;
/** Bytes of unhandled messages at which reading from the client pauses. */
const PENDING_BYTES = 256 * 1024;
/** Bytes that a message of any length counts in addition: a million empty ones take memory too. */
const MESSAGE_BYTES = 512;
/** Bytes of the reason of a close frame (RFC 6455 §5.5). */
const REASON_BYTES = 123;
/** Close code of RFC 6455 §7.4.1. */
export const INTERNAL_ERROR = 1011;
/** Milliseconds for a client to read why it is cut off. */
const WITHDRAWN_MS = 400;

interface PortOptions {
  /** Milliseconds between two pings; only tests change it. */
  readonly pingMs?: number;
  /** Reports an exception in the handler of a message, which closes the connection. */
  readonly fail?: (error: unknown) => void;
}

/** A WebSocket for a route: messages in both directions, with backpressure. */
export class WebSocketPort {
  /** Fires when the connection has closed for any reason. */
  readonly gone: AbortSignal;
  readonly #connection: WebSocket;
  readonly #socket: Socket;
  readonly #fail: (error: unknown) => void;
  #unanswered = 0;
  #pending = 0;
  #draining: Promise<void> | undefined;
  #isWithdrawn = false;

  constructor(connection: WebSocket, socket: Socket, { pingMs = PING_MS, fail = ignore }: PortOptions = {}) {
    const gone = new AbortController();
    this.gone = gone.signal;
    this.#connection = connection;
    this.#socket = socket;
    this.#fail = fail;
    // After a blocked event loop, a pong that has arrived is processed before the next ping is due.
    const pings = setInterval(() => setImmediate(() => this.#ping()), pingMs).unref();
    connection.on('pong', () => {
      this.#unanswered = 0;
    });
    connection.on('error', ignore);
    connection.on('close', () => {
      clearInterval(pings);
      gone.abort();
    });
  }

  /** Bytes of sent messages that are still buffered. */
  get buffered(): number {
    return this.#connection.bufferedAmount;
  }

  sendText(text: string): void {
    if (this.#isOpen) this.#connection.send(text);
  }

  /** @param sent called when the bytes are written or discarded, after which the caller may change them */
  sendBytes(bytes: Uint8Array, sent: () => void): void {
    if (this.#isOpen) this.#connection.send(bytes, { binary: true }, sent);
    else sent();
  }

  /** Resolves when the send buffer is drained or the connection has closed. */
  async drained(): Promise<void> {
    const { writableNeedDrain, writableEnded, destroyed } = this.#socket;
    // A socket that ends emits no `drain`, whatever still waits in it: only its end follows.
    if (!writableNeedDrain && !writableEnded && !destroyed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.once('drain', resolve);
    using _listening = onAbort(this.gone, resolve);
    await promise;
    this.#socket.off('drain', resolve);
  }

  /**
   * Calls `handle` for each message; pauses reading while more than 256 KiB of messages are unhandled. A message whose
   * answers the client does not read stays unhandled.
   */
  onMessage(handle: (bytes: Buffer, isText: boolean) => Promise<void>): void {
    this.#connection.on('message', (data, isBinary) => {
      if (this.#isWithdrawn) return;
      const bytes = bytesOf(data);
      const cost = bytes.length + MESSAGE_BYTES;
      this.#pending += cost;
      if (this.#pending > PENDING_BYTES) this.#connection.pause();
      const handled = async (): Promise<void> => {
        await handle(bytes, !isBinary);
        if (this.#socket.writableNeedDrain) await this.#drainedOnce();
      };
      void handled().then(
        () => this.#handled(cost),
        (error: unknown) => {
          this.#fail(error);
          this.close(INTERNAL_ERROR, 'internal error');
        },
      );
    });
  }

  /** A reason longer than a close frame allows is cut. */
  close(code: number, reason: string): void {
    const bytes = Buffer.from(reason);
    const cut = bytes.subarray(0, REASON_BYTES);
    this.#connection.close(code, cut.subarray(0, cut.length - incompleteTail(cut)));
  }

  /** Ends the connection because its credential was withdrawn: no further message of the client is handled. */
  withdraw(): void {
    this.#isWithdrawn = true;
    this.close(WITHDRAWN.code, WITHDRAWN.reason);
    setTimeout(() => this.terminate(), WITHDRAWN_MS).unref();
  }

  /** One wait for all messages that are handled meanwhile: thousands of listeners would take seconds to remove. */
  #drainedOnce(): Promise<void> {
    this.#draining ??= this.drained().finally(() => {
      this.#draining = undefined;
    });
    return this.#draining;
  }

  #handled(count: number): void {
    this.#pending -= count;
    if (!this.#connection.isPaused || this.#pending > PENDING_BYTES) return;
    // In the next turn of the event loop, so that each connection gets its turn beside one that sends without end.
    setImmediate(() => this.#connection.resume());
  }

  terminate(): void {
    this.#connection.terminate();
  }

  get #isOpen(): boolean {
    return this.#connection.readyState === this.#connection.OPEN;
  }

  #ping(): void {
    // The pongs of a client that is not read wait behind its messages; keep-alive finds out that its system is gone.
    if (this.#connection.isPaused) {
      this.#unanswered = 0;
      return;
    }
    if (this.#unanswered >= MISSED) this.#connection.terminate();
    else if (this.#isOpen) this.#connection.ping();
    this.#unanswered += 1;
  }
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
