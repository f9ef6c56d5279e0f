import { request } from 'node:http';
import { timeoutSignal } from '@sandbox/api/wait.ts';
import { CollectedBytes } from '@sandbox/program/collected-bytes.ts';
import type { Finding } from '../../core/finding.ts';

/** Milliseconds for an answer: of a probe, and if a call waits for it. */
const PATIENCE_MS = 2000;
const CALL_MS = 5000;
/** Largest answer of the discovery that is read, in bytes. */
const ANSWER_MAX = 32 * 1024 ** 2;

export interface BrowserTerms {
  readonly browserHost: string;
  readonly browserPort: number;
  readonly browserStartMode: 'async' | 'auto' | 'manual';
  readonly browserStarter?: string | undefined;
  readonly browserOnDemand?: boolean;
  readonly hungTabSeconds?: number;
  readonly agentBrowser?: string | undefined;
}

/** A page as the discovery lists it. */
export interface ListedPage {
  readonly id: string;
  readonly url: string;
  readonly title: string;
}

/** The address of the browser's DevTools. The image or the operator starts the browser, not the daemon. */
export class BrowserEndpoint {
  readonly #host: string;
  readonly #port: number;
  readonly #mode: BrowserTerms['browserStartMode'];

  constructor({ browserHost, browserPort, browserStartMode }: BrowserTerms) {
    this.#host = browserHost.replace(/[[\]]/g, '');
    this.#port = browserPort;
    this.#mode = browserStartMode;
  }

  /** Host and port, as in a URL. */
  get authority(): string {
    return `${this.#host.includes(':') ? `[${this.#host}]` : this.#host}:${this.#port}`;
  }

  /** Only with the start mode `auto` does readiness wait for the browser. */
  async probe(): Promise<Finding> {
    const name = 'browser';
    if (this.#mode !== 'auto') {
      return { name, ok: true, detail: `not waited for: BROWSER_START_MODE is ${this.#mode}` };
    }
    const version = await this.version();
    if (version !== undefined) return { name, ok: true, detail: version };
    const hint = 'start the browser with --remote-debugging-port, or set BROWSER_START_MODE=async to be ready without';
    return { name, ok: false, detail: `nothing answers at http://${this.authority}/json/version`, hint };
  }

  /** What the browser calls itself; undefined if none answers within two seconds. */
  async version(): Promise<string | undefined> {
    try {
      const { Browser: version } = (await this.#get('/json/version', PATIENCE_MS)) as { Browser?: unknown };
      return String(version);
    } catch {
      return undefined;
    }
  }

  /** The WebSocket of the browser. @throws Error if none answers within five seconds */
  async socketUrl(): Promise<string> {
    const { webSocketDebuggerUrl: url } = (await this.#get('/json/version', CALL_MS)) as {
      webSocketDebuggerUrl?: unknown;
    };
    if (typeof url !== 'string' || !URL.canParse(url)) throw new Error('it names no WebSocket');
    return `ws://${this.authority}${new URL(url).pathname}`;
  }

  /** The pages; the one that was shown last is first. @throws Error if none answers within five seconds */
  async pages(): Promise<ListedPage[]> {
    const listed = (await this.#get('/json/list', CALL_MS)) as (ListedPage & { type?: unknown })[];
    return listed.filter(({ type }) => type === 'page');
  }

  #get(path: string, ms: number): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const signal = timeoutSignal(ms);
    // Chromium accepts only an IP address or `localhost`.
    const headers = { host: 'localhost' };
    const asked = request({ host: this.#host, port: this.#port, path, headers, signal }, (response) => {
      const received = new CollectedBytes();
      response.on('data', (chunk: Buffer) => {
        received.add(chunk);
        if (received.length > ANSWER_MAX) asked.destroy(new Error(`its answer is over ${ANSWER_MAX} bytes`));
      });
      response.once('error', reject);
      response.once('end', () => {
        if (response.statusCode !== 200) reject(new Error(`it answered ${response.statusCode}`));
        else resolve(parse(received.take().toString()));
      });
    });
    asked.once('error', reject);
    asked.end();
    return promise.then((value) => {
      if (typeof value !== 'object' || value === null) throw new Error('its answer is not JSON');
      return value;
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
