import { builtin, type WebSocketClass } from './builtin.ts';
import { Watchdog } from './cancel.ts';
import { notOfSandbox } from './shape.ts';
import { createTicket } from './tickets.ts';
import { SILENCE, type Transport } from './transport.ts';

type Message = string | Uint8Array;

/** A message of the socket, or its end. */
type Item = { readonly message: Message } | { readonly code: number; readonly reason: string };

/** Bytes that wait to be read; the service sends 1 MiB without an acknowledgement. */
const MOST_WAITING = 32 * 1024 * 1024;
/** What an item costs beside its bytes. */
const ITEM_BYTES = 100;

/** The socket was closed. */
class SocketClosed extends Error {
  readonly code: number;

  constructor(code: number, reason: string) {
    super(`the connection was closed: ${code} ${reason}`.trimEnd());
    this.code = code;
  }
}

/** A WebSocket whose messages are read one after another. */
export class Socket implements Disposable {
  readonly #socket: WebSocket;
  readonly #items: Item[] = [];
  #waiting = 0;
  #flooded = false;
  #wake: (() => void) | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) => {
      this.#waiting += ITEM_BYTES + (typeof data === 'string' ? data.length : (data as ArrayBuffer).byteLength);
      if (this.#waiting > MOST_WAITING) this.#flood();
      else this.#put({ message: typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer) });
    };
    socket.onclose = ({ code, reason }) => this.#put({ code, reason });
    // Its close event follows.
    socket.onerror = () => undefined;
  }

  /**
   * Connects to a path of the service. A ticket stands for the key, since a page can send no header.
   * @throws RequestFailed for a wrong key; SocketClosed if the service refuses, without its reason
   */
  static async open(
    transport: Transport,
    path: string,
    query: Readonly<Record<string, string | number | boolean | undefined>>,
    signal: AbortSignal | undefined,
  ): Promise<Socket> {
    const { apiKey } = transport.settings;
    const ticket = apiKey === undefined ? undefined : (await createTicket(transport, path, { signal })).ticket;
    const url = transport.url(path, { ...query, ...(ticket !== undefined && { ticket }) });
    const raw = await connect(url.replace(/^http/, 'ws'));
    const socket = new Socket(raw);
    using watchdog = new Watchdog(signal, 1000 * Math.min(SILENCE, transport.settings.answerWithin));
    // The close event follows.
    watchdog.signal.addEventListener('abort', () => raw.close(), { once: true });
    await socket.#opened();
    return socket;
  }

  send(message: string | Uint8Array<ArrayBuffer>): void {
    this.#socket.send(message);
  }

  /** @throws SocketClosed after the last message, the reason of the signal, Error after 90 s without a message */
  async next(outer: AbortSignal | undefined): Promise<Message> {
    const first = this.#items[0];
    if (first === undefined) {
      using watchdog = new Watchdog(outer, 1000 * SILENCE);
      return await this.#take(watchdog.signal);
    }
    return await this.#take(outer);
  }

  async #take(signal: AbortSignal | undefined): Promise<Message> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#flooded) throw notOfSandbox('it sends more than it was asked for');
      const item = this.#items.shift();
      if (item && 'message' in item) {
        this.#waiting -= ITEM_BYTES + item.message.length;
        return item.message;
      }
      if (item) {
        this.#items.unshift(item);
        throw new SocketClosed(item.code, item.reason);
      }
      await this.#more(signal);
    }
  }

  [Symbol.dispose](): void {
    this.#socket.onmessage = null;
    this.#socket.close();
  }

  #flood(): void {
    this.#flooded = true;
    this.#items.length = 0;
    this[Symbol.dispose]();
    this.#wake?.();
  }

  #put(item: Item): void {
    this.#items.push(item);
    this.#wake?.();
  }

  async #more(signal: AbortSignal | undefined): Promise<void> {
    const wake = (): void => this.#wake?.();
    signal?.addEventListener('abort', wake, { once: true });
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    signal?.removeEventListener('abort', wake);
  }

  #opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.onopen = () => resolve();
      this.#wake = () => {
        const [item] = this.#items;
        if (item && 'code' in item) reject(new SocketClosed(item.code, item.reason));
      };
    });
  }
}

/** Node has a WebSocket from version 22 on. */
async function connect(url: string): Promise<WebSocket> {
  const { WebSocket: own } = globalThis as { readonly WebSocket?: WebSocketClass };
  if (own) return new own(url);
  const { WebSocket: other } = await builtin('ws');
  return new other(url);
}
