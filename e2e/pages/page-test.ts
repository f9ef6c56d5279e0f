import type { Browser } from 'playwright-core';
import { test as base } from 'vitest';
import { Services } from '../services.ts';
import { api, KEY } from './app-page.ts';
import { personsBrowser } from './browsers.ts';
import { Stage } from './stage.ts';

interface Given {
  /** The browser of the file, which a test does not use itself. */
  readonly browser: Browser;
  /** The browser without any context; those of the test are closed at its end. */
  readonly person: Browser;
  /** The services of the file, which a test does not use itself. */
  readonly open: Services;
  /** Services with the key and without terminals; a test that stops one or sets an option starts its own. */
  readonly services: Services;
  /** Programs that run until the end of the file. */
  readonly programs: Stage;
}

/** Tests that share a browser and services with the other tests of their file, and nothing in them. */
export const test = base.extend<Given>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the dependencies of a fixture from the pattern.
    async ({}, use) => {
      await using browser = await personsBrowser();
      await use(browser);
    },
    { scope: 'file' },
  ],
  person: async ({ browser }, use) => {
    await use(browser);
    await Promise.all(browser.contexts().map((context) => context.close()));
  },
  open: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the dependencies of a fixture from the pattern.
    async ({}, use) => {
      await using services = await Services.start({ SVC_API_KEY: KEY });
      await use(services);
    },
    { scope: 'file' },
  ],
  services: async ({ open }, use) => {
    await use(open);
    await endTerminals(open);
  },
  programs: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the dependencies of a fixture from the pattern.
    async ({}, use) => {
      await using stage = await Stage.open();
      await use(stage);
    },
    { scope: 'file' },
  ],
});

async function endTerminals(services: Services): Promise<void> {
  const { sessions } = await api<{ sessions: Readonly<Record<string, unknown>> }>(services, '/v2/pty/sessions');
  for (const id of Object.keys(sessions)) {
    const url = `${services.url}/v2/pty/sessions/${encodeURIComponent(id)}`;
    const { status } = await fetch(url, { method: 'DELETE', headers: { 'x-api-key': KEY } });
    if (status !== 200) throw new Error(`the terminal ${id} is not removed: ${status}`);
  }
}
