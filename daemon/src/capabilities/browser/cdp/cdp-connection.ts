import { timerMs } from '@sandbox/api/wait.ts';
import { ignore } from '@sandbox/program/ignore.ts';
import { type JsonBounds, jsonExcess } from '@sandbox/program/json-shape.ts';
import { WebSocket } from 'ws';
import { CdpFailure } from './cdp-failure.ts';

/** Largest message that is accepted, in bytes; a longer one ends the connection. */
export const MESSAGE_MAX = 400 * 1024 ** 2;
/** Bytes of a message up to which it cannot have too many values. */
const SMALL = 1024 ** 2;
/** What is parsed of one message: a picture is one long text, but a page can return 50 million empty lists. */
const PARSED: JsonBounds = { depth: 5000, values: 1_000_000 };
/** An answer begins with its id. */
const ID = /^\{"id":(\d{1,15}),/;

/** What a session does with its events. */
type Listener = (method: string, params: object) => void;

interface Pending {
  readonly method: string;
  readonly sessionId: string | undefined;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (result: object) => void;
  readonly reject: (error: CdpFailure) => void;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: object | null;
  readonly result?: object | null;
  readonly error?: { readonly code?: number; readonly message?: string } | null;
  readonly sessionId?: string;
}

/** One WebSocket to the browser with its flat sessions. Every call has a deadline; a late answer is dropped. */
export class CdpConnection implements Disposable {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string | undefined, Listener>();
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  readonly #fail: (error: unknown) => void;
  #lastId = 0;

  private constructor(socket: WebSocket, fail: (error: unknown) => void) {
    this.#socket = socket;
    this.#fail = fail;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    socket.on('message', (data: Buffer) => this.#receive(data));
    socket.on('error', ignore);
    socket.once('close', () => {
      const failure = new CdpFailure('lost', 'the connection to the browser ended');
      for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(failure);
      this.#listeners.clear();
      resolve();
    });
  }

  /**
   * Connects to the WebSocket of a browser.
   * @param fail gets what a listener throws
   * @throws CdpFailure `lost` if it does not complete the handshake within `ms` milliseconds
   */
  static open(url: string, { ms, fail }: { ms: number; fail: (error: unknown) => void }): Promise<CdpConnection> {
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      skipUTF8Validation: true,
      maxPayload: MESSAGE_MAX,
      handshakeTimeout: timerMs(ms),
      // Chromium accepts only an IP address or `localhost`.
      headers: { host: 'localhost' },
    });
    return new Promise((resolve, reject) => {
      socket.once('open', () => {
        socket.off('error', refuse);
        resolve(new CdpConnection(socket, fail));
      });
      const refuse = (error: Error): void =>
        reject(new CdpFailure('lost', `no connection to the browser: ${error.message}`, { cause: error }));
      socket.once('error', refuse);
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** @throws CdpFailure */
  send(sessionId: string | undefined, method: string, params: object, ms: number): Promise<object> {
    if (!this.isOpen) return Promise.reject(new CdpFailure('lost', 'the connection to the browser ended'));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#settle(id);
        reject(new CdpFailure('timeout', `no answer to ${method} within ${Math.round(ms) / 1000} s`));
      }, timerMs(ms));
      this.#pending.set(id, { method, sessionId, timer, resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }));
    });
  }

  /** Takes the events of a session; without an id, those of the browser. */
  listen(sessionId: string | undefined, listener: Listener): void {
    this.#listeners.set(sessionId, listener);
  }

  /** Forgets a session that has ended: its calls fail. */
  endSession(sessionId: string, failure: CdpFailure): void {
    this.#listeners.delete(sessionId);
    this.failCalls(sessionId, failure);
  }

  /** Fails the calls of a session that wait. */
  failCalls(sessionId: string, failure: CdpFailure): void {
    for (const [id, pending] of [...this.#pending]) {
      if (pending.sessionId === sessionId) this.#settle(id)?.reject(failure);
    }
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(pending?.timer);
    return pending;
  }

  #receive(data: Buffer): void {
    try {
      const text = data.toString();
      const excess = text.length > SMALL ? jsonExcess(text, PARSED) : undefined;
      if (excess !== undefined) {
        this.#refuse(ID.exec(text.slice(0, 100))?.[1], excess);
        return;
      }
      const { id, method, params, result, error, sessionId } = JSON.parse(text) as Message;
      if (id !== undefined) this.#answer(id, result ?? {}, error ?? undefined);
      else if (method !== undefined) this.#listeners.get(sessionId)?.(method, params ?? {});
    } catch (error) {
      this.#fail(error);
    }
  }

  /** An event that is too much to parse is dropped. */
  #refuse(id: string | undefined, excess: string): void {
    const pending = this.#settle(Number(id));
    pending?.reject(new CdpFailure('protocol', `${pending.method}: the answer has ${excess}`));
  }

  #answer(id: number, result: object, error: NonNullable<Message['error']> | undefined): void {
    const pending = this.#settle(id);
    if (pending === undefined) return;
    if (error === undefined) pending.resolve(result);
    else if (error.code === -32_001) pending.reject(new CdpFailure('closed', 'the tab or frame is gone'));
    else {
      const code = error.code ?? -32_000;
      pending.reject(new CdpFailure('protocol', `${pending.method}: ${error.message ?? 'refused'}`, { code }));
    }
  }
}
