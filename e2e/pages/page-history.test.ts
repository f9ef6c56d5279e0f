import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestBrowser } from '../../daemon/src/capabilities/browser/chromium.fixture.ts';
import { ROOT } from '../../scripts/root.ts';
import { freePort } from '../../scripts/testing/free-port.ts';
import { Services } from '../services.ts';
import { connectPlaywright, connectPuppeteer, puppeteerPage } from './browsers.ts';
import { addressesAt, HISTORY_CASES } from './history-cases.ts';

/** Without this flag, which the images set, steps through the history time out: docs/browser.md. */
const FLAGS = ['--disable-back-forward-cache'];
const PORT = await freePort();
const AT = addressesAt(`http://127.0.0.1:${PORT}`);
const stack = new AsyncDisposableStack();
let services: Services;
let playwright: Browser;
let own: BrowserContext;

beforeAll(async () => {
  const site = spawn(process.execPath, [join(ROOT, 'e2e/images/browser-site.cjs'), String(PORT)]);
  stack.defer(() => void site.kill());
  await once(site.stdout, 'data');
  const browser = stack.use(await TestBrowser.start(FLAGS));
  services = stack.use(await Services.start({ BROWSER_REMOTE_DEBUGGING_PORT: String(browser.port) }));
  playwright = await connectPlaywright(`${services.url}/cdp`);
  stack.defer(() => playwright.close());
  own = await playwright.newContext();
}, 180_000);

afterAll(() => stack.disposeAsync());

test('[browser.page-history] there are thirty cases', () => {
  expect(HISTORY_CASES).toHaveLength(30);
});

test.each(HISTORY_CASES)(
  '[browser.page-history] Playwright over /cdp, in the existing and in a new context: %s',
  async (_title, steps) => {
    for (const context of [playwright.contexts()[0], own]) {
      if (context === undefined) throw new Error('the browser has no context');
      const page = await context.newPage();
      await steps(page, AT);
      await page.close();
    }
  },
);

test('[browser.page-history] Puppeteer over /cdp goes back and forward', async () => {
  const puppeteer = await connectPuppeteer({ browserWSEndpoint: `${services.url.replace('http', 'ws')}/cdp` });
  const page = await puppeteerPage(puppeteer);
  const { home, form } = AT;
  await page.goto(home);
  await page.goto(form);
  expect([(await page.goBack())?.status(), page.url()]).toEqual([200, home]);
  expect([(await page.goForward())?.status(), page.url()]).toEqual([200, form]);
  await page.close();
  await puppeteer.disconnect();
});
