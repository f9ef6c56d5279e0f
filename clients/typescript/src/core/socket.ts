import { builtin, type WebSocketClass } from './builtin.ts';
import { createTicket } from './tickets.ts';
import type { Transport } from './transport.ts';

type Message = string | Uint8Array;

/** A message of the socket, or its end. */
type Item = { readonly message: Message } | { readonly code: number; readonly reason: string };

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
  #wake: (() => void) | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) => {
      this.#put({ message: typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer) });
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
    const abort = (): void => raw.close();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await socket.#opened();
      return socket;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  send(message: string | Uint8Array<ArrayBuffer>): void {
    this.#socket.send(message);
  }

  /** @throws SocketClosed after the last message, the reason of the signal */
  async next(signal: AbortSignal | undefined): Promise<Message> {
    for (;;) {
      signal?.throwIfAborted();
      const item = this.#items.shift();
      if (item && 'message' in item) return item.message;
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
