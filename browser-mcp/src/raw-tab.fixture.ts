import { once } from 'node:events';
import type { CdpMessage } from './devtools-socket.ts';

/** A tab of a client of DevTools, which does not wait for answers that a page cannot give. */
export class RawTab {
  readonly #socket: WebSocket;
  readonly #port: number;
  readonly #id: string;
  readonly #events = new EventTarget();
  #lastId = 0;

  private constructor(port: number, id: string, socket: WebSocket) {
    this.#port = port;
    this.#id = id;
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id: of, method } = JSON.parse(String(data)) as CdpMessage;
      this.#events.dispatchEvent(new Event(of === undefined ? String(method) : `answer ${of}`));
    });
  }

  /** Opens a tab, and waits until it has loaded. */
  static async open(port: number, url: string): Promise<RawTab> {
    const answer = await fetch(`http://127.0.0.1:${port}/json/new?${url}`, { method: 'PUT' });
    const { id, webSocketDebuggerUrl } = (await answer.json()) as { id: string; webSocketDebuggerUrl: string };
    const socket = new WebSocket(webSocketDebuggerUrl);
    await once(socket, 'open');
    const tab = new RawTab(port, id, socket);
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
    await fetch(`http://127.0.0.1:${this.#port}/json/close/${this.#id}`);
    this.#socket.close();
  }
}
