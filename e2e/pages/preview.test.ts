import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { ROOT } from '../../scripts/root.ts';
import { freePort } from '../../scripts/testing/free-port.ts';
import { KEY } from './app-page.ts';
import { test } from './page-test.ts';
import { Stage } from './stage.ts';

/** A Vite application with a page that shows the text of a module. */
async function viteApp(stage: Stage, base: (port: number) => string): Promise<number> {
  const port = await freePort();
  await writeFile(join(stage.directory, 'index.html'), '<h1></h1><script type="module" src="./main.js"></script>');
  await writeModule(stage, 'first');
  await writeFile(
    join(stage.directory, 'main.js'),
    "import { text } from './text.js'; const show = (t) => { document.querySelector('h1').textContent = t; }; show(text); window.loaded = (window.loaded ?? 0) + 1; import.meta.hot.accept('./text.js', (next) => show(next.text));",
  );
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  await stage.program(
    process.execPath,
    [vite, '--port', String(port), '--strictPort', '--base', base(port), '--configLoader', 'native'],
    () => fetch(`http://localhost:${port}/`),
  );
  return port;
}

/** In one step: Vite would also load the file while it is empty, and not again within 50 ms. */
async function writeModule(stage: Stage, text: string): Promise<void> {
  const path = join(stage.directory, 'text.js');
  await writeFile(`${path}.new`, `export const text = ${JSON.stringify(text)};`);
  await rename(`${path}.new`, path);
}

/** Opens the application and checks that it shows the text of the module, also after a change. */
async function reloadsHot(page: Page, url: string, stage: Stage): Promise<void> {
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  await page.goto(`${url}?api_key=${KEY}`);
  expect(page.url()).toBe(url);
  await expect.poll(() => page.textContent('h1')).toBe('first');
  await expect.poll(() => said).toContain('[vite] connected.');
  await writeModule(stage, 'second');
  await expect.poll(() => page.textContent('h1')).toBe('second');
  expect(await page.evaluate('window.loaded')).toBe(1);
}

test('[preview.vite-host] a Vite app on its own host loads and hot-reloads', async ({ person, services }) => {
  await using stage = await Stage.open();
  const port = await viteApp(stage, () => '/');
  const page = await person.newPage();
  const gateway = new URL(services.url).port;
  await reloadsHot(page, `http://${port}.localhost:${gateway}/`, stage);
});

test('[preview.vite-path] a Vite app that knows its base loads and hot-reloads below /absproxy', async ({
  person,
  services,
}) => {
  await using stage = await Stage.open();
  const port = await viteApp(stage, (own) => `/absproxy/${own}/`);
  const page = await person.newPage();
  await reloadsHot(page, `${services.url}/absproxy/${port}/`, stage);
});

test('[preview.link] the landing page lists listening ports and opens one on its own host, without the key in the URL', async ({
  person,
  services,
}) => {
  await using stage = await Stage.open();
  const port = await freePort();
  await stage.program(
    process.execPath,
    [
      '-e',
      `require('node:http').createServer((q, s) => s.end('<title>app</title>' + q.url + (q.headers.cookie ?? ''))).listen(${port}, '127.0.0.1')`,
    ],
    () => fetch(`http://127.0.0.1:${port}`),
  );
  const page = await person.newPage();
  const home = services.url.replace('127.0.0.1', 'localhost');
  await page.goto(home);
  await page.fill('input[type=password]', KEY);
  await page.click('button');
  await page.click(`text=Port ${port}`);
  expect(page.url()).toBe(`${home.replace('localhost', `${port}.localhost`)}/`);
  expect(await page.content()).toContain('<title>app</title></head><body>/</body>');
});
