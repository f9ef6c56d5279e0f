import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import puppeteer, {
  type ConnectOptions,
  type Browser as PuppeteerBrowser,
  type Page as PuppeteerPage,
} from 'puppeteer-core';
import { expect } from 'vitest';

export const CHROMIUM = '/usr/bin/chromium';
/** Chromium flags for a machine without a GPU and user namespaces. */
export const FLAGS: readonly string[] = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
/** Timeout of a step, in milliseconds; the default of both libraries, 30 s, is short on a busy machine. */
const STEP_MS = 120_000;

/** An engine gives the port of a container to another one at the address of IPv6, which Chromium tries too. */
const ONLY_IPV4 = '--host-resolver-rules=MAP *.localhost 127.0.0.1';

/** Starts a browser outside the sandbox, as a user has it. */
export async function personsBrowser(): Promise<Browser & AsyncDisposable> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ONLY_IPV4], timeout: STEP_MS });
  return Object.assign(withTimeout(browser), { [Symbol.asyncDispose]: () => browser.close() });
}

/** Connects Playwright to a running browser. */
export async function connectPlaywright(
  endpoint: string,
  headers: Record<string, string> = {},
  options: { readonly noDefaults?: boolean } = {},
): Promise<Browser> {
  return withTimeout(await chromium.connectOverCDP(endpoint, { headers, timeout: STEP_MS, ...options }));
}

/** Connects Puppeteer to a running browser. */
export function connectPuppeteer(options: ConnectOptions): Promise<PuppeteerBrowser> {
  return puppeteer.connect({ protocolTimeout: STEP_MS, ...options });
}

/** Opens a page with Puppeteer. */
export async function puppeteerPage(browser: PuppeteerBrowser): Promise<PuppeteerPage> {
  const page = await browser.newPage();
  page.setDefaultTimeout(STEP_MS);
  return page;
}

/** Waits for the first page of a browser, which appears later than DevTools. */
export async function firstPage(browser: Browser): Promise<Page> {
  await expect.poll(() => browser.contexts()[0]?.pages()).not.toHaveLength(0);
  const page = browser.contexts()[0]?.pages()[0];
  if (!page) throw new Error('the browser has no page');
  return page;
}

function withTimeout(browser: Browser): Browser {
  const wait = (context: BrowserContext): void => context.setDefaultTimeout(STEP_MS);
  for (const context of browser.contexts()) wait(context);
  return browser.on('context', wait);
}
