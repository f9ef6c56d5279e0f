import type { Browser as PlaywrightBrowser } from 'playwright-core';
import type { Browser as PuppeteerBrowser } from 'puppeteer-core';
import { expect } from 'vitest';
import { Services } from '../services.ts';
import { KEY } from './app-page.ts';
import { connectPlaywright, connectPuppeteer, puppeteerPage } from './browsers.ts';
import { test as base } from './page-test.ts';

const HEADERS = { 'x-api-key': KEY };
const PAGE = `data:text/html,${encodeURIComponent('<title>todo</title><input><ul></ul><script>document.querySelector("input").addEventListener("change", (e) => { const li = document.createElement("li"); li.textContent = e.target.value; document.querySelector("ul").append(li); })</script>')}`;

type Connect = (origin: string) => Promise<PlaywrightBrowser>;

interface Given {
  /** DevTools port of the browser in the sandbox, the same for all tests. */
  readonly port: number;
  /** Services of all tests that do not stop one. */
  readonly sandbox: Services;
}

const test = base.extend<Given>({
  port: [async ({ programs }, use) => use(await programs.sandboxBrowser()), { scope: 'file' }],
  sandbox: [
    async ({ port }, use) => {
      await using services = await servicesAt(port);
      await use(services);
    },
    { scope: 'file' },
  ],
});

function servicesAt(port: number): Promise<Services> {
  return Services.start({ SVC_API_KEY: KEY, BROWSER_REMOTE_DEBUGGING_PORT: String(port) });
}

test.for<[string, Connect]>([
  ['the key in the query', (origin) => connectPlaywright(`${origin}/cdp?api_key=${KEY}`)],
  ['the key in a header', (origin) => connectPlaywright(`${origin}/cdp`, HEADERS)],
  ['the address of the WebSocket', (origin) => connectPlaywright(`${origin.replace('http', 'ws')}/cdp?api_key=${KEY}`)],
])('[cdp.playwright] Playwright works through /cdp with %s', async ([_what, connect], { sandbox }) => {
  const browser = await connect(sandbox.url);
  const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
  await page.goto(PAGE);
  for (const text of ['milk', 'bread']) {
    await page.fill('input', text);
    await page.press('input', 'Enter');
  }
  expect(await page.locator('li').allTextContents()).toEqual(['milk', 'bread']);
  expect((await page.screenshot()).subarray(1, 4).toString()).toBe('PNG');
  const megabytes = await page.evaluate(() => 'x'.repeat(20_000_000));
  expect(megabytes).toHaveLength(20_000_000);
  await page.close();
  await browser.close();
});

test.for<[string, (origin: string) => Promise<PuppeteerBrowser>]>([
  [
    'in the query',
    (origin) => connectPuppeteer({ browserWSEndpoint: `${origin.replace('http', 'ws')}/cdp?api_key=${KEY}` }),
  ],
  [
    'in a header',
    (origin) => connectPuppeteer({ browserWSEndpoint: `${origin.replace('http', 'ws')}/cdp`, headers: HEADERS }),
  ],
])('[cdp.puppeteer] Puppeteer works through /cdp with the key %s', async ([_what, connect], { sandbox }) => {
  const browser = await connect(sandbox.url);
  const page = await puppeteerPage(browser);
  await page.goto(PAGE);
  await page.type('input', 'eggs');
  await page.keyboard.press('Enter');
  expect(await page.$eval('li', (item) => item.textContent)).toBe('eggs');
  await page.close();
  await browser.disconnect();
});

test('without the key Playwright and Puppeteer are refused', async ({ sandbox }) => {
  await expect(connectPlaywright(`${sandbox.url}/cdp`)).rejects.toThrow('401');
  const endpoint = `${sandbox.url.replace('http', 'ws')}/cdp?api_key=wrong`;
  await expect(connectPuppeteer({ browserWSEndpoint: endpoint })).rejects.toThrow('401');
});

test('[relay.daemon-restart] open relays survive a restart of the daemon', async ({ port }) => {
  await using services = await servicesAt(port);
  const browser = await connectPlaywright(`${services.url}/cdp?api_key=${KEY}`);
  const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
  await page.goto(PAGE);
  await services.stopDaemon('SIGKILL');
  expect((await fetch(`${services.url}/cdp/json/version?api_key=${KEY}`)).status).toBe(503);
  expect(await page.title()).toBe('todo');
  await services.startDaemon();
  expect(await page.title()).toBe('todo');
  expect((await fetch(`${services.url}/cdp/json/version?api_key=${KEY}`)).status).toBe(200);
  await browser.close();
});
