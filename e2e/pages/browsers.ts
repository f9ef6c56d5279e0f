import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import puppeteer, {
  type ConnectOptions,
  type Browser as PuppeteerBrowser,
  type Page as PuppeteerPage,
} from 'puppeteer-core';
import { expect } from 'vitest';

export const CHROMIUM = '/usr/bin/chromium';
/** As in an image without a graphics card, and without user namespaces. */
export const FLAGS: readonly string[] = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
/** How long a step may take, as a poll of these tests: the default of both libraries, 30 s, is short on a busy machine. */
const STEP_MS = 120_000;

/** A browser at which a person would sit. */
export async function personsBrowser(): Promise<Browser & AsyncDisposable> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS], timeout: STEP_MS });
  return Object.assign(patient(browser), { [Symbol.asyncDispose]: () => browser.close() });
}

/** Playwright at a browser that runs. */
export async function connectPlaywright(endpoint: string, headers: Record<string, string> = {}): Promise<Browser> {
  return patient(await chromium.connectOverCDP(endpoint, { headers, timeout: STEP_MS }));
}

/** Puppeteer at a browser that runs. */
export function connectPuppeteer(options: ConnectOptions): Promise<PuppeteerBrowser> {
  return puppeteer.connect({ protocolTimeout: STEP_MS, ...options });
}

/** A new page of Puppeteer's. */
export async function puppeteerPage(browser: PuppeteerBrowser): Promise<PuppeteerPage> {
  const page = await browser.newPage();
  page.setDefaultTimeout(STEP_MS);
  return page;
}

/** The page that a browser begins with; its DevTools answer before it is there. */
export async function firstPage(browser: Browser): Promise<Page> {
  await expect.poll(() => browser.contexts()[0]?.pages()).not.toHaveLength(0);
  const page = browser.contexts()[0]?.pages()[0];
  if (!page) throw new Error('the browser has no page');
  return page;
}

function patient(browser: Browser): Browser {
  const wait = (context: BrowserContext): void => context.setDefaultTimeout(STEP_MS);
  for (const context of browser.contexts()) wait(context);
  return browser.on('context', wait);
}
