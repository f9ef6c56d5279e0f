import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { onTestFailed } from 'vitest';
import { ROOT } from '../../scripts/root.ts';
import { personsBrowser } from '../pages/browsers.ts';

const PICTURES = join(ROOT, 'dist/e2e-screenshots');
/** Chromium ends requests if a network interface comes or goes, as that of another container does. */
const NETWORK_CHANGED = 'net::ERR_NETWORK_CHANGED';
const LOADS_MAX = 4;

/** A user's browser outside the sandbox that shows a page of the sandbox. */
export interface Person extends AsyncDisposable {
  readonly page: Page;
  /** Requests of the page to other hosts than the sandbox's. */
  readonly foreign: readonly string[];
  /** Console messages of the page. */
  readonly said: readonly string[];
}

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** Opens `path` of the sandbox at `url` in a browser; a screenshot is kept if the test fails. */
export async function personAt(
  url: string,
  path: string,
  viewport: { width: number; height: number },
): Promise<Person> {
  const browser = await personsBrowser();
  const page = await browser.newPage({ viewport });
  const foreign: string[] = [];
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('request', (request) => {
    const requested = new URL(request.url());
    const isNetwork = /^(?:http|ws)s?:$/.test(requested.protocol);
    if (isNetwork && requested.host !== new URL(url).host) foreign.push(requested.href);
  });
  let last: Buffer | undefined;
  onTestFailed(async ({ task }) => {
    if (last) await keepPicture(`failed-${task.name}`, last);
  });
  await load(page, url + path);
  return {
    page,
    foreign,
    said,
    async [Symbol.asyncDispose]() {
      last = await page.screenshot();
      await browser.close();
    },
  };
}

/** Opens the page at `url`, and again if a part of it was lost with a network interface. */
export async function load(page: Page, url: string): Promise<void> {
  let isWhole = false;
  page.on('requestfailed', (request) => {
    if (request.failure()?.errorText === NETWORK_CHANGED) isWhole = false;
  });
  for (let loads = 1; !isWhole; loads += 1) {
    isWhole = true;
    await page.goto(url).catch((error: unknown) => {
      if (isWhole || loads === LOADS_MAX) throw error;
    });
    if (loads === LOADS_MAX) return;
  }
}

/** Writes a screenshot to dist/e2e-screenshots. */
export async function keepPicture(name: string, png: Uint8Array): Promise<void> {
  await mkdir(PICTURES, { recursive: true });
  await writeFile(join(PICTURES, `${name.replace(/[^a-z0-9]+/gi, '-').slice(0, 80)}.png`), png);
}

/** Width and height of a PNG (PNG specification, IHDR). */
export function pictureSize(png: Uint8Array): [width: number, height: number] {
  const bytes = Buffer.from(png);
  if (bytes.toString('latin1', 1, 4) !== 'PNG') throw new Error('not a PNG');
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

/** Up to five distinct colours of 40 by 40 pixels of noVNC's canvas; empty while there is no canvas. */
export function patchColours(page: Page, { x, y }: Place): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const canvas = document.querySelector('#noVNC_container canvas');
    if (!canvas) return [];
    const { data } = canvas.getContext('2d').getImageData(${Math.round(x) - 20}, ${Math.round(y) - 20}, 40, 40);
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) colours.add(data.slice(i, i + 3).join());
    return [...colours].slice(0, 5);
  })()`);
}
