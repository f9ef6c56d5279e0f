import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pollUntil } from '@sandbox/api/wait.ts';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { XServer } from './x-server.fixture.ts';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--kiosk'];
const START_MS = 80_000;

/** A page that covers the display and records what arrives, as any application would get it. */
const TARGET = `<!doctype html><meta charset="utf-8"><style>*{margin:0}textarea{width:100vw;height:60vh}</style>
<textarea autofocus></textarea><div id="box" style="height:200px;overflow:auto"><div style="height:4000px">box</div></div>
<script>
  window.seen = [];
  const note = (text) => window.seen.push(text);
  for (const type of ['mousedown', 'mouseup', 'contextmenu', 'dblclick'])
    addEventListener(type, (event) => note(type + ' ' + event.button + ' ' + event.screenX + ',' + event.screenY));
  addEventListener('contextmenu', (event) => event.preventDefault());
  // Chromium joins turns of the wheel that come together.
  window.turned = [0, 0];
  addEventListener('wheel', ({ deltaX, deltaY }) => { turned[0] += deltaX; turned[1] += deltaY; });
  addEventListener('mousemove', (event) => { window.moves = (window.moves ?? 0) + 1; });
  for (const type of ['keydown', 'keyup']) addEventListener(type, (event) => note(type + ' ' + event.key));
</script>`;

/** Chromium on a display, with a page that records its input. */
export class TestPage implements AsyncDisposable {
  readonly page: Page;
  readonly #browser: Browser;
  readonly #profile: string;

  private constructor(page: Page, browser: Browser, profile: string) {
    this.page = page;
    this.#browser = browser;
    this.#profile = profile;
  }

  static async open(server: XServer): Promise<TestPage> {
    const profile = await mkdtemp(join(tmpdir(), 'computer-use-'));
    const size = ['--window-position=0,0', '--window-size=1000,700'];
    server.run('chromium', ...FLAGS, ...size, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank');
    const portFile = join(profile, 'DevToolsActivePort');
    let port = Number.NaN;
    const isThere = async (): Promise<boolean> => {
      port = Number.parseInt(await readFile(portFile, 'utf8').catch(() => ''), 10);
      return port > 0;
    };
    if ((await pollUntil(isThere, { everyMs: 20, ms: START_MS })) !== 'settled') throw new Error('no Chromium');
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
    const page = browser.contexts()[0]?.pages()[0];
    if (page === undefined) throw new Error('Chromium has no page');
    const opened = new TestPage(page, browser, profile);
    await opened.reset();
    return opened;
  }

  /** A new page of the same content, focused. */
  async reset(): Promise<void> {
    await this.page.goto('about:blank');
    await this.page.setContent(TARGET);
    await this.page.bringToFront();
    await this.page.locator('textarea').focus();
    await this.page.waitForFunction('document.hasFocus() && innerWidth > 500');
  }

  text(): Promise<string> {
    return this.page.locator('textarea').inputValue();
  }

  /** What has arrived so far. */
  seen(): Promise<string[]> {
    return this.page.evaluate('window.seen');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 10 });
  }
}
