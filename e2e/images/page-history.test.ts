import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { DAEMON_IMAGE, DESKTOP_IMAGE } from '../../scripts/images/build-images.ts';
import { connectPlaywright, connectPuppeteer, puppeteerPage } from '../pages/browsers.ts';
import { addressesAt, HISTORY_CASES } from '../pages/history-cases.ts';
import { openSite, SITE } from './browser-site.ts';
import { NO_KERNELS, sharedSandbox } from './sandbox.ts';

const HEADERS = { 'x-api-key': 'secret-key' };
const AT = addressesAt(SITE);

describe.each([DAEMON_IMAGE, DESKTOP_IMAGE])('%s', (image) => {
  const env = { SVC_API_KEY: HEADERS['x-api-key'], BROWSER_START_MODE: 'auto', ...NO_KERNELS };
  const sandbox = sharedSandbox({ image, env });
  let browser: Browser;
  let fresh: BrowserContext;
  let connected: Promise<void> | undefined;

  async function connect(): Promise<void> {
    await openSite(sandbox());
    // A call of the API waits for the browser, which /cdp does not.
    await sandbox().post('/v2/browser/navigate', { url: SITE });
    browser = await connectPlaywright(`${sandbox().url}/cdp`, HEADERS);
    fresh = await browser.newContext();
  }

  beforeEach(async () => {
    connected ??= connect();
    await connected;
  });

  afterAll(() => browser?.close());

  test.each(HISTORY_CASES)(
    '[images.browser-history] Playwright over /cdp, in the context of people and in one of its own: %s',
    {
      timeout: 60_000,
    },
    async (_name, steps) => {
      for (const context of [browser.contexts()[0], fresh]) {
        const page = await context?.newPage();
        if (page === undefined) throw new Error('the browser has no context');
        await steps(page, AT);
        await page.close();
      }
    },
  );

  test('[images.browser-history] Puppeteer goes back and forward', async () => {
    const puppeteer = await connectPuppeteer({
      browserWSEndpoint: `${sandbox().url.replace('http', 'ws')}/cdp`,
      headers: HEADERS,
    });
    const page = await puppeteerPage(puppeteer);
    await page.goto(AT.home);
    await page.goto(AT.form);
    expect([(await page.goBack())?.status(), page.url()]).toEqual([200, AT.home]);
    expect([(await page.goForward())?.status(), page.url()]).toEqual([200, AT.form]);
    await page.close();
    await puppeteer.disconnect();
  });
});
