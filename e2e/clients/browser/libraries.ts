import type { Frame, Page as PuppeteerPage } from 'puppeteer-core';
import { connectPlaywright, connectPuppeteer, puppeteerPage } from '../../pages/browsers.ts';
import { type Hands, NOTE } from './task.ts';

const TO_THE_END = 'window.scrollTo(0, document.body.scrollHeight)';
const TEXT = 'document.body.innerText';

/** Playwright on a new tab of the browser that everybody sees. */
export async function playwrightHands(endpoint: string, headers: Record<string, string>): Promise<Hands> {
  const browser = await connectPlaywright(endpoint, headers);
  const context = browser.contexts()[0] ?? (await browser.newContext());
  const page = await context.newPage();
  const named = (name: string) => page.getByRole('button', { name }).or(page.getByRole('link', { name }));
  return {
    open: async (url) => void (await page.goto(url)),
    fill: (label, text) => page.getByLabel(label).fill(text),
    choose: async (label, option) => void (await page.getByLabel(label).selectOption(option)),
    press: (name) => named(name).click(),
    pressInFrame: (name) => page.frameLocator('iframe').getByRole('button', { name }).click(),
    pressAndAccept: async (name) => {
      page.once('dialog', (dialog) => void dialog.accept());
      await named(name).click();
    },
    attach: (label, path) =>
      page
        .getByLabel(label)
        .setInputFiles({ name: path.slice('/tmp/'.length), mimeType: 'text/plain', buffer: Buffer.from(NOTE.content) }),
    scroll: async () => void (await page.evaluate(TO_THE_END)),
    back: async () => void (await page.goBack()),
    forward: async () => void (await page.goForward()),
    text: () => page.evaluate(TEXT),
    close: async () => {
      await page.close();
      await browser.close();
    },
  };
}

/** Puppeteer on a new tab. */
export async function puppeteerHands(options: Parameters<typeof connectPuppeteer>[0]): Promise<Hands> {
  const browser = await connectPuppeteer(options);
  const page = await puppeteerPage(browser);
  const aria = (of: PuppeteerPage | Frame, name: string) => of.locator(`::-p-aria(${name})`);
  return {
    open: async (url) => {
      // Its locators wait for the next picture of the page, and a tab behind another one draws none.
      await page.bringToFront();
      await page.goto(url);
    },
    fill: (label, text) => aria(page, label).fill(text),
    choose: (label, option) => aria(page, label).fill(option),
    press: (name) => aria(page, name).click(),
    pressInFrame: async (name) => {
      const frame = await page.waitForFrame((one) => one.url().endsWith('/inner'));
      await aria(frame, name).click();
    },
    pressAndAccept: async (name) => {
      page.once('dialog', (dialog) => void dialog.accept());
      await aria(page, name).click();
    },
    attach: async (_label, path) => {
      const input = await page.waitForSelector('input[type=file]');
      await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
    },
    scroll: async () => void (await page.evaluate(TO_THE_END)),
    back: async () => void (await page.goBack()),
    forward: async () => void (await page.goForward()),
    text: async () => String(await page.evaluate(TEXT)),
    close: async () => {
      await page.close();
      await browser.disconnect();
    },
  };
}
