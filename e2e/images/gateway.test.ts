import { once } from 'node:events';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startWebServer } from './observe.ts';
import { sharedSandbox } from './sandbox.ts';

const KEY = 'secret-key';
const sandbox = sharedSandbox({ env: { SVC_API_KEY: KEY, DISABLE_CODE_SERVER: 'false', DISABLE_JUPYTER: 'false' } });

async function status(path: string, headers: Record<string, string> = {}): Promise<number> {
  const answer = await sandbox().fetch(path, { headers, redirect: 'manual' });
  await answer.body?.cancel();
  return answer.status;
}

test('[images.gateway-cdp] Playwright works in the browser of the image through the public port', async () => {
  await expect.poll(() => status('/cdp/json/version'), { timeout: 60_000 }).toBe(200);
  const browser = await chromium.connectOverCDP(`${sandbox().url}/cdp?api_key=${KEY}`);
  const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
  await page.goto('data:text/html,<title>from outside</title>');
  expect(await page.title()).toBe('from outside');
  await page.close();
  await browser.close();
});

test('[images.gateway-vnc] the desktop of the image greets a viewer, and its pages are there', async () => {
  const viewer = new WebSocket(`${sandbox().url.replace('http', 'ws')}/websockify?api_key=${KEY}`);
  const [greeting] = (await once(viewer, 'message')) as [Buffer];
  expect(String(greeting)).toMatch(/^RFB 003\.008\n/);
  viewer.terminate();
  expect(await (await sandbox().fetch('/vnc/index.html')).text()).toContain('noVNC');
  expect(await status('/vnc/app/ui.js')).toBe(200);
});

test('[images.gateway-editors] code-server and JupyterLab answer below their prefixes', async () => {
  await expect.poll(() => status('/code-server/healthz'), { timeout: 90_000 }).toBe(200);
  expect(await (await sandbox().fetch('/code-server/?folder=/home/sandbox')).text()).toContain('vscode');
  await expect.poll(() => status('/jupyter/api'), { timeout: 90_000 }).toBe(200);
  expect(await (await sandbox().fetch('/jupyter/lab')).text()).toContain('JupyterLab');
});

test('[images.gateway-preview] a server in the image is previewed in every form, the product’s own ports in none', async () => {
  await startWebServer(sandbox(), 3000);
  await expect.poll(() => status('/proxy/3000/'), { timeout: 30_000 }).toBe(200);
  expect(await status('/nothing-of-ours', { 'x-aio-proxy-port': '3000' })).toBe(404);
  for (const port of [8080, 8091, 9222, 18_100, 8100]) {
    expect([
      port,
      await status(`/proxy/${port}/`),
      await status('/json', { 'x-aio-proxy-port': String(port) }),
    ]).toEqual([port, 403, 403]);
  }
});
