import { join } from 'node:path';
import { CdpConnection } from '../../../daemon/src/capabilities/browser/cdp/cdp-connection.ts';
import { CdpSession } from '../../../daemon/src/capabilities/browser/cdp/cdp-session.ts';
import { TestBrowser, TestSite } from '../../../daemon/src/capabilities/browser/chromium.fixture.ts';
import { ROOT } from '../../../scripts/root.ts';
import type { Need } from '../../../scripts/test-all/need.ts';
import { HttpClient, requireOk } from './http-client.ts';
import { type Service, startDaemon } from './services.ts';

const PEERS = 'dist/bench-peers';

export const BROWSER_PEERS: Need = {
  name: '@playwright/mcp and chrome-devtools-mcp',
  probe: ['test', '-d', `${PEERS}/node_modules/chrome-devtools-mcp`],
  obtain: [
    ['npm', 'install', '--prefix', PEERS, '--ignore-scripts', '@playwright/mcp@0.0.83', 'chrome-devtools-mcp@1.11.0'],
  ],
  reason: 'their snapshots are held against ours',
};

export const TOKENIZER: Need = {
  name: 'gpt-tokenizer',
  probe: ['test', '-d', `${PEERS}/node_modules/gpt-tokenizer`],
  obtain: [['npm', 'install', '--prefix', PEERS, '--ignore-scripts', 'gpt-tokenizer@4.0.0']],
  reason: 'it counts the tokens of snapshots',
};

/** The program of a peer, by its path in its package. */
export function peerProgram(path: string): string {
  return join(ROOT, PEERS, 'node_modules', path);
}

/** A browser, a daemon before it, and a plain client of its DevTools. */
export class BrowserBed implements AsyncDisposable {
  readonly browser: TestBrowser;
  readonly site: TestSite;
  readonly daemon: Service;
  readonly http: HttpClient;
  readonly #stack: AsyncDisposableStack;

  private constructor(browser: TestBrowser, site: TestSite, daemon: Service, stack: AsyncDisposableStack) {
    this.browser = browser;
    this.site = site;
    this.daemon = daemon;
    this.http = stack.use(new HttpClient(daemon.port));
    this.#stack = stack;
  }

  static async open(): Promise<BrowserBed> {
    const stack = new AsyncDisposableStack();
    const browser = stack.use(
      await TestBrowser.start(['--window-size=1280,800', '--disable-background-timer-throttling']),
    );
    const site = stack.use(await TestSite.start());
    const daemon = stack.use(await startDaemon({ BROWSER_REMOTE_DEBUGGING_PORT: String(browser.port) }));
    return new BrowserBed(browser, site, daemon, stack);
  }

  /** Calls a route below `/v2/browser/`; answers `data`. @throws Error if it is no success */
  async post(path: string, body: object): Promise<Record<string, unknown>> {
    const answer = JSON.parse(requireOk(await this.http.post(`/v2/browser/${path}`, body)));
    if (!answer.success) throw new Error(answer.message);
    return answer.data;
  }

  /** A daemon that has just started, and its first calls. */
  async anotherDaemon(): Promise<AsyncDisposable & { evaluate(tabId: string, expression: string): Promise<void> }> {
    const stack = new AsyncDisposableStack();
    const daemon = stack.use(await startDaemon({ BROWSER_REMOTE_DEBUGGING_PORT: String(this.browser.port) }));
    const http = stack.use(new HttpClient(daemon.port));
    return {
      evaluate: async (tab_id, expression) =>
        void requireOk(await http.post('/v2/browser/evaluate', { tab_id, expression })),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  }

  /** Opens a tab at a page of the site; answers its id. */
  async tab(path: string): Promise<string> {
    const { id } = await this.post('tabs', {});
    await this.post('navigate', { tab_id: id, url: this.site.url(path) });
    return String(id);
  }

  /** A plain client of the DevTools of a tab. */
  async raw(targetId: string): Promise<CdpSession> {
    const answer = await fetch(`http://127.0.0.1:${this.browser.port}/json/version`);
    const { webSocketDebuggerUrl } = (await answer.json()) as { webSocketDebuggerUrl: string };
    const connection = await CdpConnection.open(webSocketDebuggerUrl, { ms: 10_000, fail: () => undefined });
    this.#stack.use(connection);
    const { sessionId } = await new CdpSession(connection).send('Target.attachToTarget', { targetId, flatten: true });
    return new CdpSession(connection, sessionId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}
