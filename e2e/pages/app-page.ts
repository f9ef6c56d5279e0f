import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import type { Services } from '../services.ts';

export const KEY = 'open-sesame-7';

/** A page with the app, opened by the key; what its policy stops and what it throws is collected. */
export async function openApp(
  person: Browser,
  services: Services,
  hash = '',
  context: Parameters<Browser['newContext']>[0] = {},
): Promise<{ readonly page: Page; readonly faults: string[] }> {
  const page = await (await person.newContext({ viewport: { width: 1280, height: 800 }, ...context })).newPage();
  const faults = faultsOf(page);
  await page.goto(`${services.url}/?api_key=${KEY}${hash}`);
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  return { page, faults };
}

/** Exceptions of the page, and violations of its policy and of Trusted Types. */
export function faultsOf(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    if (/Content Security Policy|Trusted|violates/i.test(text)) faults.push(text);
  });
  return faults;
}

/** Leads the page to a view, as a link does. */
export async function showView(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

/** Calls the API with the key. */
export async function api<T>(services: Services, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(services.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return ((await answer.json()) as { data: T }).data;
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await using file = await open(path);
  // One buffer: those of a stream of gigabytes keep the garbage collector busy.
  const buffer = Buffer.allocUnsafe(2 ** 20);
  for (;;) {
    const { bytesRead } = await file.read(buffer);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
  }
}
