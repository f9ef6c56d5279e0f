import type { Finding } from '../../core/finding.ts';
import { BrowserStarter } from './start/browser-starter.ts';

const PATIENCE_MS = 2000;

export interface BrowserTerms {
  readonly browserHost: string;
  readonly browserPort: number;
  readonly browserStartMode: 'async' | 'auto' | 'manual';
  readonly browserStarter?: string | undefined;
}

/** The address of the browser's DevTools. The image or the operator starts the browser, not the daemon. */
export class BrowserEndpoint implements AsyncDisposable {
  readonly starter: BrowserStarter;
  readonly #url: string;
  readonly #mode: BrowserTerms['browserStartMode'];

  constructor({ browserHost, browserPort, browserStartMode, browserStarter }: BrowserTerms) {
    const host = browserHost.includes(':') ? `[${browserHost.replace(/[[\]]/g, '')}]` : browserHost;
    this.#url = `http://${host}:${browserPort}/json/version`;
    this.#mode = browserStartMode;
    this.starter = new BrowserStarter({ fifo: browserStarter, version: () => this.version() });
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
    return { name, ok: false, detail: `nothing answers at ${this.#url}`, hint };
  }

  /** What the browser calls itself; undefined where none answers within two seconds. */
  async version(): Promise<string | undefined> {
    try {
      const answer = await fetch(this.#url, { signal: AbortSignal.timeout(PATIENCE_MS) });
      const { Browser: version } = (await answer.json()) as { Browser?: unknown };
      return answer.ok ? String(version) : undefined;
    } catch {
      return undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // It holds nothing.
  }
}
