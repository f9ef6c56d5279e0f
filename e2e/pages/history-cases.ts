import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Pages of e2e/images/browser-site.cjs. */
interface Addresses {
  readonly site: string;
  readonly home: string;
  readonly form: string;
  readonly square: string;
  readonly inner: string;
}

type Case = readonly [string, (page: Page, at: Addresses) => Promise<void>];

export function addressesAt(site: string): Addresses {
  return { site, home: `${site}/`, form: `${site}/form`, square: `${site}/square`, inner: `${site}/inner` };
}

async function visit(page: Page, ...urls: readonly string[]): Promise<void> {
  for (const url of urls) await page.goto(url);
}

/** Status and address after a step through the history. */
const after = async (page: Page, step: ReturnType<Page['goBack']>): Promise<unknown[]> => [
  (await step)?.status() ?? null,
  page.url(),
];

/** What a client may ask of the history of a page; each begins with a page that has shown nothing. */
export const HISTORY_CASES: readonly Case[] = [
  [
    'back',
    async (page, at) => {
      await visit(page, at.home, at.form);
      expect(await after(page, page.goBack())).toEqual([200, at.home]);
    },
  ],
  [
    'back and forward',
    async (page, at) => {
      await visit(page, at.home, at.form);
      await page.goBack();
      expect(await after(page, page.goForward())).toEqual([200, at.form]);
    },
  ],
  [
    'back twice, forward twice',
    async (page, at) => {
      await visit(page, at.home, at.form, at.square);
      expect(await after(page, page.goBack())).toEqual([200, at.form]);
      expect(await after(page, page.goBack())).toEqual([200, at.home]);
      expect(await after(page, page.goForward())).toEqual([200, at.form]);
      expect(await after(page, page.goForward())).toEqual([200, at.square]);
    },
  ],
  [
    'back to about:blank',
    async (page, at) => {
      await visit(page, at.home);
      await page.goBack();
      expect(page.url()).toBe('about:blank');
    },
  ],
  [
    'back without an entry is null',
    async (page) => {
      expect(await page.goBack()).toBe(null);
    },
  ],
  [
    'forward without an entry is null',
    async (page, at) => {
      await visit(page, at.home);
      expect(await page.goForward()).toBe(null);
    },
  ],
  [
    'forward is gone after a new address',
    async (page, at) => {
      await visit(page, at.home, at.form);
      await page.goBack();
      await visit(page, at.square);
      expect([await page.goForward(), page.url()]).toEqual([null, at.square]);
    },
  ],
  [
    'back until commit',
    async (page, at) => {
      await visit(page, at.home, at.form);
      expect(await after(page, page.goBack({ waitUntil: 'commit' }))).toEqual([200, at.home]);
      // Chromium may lose the close of a page that has just committed, also without the gateway.
      await page.waitForLoadState();
    },
  ],
  [
    'back until domcontentloaded',
    async (page, at) => {
      await visit(page, at.home, at.form);
      expect(await after(page, page.goBack({ waitUntil: 'domcontentloaded' }))).toEqual([200, at.home]);
    },
  ],
  [
    'back until networkidle',
    async (page, at) => {
      await visit(page, at.home, at.form);
      expect(await after(page, page.goBack({ waitUntil: 'networkidle' }))).toEqual([200, at.home]);
    },
  ],
  [
    'forward until networkidle',
    async (page, at) => {
      await visit(page, at.home, at.form);
      await page.goBack();
      expect(await after(page, page.goForward({ waitUntil: 'networkidle' }))).toEqual([200, at.form]);
    },
  ],
  [
    'a hash and back',
    async (page, at) => {
      await visit(page, at.home, `${at.home}#there`);
      await page.goBack();
      expect(page.url()).toBe(at.home);
    },
  ],
  [
    'a hash, back and forward',
    async (page, at) => {
      await visit(page, at.home, `${at.home}#there`);
      await page.goBack();
      await page.goForward();
      expect(page.url()).toBe(`${at.home}#there`);
    },
  ],
  [
    'pushState and back',
    async (page, at) => {
      await visit(page, at.home);
      await page.evaluate('history.pushState({}, "", "/pushed")');
      await page.goBack();
      expect(page.url()).toBe(at.home);
    },
  ],
  [
    'pushState, back and forward',
    async (page, at) => {
      await visit(page, at.home);
      await page.evaluate('history.pushState({}, "", "/pushed")');
      await page.goBack();
      await page.goForward();
      expect(page.url()).toBe(`${at.site}/pushed`);
    },
  ],
  [
    'replaceState keeps the number of entries',
    async (page, at) => {
      await visit(page, at.home, at.form);
      await page.evaluate('history.replaceState({}, "", "/replaced")');
      expect(await after(page, page.goBack())).toEqual([200, at.home]);
    },
  ],
  [
    'history.back() of the page',
    async (page, at) => {
      await visit(page, at.home, at.form);
      await Promise.all([page.waitForURL(at.home), page.evaluate('void setTimeout(() => history.back())')]);
      expect(page.url()).toBe(at.home);
    },
  ],
  [
    'history.go(-2) of the page',
    async (page, at) => {
      await visit(page, at.home, at.form, at.square);
      await Promise.all([page.waitForURL(at.home), page.evaluate('void setTimeout(() => history.go(-2))')]);
      expect(page.url()).toBe(at.home);
    },
  ],
  [
    'a link, back',
    async (page, at) => {
      await visit(page, at.home);
      await page.click('a');
      await page.waitForURL(at.form);
      expect(await after(page, page.goBack())).toEqual([200, at.home]);
    },
  ],
  [
    'a link, back, the link again',
    async (page, at) => {
      await visit(page, at.home);
      await page.click('a');
      await page.waitForURL(at.form);
      await page.goBack();
      await page.click('a');
      await page.waitForURL(at.form);
      expect(await page.title()).toBe('Form');
    },
  ],
  [
    'reload',
    async (page, at) => {
      await visit(page, at.home);
      await page.evaluate('document.title = "changed"');
      expect(await after(page, page.reload())).toEqual([200, at.home]);
      expect(await page.title()).toBe('Home');
    },
  ],
  [
    'reload after back',
    async (page, at) => {
      await visit(page, at.home, at.form);
      await page.goBack();
      expect(await after(page, page.reload())).toEqual([200, at.home]);
      expect(await after(page, page.goForward())).toEqual([200, at.form]);
    },
  ],
  [
    'location.reload() of the page',
    async (page, at) => {
      await visit(page, at.home);
      await Promise.all([page.waitForEvent('load'), page.evaluate('void setTimeout(() => location.reload())')]);
      expect(page.url()).toBe(at.home);
    },
  ],
  [
    'back from a page that is not there',
    async (page, at) => {
      await visit(page, at.home, `${at.site}/missing`);
      expect(await after(page, page.goBack())).toEqual([200, at.home]);
      expect(await after(page, page.goForward())).toEqual([404, `${at.site}/missing`]);
    },
  ],
  [
    'back from a data: address',
    async (page, at) => {
      await visit(page, at.home, 'data:text/html,<title>data</title>');
      expect(await after(page, page.goBack())).toEqual([200, at.home]);
    },
  ],
  [
    'back after an address that cannot be reached',
    async (page, at) => {
      await visit(page, at.home);
      const failed = page.waitForEvent('requestfailed');
      await expect(page.goto('http://127.0.0.1:3299/')).rejects.toThrow();
      // Playwright takes a failure that is reported after the step for that of the step.
      await failed;
      // The page of the error opens after that, and Playwright steps back from a page alone.
      await page.waitForURL('chrome-error://chromewebdata/');
      await page.goBack();
      expect(page.url()).toBe(at.home);
    },
  ],
  [
    'back with another site between',
    async (page, at) => {
      await visit(page, at.home, at.form.replace('127.0.0.1', 'localhost'));
      expect(await after(page, page.goBack())).toEqual([200, at.home]);
    },
  ],
  [
    'a page with a frame, back and forward',
    async (page, at) => {
      await visit(page, at.form, at.home);
      await page.goBack();
      await page.frameLocator('iframe').getByRole('button').click();
      expect(await page.evaluate('window.inner')).toBe(true);
      expect(await after(page, page.goForward())).toEqual([200, at.home]);
    },
  ],
  [
    'a page with an unload listener, back',
    async (page, at) => {
      await visit(page, at.home);
      await page.evaluate('addEventListener("pagehide", () => {}); addEventListener("unload", () => {})');
      await visit(page, at.inner);
      expect(await after(page, page.goBack())).toEqual([200, at.home]);
    },
  ],
  [
    'what was typed into a page is reached again, and the page works',
    async (page, at) => {
      await visit(page, at.form);
      await page.fill('#who', 'ann');
      await visit(page, at.home);
      await page.goBack();
      await page.fill('#who', 'bob');
      await page.click('#go');
      expect(await page.evaluate('[who.value, window.hits]')).toEqual(['bob', 1]);
    },
  ],
];
