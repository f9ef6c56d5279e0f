import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pollUntil } from '@sandbox/api/wait.ts';
import type { LightMyRequestResponse } from 'fastify';
import { TestApp } from '../../app.fixture.ts';
import type { Config } from '../../config.ts';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];

/** Seconds that a page may take for a value, on a busy machine. */
const PATIENCE_SECONDS = 80;
/** Milliseconds; a busy machine starts it slowly. */
const START_MS = 80_000;

/** A browser without a window, with a profile of its own; the tests of a file share it. */
export class TestBrowser implements AsyncDisposable {
  readonly port: number;
  readonly profile: string;
  readonly child: ChildProcess;

  private constructor(port: number, profile: string, child: ChildProcess) {
    this.port = port;
    this.profile = profile;
    this.child = child;
  }

  static async start(flags: readonly string[] = [], port = 0, kept?: string): Promise<TestBrowser> {
    const profile = kept ?? (await mkdtemp(join(tmpdir(), 'sandboxd-chromium-')));
    const active = join(profile, 'DevToolsActivePort');
    await rm(active, { force: true });
    const args = [...FLAGS, ...flags, `--remote-debugging-port=${port}`, `--user-data-dir=${profile}`, 'about:blank'];
    const child = spawn(CHROMIUM, args, { stdio: 'ignore', detached: true });
    // It writes the port only where it has chosen it.
    const found = async (): Promise<number> =>
      port === 0
        ? Number.parseInt(await readFile(active, 'utf8').catch(() => ''), 10)
        : fetch(`http://127.0.0.1:${port}/json/version`).then(
            () => port,
            () => 0,
          );
    const end = await pollUntil(async () => (await found()) > 0, { everyMs: 20, ms: START_MS });
    if (end !== 'settled') throw new Error(`Chromium did not start: ${child.exitCode}`);
    return new TestBrowser(await found(), profile, child);
  }

  /** Signals all its processes. */
  signal(signal: NodeJS.Signals): void {
    if (this.child.pid !== undefined && this.child.exitCode === null) process.kill(-this.child.pid, signal);
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.signal('SIGKILL');
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    await rm(this.profile, { recursive: true, force: true, maxRetries: 10 });
  }
}

type Answer = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** A site whose pages are the entries of a table, by path. */
export class TestSite implements AsyncDisposable {
  readonly pages: Record<string, Answer> = {};
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const answer = this.pages[request.url?.split('?')[0] ?? ''];
      if (typeof answer === 'function') answer(request, response);
      else if (answer === undefined) response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>not here</h1>');
      else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(answer);
    });
  }

  static async start(): Promise<TestSite> {
    const site = new TestSite();
    await once(site.#server.listen(0, '127.0.0.1'), 'listening');
    return site;
  }

  /** @param host another name for this machine: another site for the browser */
  url(path: string, host = '127.0.0.1'): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A daemon with a browser and a site; each test opens tabs of its own. */
export class BrowserBench implements AsyncDisposable {
  readonly browser: TestBrowser;
  readonly site: TestSite;
  readonly daemon: TestApp;

  private constructor(browser: TestBrowser, site: TestSite, daemon: TestApp) {
    this.browser = browser;
    this.site = site;
    this.daemon = daemon;
  }

  static async start(flags: readonly string[] = [], config: Partial<Config> = {}): Promise<BrowserBench> {
    const [browser, site] = await Promise.all([TestBrowser.start(flags), TestSite.start()]);
    const daemon = await TestApp.start({ browserPort: browser.port, ...config });
    return new BrowserBench(browser, site, daemon);
  }

  /** Calls a route below `/v2/browser/`. */
  post(path: string, body: object = {}): Promise<LightMyRequestResponse> {
    return this.daemon.post(`/v2/browser/${path}`, body);
  }

  get(path: string): Promise<LightMyRequestResponse> {
    return this.daemon.inject(`/v2/browser/${path}`);
  }

  /** Opens a tab with this content; it is closed at the end of the scope. */
  async page(html: string, path = '/'): Promise<TestTab> {
    this.site.pages[path] = html;
    return this.open(this.site.url(path));
  }

  async open(url: string): Promise<TestTab> {
    const opened = await this.post('tabs');
    if (!opened.json().success) throw new Error(opened.body);
    const tab = new TestTab(this, opened.json().data.id);
    const arrived = await tab.post('navigate', { url });
    if (!arrived.json().success) throw new Error(arrived.body);
    return tab;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
    await this.site[Symbol.asyncDispose]();
    await this.browser[Symbol.asyncDispose]();
  }
}

/** A tab of one test. */
export class TestTab implements AsyncDisposable {
  readonly id: string;
  readonly #bench: BrowserBench;

  constructor(bench: BrowserBench, id: string) {
    this.#bench = bench;
    this.id = id;
  }

  post(path: string, body: object = {}): Promise<LightMyRequestResponse> {
    return this.#bench.post(path, { tab_id: this.id, ...body });
  }

  /** The value of an expression in the page. */
  async value(expression: string): Promise<unknown> {
    const answer = (await this.post('evaluate', { expression, timeout: PATIENCE_SECONDS })).json();
    if (!answer.success) throw new Error(answer.message);
    return answer.data.result;
  }

  /** The text of a snapshot. */
  async text(more: object = {}): Promise<string> {
    const answer = await this.post('snapshot', more);
    if (answer.statusCode !== 200) throw new Error(answer.body);
    return answer.json().data.snapshot;
  }

  /** The reference of the line with this text. */
  async ref(line: string | RegExp): Promise<string> {
    const text = await this.text();
    const found = text.split('\n').find((each) => (typeof line === 'string' ? each.includes(line) : line.test(each)));
    const ref = /\[ref=(e\d+)\]/.exec(found ?? '')?.[1];
    if (ref === undefined) throw new Error(`no line ${line} with a reference in\n${text}`);
    return ref;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#bench.daemon.inject({ method: 'DELETE', url: `/v2/browser/tabs/${this.id}` });
  }
}
