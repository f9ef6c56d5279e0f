import { once } from 'node:events';
import type { CdpMessage } from './devtools-socket.ts';

/** Where DevTools answer, and the credential for it. */
interface Devtools {
  readonly devtools: string;
  /** Of requests of the discovery. */
  readonly headers?: Record<string, string>;
  /** Of the WebSocket. */
  readonly query?: string;
}

/** A tab of a client of DevTools, which does not wait for answers that a page cannot give. */
export class RawTab {
  readonly #socket: WebSocket;
  readonly #devtools: string;
  readonly #headers: Record<string, string>;
  readonly #id: string;
  readonly #events = new EventTarget();
  #lastId = 0;

  private constructor({ devtools, headers = {} }: Devtools, id: string, socket: WebSocket) {
    this.#devtools = devtools;
    this.#headers = headers;
    this.#id = id;
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id: of, method } = JSON.parse(String(data)) as CdpMessage;
      this.#events.dispatchEvent(new Event(of === undefined ? String(method) : `answer ${of}`));
    });
  }

  /** Opens a tab, and waits until it has loaded. */
  static async open(devtools: Devtools, url: string): Promise<RawTab> {
    const { headers = {}, query = '' } = devtools;
    const answer = await fetch(`${devtools.devtools}/json/new?${url}`, { method: 'PUT', headers });
    const { id, webSocketDebuggerUrl } = (await answer.json()) as { id: string; webSocketDebuggerUrl: string };
    const socket = new WebSocket(`${webSocketDebuggerUrl}${query}`);
    await once(socket, 'open');
    const tab = new RawTab(devtools, id, socket);
    const loaded = 'new Promise(done => document.readyState === "complete" ? done() : addEventListener("load", done))';
    await tab.ask('Runtime.evaluate', { expression: loaded, awaitPromise: true });
    return tab;
  }

  tell(method: string, params: object): number {
    this.#lastId += 1;
    this.#socket.send(JSON.stringify({ id: this.#lastId, method, params }));
    return this.#lastId;
  }

  async ask(method: string, params: object): Promise<void> {
    await this.event(`answer ${this.tell(method, params)}`);
  }

  async event(name: string): Promise<void> {
    await once(this.#events, name);
  }

  async close(): Promise<void> {
    await fetch(`${this.#devtools}/json/close/${this.#id}`, { headers: this.#headers });
    this.#socket.close();
  }
}
