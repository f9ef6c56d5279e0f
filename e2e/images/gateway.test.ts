import { once } from 'node:events';
import type { Browser, Page } from 'playwright-core';
import type { Browser as PuppeteerBrowser } from 'puppeteer-core';
import { beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { connectPlaywright, connectPuppeteer, firstPage, puppeteerPage } from '../pages/browsers.ts';
import { startServer, startWebServer, untilHealthy } from './observe.ts';
import { keepPicture, type Place, patchColours, personAt, pictureSize } from './person.ts';
import { NO_KERNELS, sharedSandbox } from './sandbox.ts';

const KEY = 'secret-key';
const sandbox = sharedSandbox({
  env: {
    SVC_API_KEY: KEY,
    // Without the loopback, from which the gateway connects; the network of the engine is the caller's.
    SVC_TRUSTED_PROXIES: '172.16.0.0/12',
    DISABLE_CODE_SERVER: 'false',
    DISABLE_JUPYTER: 'false',
    ...NO_KERNELS,
  },
});

// The service is ready before its browser, display and editors.
beforeEach(() => untilHealthy(sandbox()));

async function status(path: string, headers: Record<string, string> = {}): Promise<number> {
  const answer = await sandbox().fetch(path, { headers, redirect: 'manual' });
  await answer.body?.cancel();
  return answer.status;
}

/** A web shop in the sandbox: a form, and a page with the order. */
const SHOP = `require("node:http").createServer(async (req, res) => {
  res.setHeader("content-type", "text/html");
  const fields = new URLSearchParams(await require("node:stream/consumers").text(req));
  if (req.method === "POST") console.log("ordered", fields.get("size"), fields.get("what"));
  res.end(req.method === "POST" ? "<h1>Thank you for the " + fields.get("what") + "</h1>"
    : "<form method=post><input name=what><select name=size><option>small<option>large</select><button>Order</button></form>");
}).listen(3100, "127.0.0.1", () => console.log("the shop is open"))`;
const SHOP_URL = 'http://127.0.0.1:3100/';
let shop: ReturnType<typeof startServer> | undefined;

/** The shop, started by the first test that uses it. */
function openShop(): Promise<{ log: () => Promise<string> }> {
  shop ??= startServer(sandbox(), `exec node -e '${SHOP}'`, 'the shop is open');
  return shop;
}

const HEADERS = { 'x-api-key': KEY };
const VIEW = { width: 800, height: 600 };

test.each<[string, (url: string) => Promise<Browser>]>([
  ['header', (url) => connectPlaywright(`${url}/cdp`, HEADERS)],
  ['query', (url) => connectPlaywright(`${url}/cdp?api_key=${KEY}`)],
])(
  '[images.gateway-cdp] Playwright fills in a form in the browser of the image, with the key in the %s',
  async (where, connect) => {
    const { log } = await openShop();
    const browser = await connect(sandbox().url);
    const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
    await page.setViewportSize(VIEW);
    await page.goto(SHOP_URL);
    await page.fill('input', `kettle by ${where}`);
    await page.selectOption('select', 'large');
    await page.click('button');
    expect(await page.textContent('h1')).toBe(`Thank you for the kettle by ${where}`);
    const picture = await page.screenshot();
    await keepPicture(`playwright-${where}`, picture);
    expect(pictureSize(picture)).toEqual([VIEW.width, VIEW.height]);
    await expect.poll(log).toContain(`ordered large kettle by ${where}\n`);
    await page.close();
    await browser.close();
  },
);

test.each<[string, (url: string) => Promise<PuppeteerBrowser>]>([
  ['header', (url) => connectPuppeteer({ browserWSEndpoint: `${url}/cdp`, headers: HEADERS })],
  ['query', (url) => connectPuppeteer({ browserWSEndpoint: `${url}/cdp?api_key=${KEY}` })],
])(
  '[images.gateway-puppeteer] Puppeteer fills in a form in the browser of the image, with the key in the %s',
  async (where, connect) => {
    const { log } = await openShop();
    const browser = await connect(sandbox().url.replace('http', 'ws'));
    const page = await puppeteerPage(browser);
    await page.setViewport(VIEW);
    await page.goto(SHOP_URL);
    await page.type('input', `teapot by ${where}`);
    await page.select('select', 'large');
    await Promise.all([page.waitForNavigation(), page.click('button')]);
    expect(await page.$eval('h1', (title) => title.textContent)).toBe(`Thank you for the teapot by ${where}`);
    const picture = await page.screenshot();
    await keepPicture(`puppeteer-${where}`, picture);
    expect(pictureSize(picture)).toEqual([VIEW.width, VIEW.height]);
    await expect.poll(log).toContain(`ordered large teapot by ${where}\n`);
    await page.close();
    await browser.disconnect();
  },
);

/** What a proxy in front sends. */
const FORWARDED = {
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'public.example',
  'x-forwarded-prefix': '/box/7',
};

test('[proxy.gateway] links have the host, scheme and prefix of the caller, though the list of proxies has no gateway', async () => {
  const links = async (headers: Record<string, string>): Promise<string[]> => {
    const [info, page] = await Promise.all(
      ['/v2/browser/info', '/v1/shell/terminal-url'].map(async (path) => {
        const { data } = (await (await sandbox().fetch(path, { headers })).json()) as { data: unknown };
        return data;
      }),
    );
    const { cdp_url, vnc_url } = info as { cdp_url: string; vnc_url: string };
    return [cdp_url, vnc_url, String(page)].map((link) => link.split('?')[0] ?? '');
  };
  const { host } = new URL(sandbox().url);
  expect(await links({})).toEqual([`ws://${host}/cdp`, `http://${host}/vnc/index.html`, `http://${host}/terminal/`]);
  const outside = 'public.example/box/7';
  expect(await links(FORWARDED)).toEqual([
    `wss://${outside}/cdp`,
    `https://${outside}/vnc/index.html`,
    `https://${outside}/terminal/`,
  ]);
});

test('[images.gateway-vnc] the desktop of the image sends its RFB greeting, and its pages are served', async () => {
  const viewer = new WebSocket(`${sandbox().url.replace('http', 'ws')}/websockify?api_key=${KEY}`);
  const [greeting] = (await once(viewer, 'message')) as [Buffer];
  expect(String(greeting)).toMatch(/^RFB 003\.008\n/);
  viewer.terminate();
  expect(await (await sandbox().fetch('/vnc/index.html')).text()).toContain('noVNC');
  expect(await status('/vnc/app/ui.js')).toBe(200);
});

test('[images.gateway-editors] code-server and JupyterLab respond below their prefixes', async () => {
  expect(await status('/code-server/healthz')).toBe(200);
  expect(await (await sandbox().fetch('/code-server/?folder=/home/sandbox')).text()).toContain('vscode');
  expect(await status('/jupyter/api')).toBe(200);
  expect(await (await sandbox().fetch('/jupyter/lab')).text()).toContain('JupyterLab');
});

test('[images.gateway-preview] a server in the image can be previewed in every form, the product’s own ports cannot', async () => {
  const server = await startWebServer(sandbox(), 3000);
  await expect.poll(() => status('/proxy/3000/')).toBe(200);
  expect(await status('/nothing-of-ours', { 'x-aio-proxy-port': '3000' })).toBe(404);
  await expect.poll(server.log).toContain('"GET /nothing-of-ours HTTP/1.1" 404');
  for (const port of [8080, 8091, 9222, 18_100, 8100]) {
    expect([
      port,
      await status(`/proxy/${port}/`),
      await status('/json', { 'x-aio-proxy-port': String(port) }),
    ]).toEqual([port, 403, 403]);
  }
});

const COLOURS = `<title>colours</title><body style="margin:0;background:rgb(10,120,200)">
  <input style="position:absolute;left:40px;top:40px;width:600px;height:60px;font-size:40px">
  <div style="position:absolute;right:0;bottom:0;width:300px;height:200px;background:rgb(230,140,20)"></div>`;

/** Desktop coordinates of points of a page in the sandbox's browser. */
function onDesktop(page: Page): Promise<{ input: Place; blue: Place; orange: Place }> {
  return page.evaluate<{ input: Place; blue: Place; orange: Place }>(`(() => {
    const [left, top] = [screenX, screenY + outerHeight - innerHeight];
    return {
      input: { x: left + 200, y: top + 70 },
      blue: { x: left + 300, y: top + 300 },
      orange: { x: left + innerWidth - 150, y: top + innerHeight - 100 },
    };
  })()`);
}

test('[images.gateway-desktop] a user sees the browser of the sandbox, types into it and resizes it', async () => {
  const inside = await connectPlaywright(`${sandbox().url}/cdp?api_key=${KEY}`);
  const seen = await firstPage(inside);
  await seen.goto(`data:text/html,${encodeURIComponent(COLOURS)}`);
  await seen.bringToFront();
  const path = `/vnc/index.html?autoconnect=true&resize=remote&path=websockify%3Fapi_key%3D${KEY}&api_key=${KEY}`;
  await using person = await personAt(sandbox().url, path, { width: 1280, height: 1024 });
  const { input, blue, orange } = await onDesktop(seen);
  await expect.poll(() => patchColours(person.page, blue)).toEqual(['10,120,200']);
  await expect.poll(() => patchColours(person.page, orange)).toEqual(['230,140,20']);
  await person.page.locator('#noVNC_container canvas').click({ position: input });
  // Keys go to the page as soon as the click has given the focus to the input.
  await expect.poll(() => seen.evaluate('document.activeElement.tagName')).toBe('INPUT');
  await person.page.keyboard.type('Typed from outside');
  await expect.poll(() => seen.inputValue('input')).toBe('Typed from outside');
  await keepPicture('desktop', await person.page.screenshot());
  await person.page.setViewportSize({ width: 1000, height: 700 });
  await expect
    .poll(() => seen.evaluate('[screen.width, screen.height, outerWidth, outerHeight]'))
    .toEqual([1000, 700, 1000, 700]);
  const moved = await onDesktop(seen);
  await expect.poll(() => patchColours(person.page, moved.orange)).toEqual(['230,140,20']);
  await keepPicture('desktop-resized', await person.page.screenshot());
  expect(person.foreign).toEqual([]);
  await inside.close();
});

// Otherwise the terminal renders on a canvas, and a test cannot read its text.
const SETTINGS = '{"terminal.integrated.gpuAcceleration":"off"}';

test('[images.gateway-code-server] a user edits a file in code-server and uses its terminal', async () => {
  const settings = '~/.local/share/code-server/User';
  await sandbox().run(`mkdir -p ~/poems ${settings}; echo '${SETTINGS}' > ${settings}/settings.json`);
  await sandbox().run('echo "first line" > ~/poems/note.txt');
  const path = `/code-server/?folder=/home/sandbox/poems&api_key=${KEY}`;
  await using person = await personAt(sandbox().url, path, { width: 1200, height: 800 });
  const { page, foreign } = person;
  await page.getByRole('treeitem', { name: 'note.txt' }).dblclick();
  await page.locator('.editor-instance .view-lines').filter({ hasText: 'first' }).click();
  await page.locator('.editor-instance .monaco-editor.focused').waitFor();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('typed by a person, ');
  await page.keyboard.press('Control+s');
  const note = async () => (await sandbox().run('cat ~/poems/note.txt')).stdout;
  await expect.poll(note).toBe('typed by a person, first line\n');
  await page.keyboard.press('Control+Backquote');
  // A busy code-server may open two terminals at one key.
  const screen = page.locator('.terminal-wrapper .xterm-rows').first();
  await expect.poll(() => screen.textContent()).toContain('$');
  await page.locator('.terminal-wrapper .xterm-screen').first().click();
  await page.locator('.terminal-wrapper .xterm.focus').waitFor();
  // The prompt appears before the terminal accepts keys; after one key is echoed, further keys are accepted.
  const prompts = async () => {
    await page.keyboard.press('Enter');
    return (await screen.textContent())?.split('$').length ?? 0;
  };
  await expect.poll(prompts).toBeGreaterThan(2);
  // While a second terminal opens, keys are divided between both: a person types the line again.
  const screens = page.locator('.terminal-wrapper .xterm-rows');
  const answered = async () => {
    await page.keyboard.press('Control+c');
    await page.keyboard.type('echo "$USER answers $((6 * 7))"\n');
    return (await screens.allTextContents()).join('\n');
  };
  await expect.poll(answered, { interval: 1000 }).toContain('sandbox answers 42');
  await keepPicture('code-server', await page.screenshot());
  const scopes = 'navigator.serviceWorker.getRegistrations().then((all) => all.map(({ scope }) => scope))';
  expect(await page.evaluate(scopes)).toContain(`${sandbox().url}/code-server/`);
  expect(foreign).toEqual([]);
});

test('[images.code-server-quiet] code-server starts without a chat, which a user can enable', async () => {
  const settings = '/home/sandbox/.local/share/code-server/User/settings.json';
  await sandbox().shell(`rm -f ${settings} && supervisorctl restart code-server`);
  await expect.poll(() => status('/code-server/healthz')).toBe(200);
  const path = `/code-server/?folder=/home/sandbox&api_key=${KEY}`;
  await using person = await personAt(sandbox().url, path, { width: 1200, height: 800 });
  await person.page.getByRole('tab', { name: 'Welcome' }).waitFor();
  expect(await person.page.locator('.part.auxiliarybar').isVisible()).toBe(false);
  await keepPicture('code-server-quiet', await person.page.screenshot());
  const own = { 'chat.disableAIFeatures': false, 'workbench.secondarySideBar.defaultVisibility': 'visible' };
  await sandbox().run(`cat > ${settings}`, { stdin: JSON.stringify(own) });
  await using another = await personAt(sandbox().url, path, { width: 1200, height: 800 });
  await another.page.getByText('Build with Agent').waitFor();
  expect([person.foreign, another.foreign]).toEqual([[], []]);
});

test('[images.gateway-jupyter] a user runs a cell in JupyterLab', async () => {
  await using person = await personAt(sandbox().url, `/jupyter/lab?api_key=${KEY}`, { width: 1200, height: 800 });
  const { page, foreign } = person;
  await page.locator('.jp-LauncherCard[data-category="Notebook"]').first().click();
  await page.locator('#jp-main-statusbar').getByText('| Idle').waitFor();
  await page.locator('.jp-Notebook .jp-CodeCell .cm-content').first().click();
  await page.keyboard.type('import os; print(6 * 7, "in", os.getcwd())');
  await page.keyboard.press('Shift+Enter');
  await page.locator('.jp-Notebook .jp-OutputArea-output').filter({ hasText: '42 in /home/sandbox' }).waitFor();
  await page.keyboard.press('Control+s');
  await page.getByRole('button', { name: 'Rename' }).click();
  const saved = async () => (await sandbox().run('cat ~/Untitled.ipynb')).stdout;
  await expect.poll(saved).toContain('42 in /home/sandbox\\n');
  await keepPicture('jupyter', await page.screenshot());
  const settings = await sandbox().fetch('/jupyter/lab/api/settings/@jupyterlab/apputils-extension:notification');
  expect(await settings.json()).toMatchObject({ schema: { properties: { fetchNews: { default: 'false' } } } });
  expect(foreign).toEqual([]);
});
