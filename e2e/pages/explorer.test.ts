import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { Services } from '../services.ts';
import { KEY } from './app-page.ts';
import { test } from './page-test.ts';

/** What breaks the page's policy or leaves its origin. */
function faultsOf(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (asked) => {
    const url = asked.url();
    if (!url.startsWith(origin) && !/^(?:data|blob):/.test(url)) faults.push(url);
  });
  return faults;
}

test('[explorer.sign-in] [explorer.offline] the form asks for the key, then both explorers open without a fault', async ({
  person,
  services,
}) => {
  const page = await person.newPage();
  const faults = faultsOf(page, services.url);
  for (const [path, tag] of [
    ['/docs', 'commands'],
    ['/v1/docs', 'bash'],
  ] as const) {
    await page.goto(services.url + path);
    await page.fill('input[type=password]', KEY);
    await page.click('button');
    await page.waitForSelector('.swagger-ui .info');
    expect(new URL(page.url()).pathname).toBe(path);
    expect(await page.locator(`#operations-tag-${tag}`).count()).toBe(1);
  }
  // The form itself is 401, which the console notes.
  expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
});

test('[explorer.sign-in] a link with the key opens the explorer, and the key leaves the address', async ({
  person,
  services,
}) => {
  const page = await person.newPage();
  await page.goto(`${services.url}/docs?api_key=${KEY}`);
  await page.waitForSelector('.swagger-ui .info');
  expect(page.url()).toBe(`${services.url}/docs`);
});

test('[explorer.call] behind a path prefix a call from the explorer reaches the service', async ({ person }) => {
  await using services = await Services.start({});
  await using proxy = await prefixProxy(services.url, '/box/7');
  const page = await person.newPage();
  const faults = faultsOf(page, proxy.origin);
  await page.goto(`${proxy.origin}/box/7/docs`);
  await page.click('#operations-tag-operations');
  const operation = page.locator('.opblock', { hasText: 'Whether the daemon runs' });
  await operation.locator('.opblock-summary-path').click();
  await operation.locator('.try-out__btn').click();
  const answered = page.waitForResponse(`${proxy.origin}/box/7/health`);
  await operation.locator('.execute').click();
  expect((await answered).status()).toBe(200);
  await expect.poll(() => operation.locator('.live-responses-table').textContent()).toContain('healthy');
  expect(faults).toEqual([]);
});

/** A reverse proxy that serves the service below a prefix. */
async function prefixProxy(target: string, prefix: string): Promise<AsyncDisposable & { readonly origin: string }> {
  const { hostname, port } = new URL(target);
  const server = createServer((req, res) => {
    if (!req.url?.startsWith(`${prefix}/`)) {
      res.writeHead(404).end();
      return;
    }
    const options = { hostname, port, path: req.url.slice(prefix.length), method: req.method, headers: req.headers };
    req.pipe(
      request(options, (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
