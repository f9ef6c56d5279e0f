import { connect } from 'node:net';
import { ignore } from '@sandbox/program/ignore.ts';
import { type BrowserContext, type ConnectOverCDPTransport, chromium, type Page } from 'playwright-core';
import { type CdpMessage, openDevTools } from './devtools-socket.ts';
import { TabGate } from './tab-gate.ts';

const CONNECT_MS = 10_000;
/** Milliseconds that a page has to answer before it counts as one that does not. */
const PATIENCE_MS = 1500;
/** Milliseconds that the list of tabs waits for a title. */
const TITLE_MS = 1000;

export interface BrowserAddress {
  readonly host: string;
  readonly port: number;
}

/** The connection of the tools to the browser, made when the first tool needs it. */
export class BrowserConnection {
  readonly #address: BrowserAddress;
  #gate: TabGate | undefined;

  constructor(address: BrowserAddress) {
    this.#address = address;
  }

  /** The context that a person sees, unchanged: downloads, focus and media stay as the browser has them. */
  async context(): Promise<BrowserContext> {
    const { host, port } = this.#address;
    const socket = await openDevTools(`http://${host.includes(':') ? `[${host}]` : host}:${port}`, CONNECT_MS);
    const { gate, transport } = gated(socket);
    const browser = await chromium.connectOverCDP(transport, { noDefaults: true, isLocal: true, timeout: CONNECT_MS });
    this.#gate = gate;
    const [context] = browser.contexts();
    if (context) {
      for (const page of context.pages()) boundTitle(page);
      context.on('page', boundTitle);
      return context;
    }
    await browser.close();
    throw new Error('the browser has no window');
  }

  /** As `TabGate.crashHung`. */
  crashHung(since: number, ms: number): void {
    this.#gate?.crashHung(since, ms);
  }
}

function gated(socket: WebSocket): { readonly gate: TabGate; readonly transport: ConnectOverCDPTransport } {
  const transport: ConnectOverCDPTransport = {
    send: (message) => gate.fromClient(message),
    close: () => socket.close(),
  };
  const gate = new TabGate({
    toBrowser: (message) => socket.send(JSON.stringify(message)),
    toClient: (message) => transport.onmessage?.(message),
    patienceMs: PATIENCE_MS,
  });
  socket.addEventListener('message', ({ data }) => gate.fromBrowser(JSON.parse(String(data)) as CdpMessage));
  socket.addEventListener('close', () => transport.onclose?.('the connection to the browser ended'));
  return { gate, transport };
}

/** Each answer lists the titles of all tabs: a page that does not answer is listed with its last one. */
function boundTitle(page: Page): void {
  const ask = page.title.bind(page);
  let last = '';
  let asked: Promise<string> | undefined;
  page.title = async () => {
    // One that is still owed is not waited for again.
    if (asked) return last;
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(last), TITLE_MS);
    });
    asked = ask().finally(() => {
      asked = undefined;
    });
    asked.then((title) => {
      last = title;
    }, ignore);
    return Promise.race([asked, over]).finally(() => clearTimeout(timer));
  };
}

/** Calls `onEnd` once when the browser ends: an idle connection to its DevTools is closed by that alone. */
export function watchBrowser({ host, port }: BrowserAddress, onEnd: () => void): Disposable {
  const socket = connect({ host, port });
  socket.setKeepAlive(true);
  // An error is followed by the close.
  socket.on('error', () => socket.destroy());
  socket.once('close', onEnd);
  socket.resume();
  return {
    [Symbol.dispose]: () => {
      socket.off('close', onEnd);
      socket.destroy();
    },
  };
}
