import process from 'node:process';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { freePort } from '../../scripts/testing/free-port.ts';
import { KEY } from './app-page.ts';
import { test as base } from './page-test.ts';
import { lightShare, picture } from './picture.ts';
import type { Stage } from './stage.ts';

const WRONG = 'wrong-key-1';
const SERVE =
  'require("node:http").createServer((q, s) => s.setHeader("content-type", "text/html").end("<title>app</title>" + q.url + (q.headers.cookie ?? ""))).listen(process.argv[1], "127.0.0.1")';

async function application(stage: Stage): Promise<number> {
  const port = await freePort();
  await stage.program(process.execPath, ['-e', SERVE, String(port)], () => fetch(`http://127.0.0.1:${port}`));
  return port;
}

const test = base.extend<{ readonly port: number }>({
  port: [async ({ programs }, use) => use(await application(programs)), { scope: 'file' }],
});

async function enter(page: Page, key: string): Promise<void> {
  await page.fill('input[type=password]', key);
  await page.click('button');
}

/** All addresses of the page and its requests. */
function addressesOf(page: Page): string[] {
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  page.on('framenavigated', (frame) => addresses.push(frame.url()));
  return addresses;
}

test.for(['localhost', '127.0.0.1'])(
  '[preview.open-logged-out] /open/{port} at %s asks for the key once and shows the preview',
  async (host, { person, services, port }) => {
    const page = await person.newPage();
    const addresses = addressesOf(page);
    const gateway = new URL(services.url).port;
    await page.goto(`http://${host}:${gateway}/open/${port}`);
    await enter(page, KEY);
    await expect.poll(() => page.title()).toBe('app');
    const own =
      host === 'localhost' ? `http://${port}.localhost:${gateway}/` : `http://127.0.0.1:${gateway}/proxy/${port}/`;
    expect(page.url()).toBe(own);
    expect(await page.textContent('body')).toBe('/');
    expect(addresses.filter((address) => address.includes(KEY))).toEqual([]);
  },
);

test('[auth.form-wrong] on each page a wrong key is reported and is in no address, then the right one opens it', async ({
  person,
  services,
  port,
}) => {
  const gateway = new URL(services.url).port;
  for (const [url, title] of [
    [`${services.url}/?a=1`, 'Sandbox'],
    [`${services.url}/terminal/`, 'Terminal'],
    [`${services.url}/proxy/${port}/x?y=1`, 'app'],
    [`http://${port}.localhost:${gateway}/x?y=1`, 'app'],
    [`http://localhost:${gateway}/open/${port}`, 'app'],
  ] as const) {
    const context = await person.newContext();
    const page = await context.newPage();
    const addresses = addressesOf(page);
    await page.goto(url);
    await enter(page, WRONG);
    await expect.poll(() => page.locator('[role=alert]').allTextContents()).toEqual(['This key is not accepted.']);
    await enter(page, KEY);
    await expect.poll(() => page.title()).toBe(title);
    expect(page.url()).not.toContain('svc_sign_in');
    expect([url, addresses.filter((address) => address.includes(WRONG) || address.includes(KEY))]).toEqual([url, []]);
    await context.close();
  }
});

test('[auth.refused-link] a link with a wrong key leaves the address, and the form says why', async ({
  person,
  services,
}) => {
  const page = await person.newPage();
  await page.goto(`${services.url}/terminal/?session=a&api_key=${WRONG}`);
  expect(page.url()).toBe(`${services.url}/terminal/?session=a&svc_sign_in=key`);
  expect(await page.textContent('[role=alert]')).toBe('This key is not accepted.');
  await picture(page, 'key-refused');
});

test.for([
  ['light', 390],
  ['light', 1280],
  ['dark', 390],
  ['dark', 1280],
] as const)(
  '[page.looks] in %s at %i pixels the key form and the landing page fit',
  async ([colorScheme, width], { person, services }) => {
    const context = await person.newContext({ colorScheme, viewport: { width, height: 720 } });
    const page = await context.newPage();
    await page.goto(services.url);
    const looks = async (name: string): Promise<void> => {
      const light = await lightShare(page, { x: 0, y: 0, width, height: 720 });
      expect([name, colorScheme === 'light' ? light : 1 - light]).toEqual([name, expect.closeTo(1, 0)]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      await picture(page, `${name}-${colorScheme}-${width}`);
    };
    await looks('key-form');
    await enter(page, KEY);
    await page.getByRole('link', { name: 'Terminal' }).waitFor();
    await looks('landing');
  },
);
