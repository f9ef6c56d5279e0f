import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { connectPlaywright, connectPuppeteer, firstPage, puppeteerPage } from '../pages/browsers.ts';
import { callBrowserMcp, devTools, pollByProcess, startServer, untilHealthy, useBrowserTool } from './observe.ts';
import { NO_BROWSER, NO_KERNELS, type Sandbox, sharedSandbox, startSandbox } from './sandbox.ts';
import { pidOf, programs, stopProgram } from './supervisor.ts';

const KEY = 'secret-key';
const HEADERS = { 'x-api-key': KEY };
/** Memory of the container in which a page takes all of it; without pages the image takes a quarter of it. */
const MEMORY_GIB = 1.2;
const PAGE_BEHIND = 'data:text/html,<title>other</title>';
const EXTENSION = '/opt/svc/browser-extensions/marker';
const MANIFEST = {
  manifest_version: 3,
  name: 'marker',
  version: '1',
  content_scripts: [{ matches: ['http://*/*'], js: ['mark.js'], run_at: 'document_end' }],
};
const sandbox = sharedSandbox({
  env: { SVC_API_KEY: KEY, ...NO_BROWSER, ...NO_KERNELS },
  with: (container) =>
    container.withCopyContentToContainer([
      { content: JSON.stringify(MANIFEST), target: `${EXTENSION}/manifest.json` },
      { content: 'document.documentElement.dataset.marked = "yes";', target: `${EXTENSION}/mark.js` },
    ]),
});

const runs = async (of: Sandbox): Promise<boolean> => (await devTools(of, 'version')).includes('Chrome/');
const stateOf = async (of: Sandbox): Promise<string | undefined> => (await programs(of))['chromium'];
const browserPid = (of: Sandbox): Promise<number | undefined> => pidOf(of, 'chromium');

async function stopped(): Promise<void> {
  await stopProgram(sandbox(), 'chromium').catch(() => undefined);
  await pollByProcess(() => runs(sandbox())).toBe(false);
}

async function started(): Promise<void> {
  await sandbox().shell('start-browser');
}

/** A page that stays: a title, a counter in the local storage, and two downloads. */
const SITE = `require("node:http").createServer((req, res) => {
  if (req.url === "/report.txt") res.setHeader("content-disposition", "attachment; filename=report.txt");
  res.setHeader("content-type", req.url === "/report.txt" ? "application/octet-stream" : "text/html");
  res.end(req.url === "/report.txt" ? "the report" : "<title>site</title><a id=get href=/report.txt>get</a>");
}).listen(3200, "127.0.0.1", () => console.log("the site is open"))`;
let site: ReturnType<typeof startServer> | undefined;

async function openSite(): Promise<string> {
  site ??= startServer(sandbox(), `exec node -e '${SITE}'`, 'the site is open');
  await site;
  return 'http://127.0.0.1:3200/';
}

test('[images.browser-start] with the start mode manual POST /v2/browser/start starts the browser that /cdp misses', async () => {
  await stopped();
  const missing = await sandbox().fetch('/cdp/json/version');
  const { hint } = (await missing.json()) as { hint: string };
  expect([missing.status, hint]).toEqual([503, expect.stringContaining('POST /v2/browser/start')]);
  expect(hint).toContain('start-browser');
  const begun = await sandbox().post<{ started: boolean; version: string }>('/v2/browser/start', {});
  expect(begun).toEqual({ started: true, version: expect.stringContaining('Chrome/') });
  expect((await sandbox().fetch('/json/version')).status).toBe(200);
  expect(await sandbox().post('/v1/browser/start', {})).toEqual({ ...begun, started: false });
  await untilHealthy(sandbox());
});

test('[images.start-browser] the command start-browser starts the browser for the account and for root', async () => {
  for (const user of ['sandbox', 'root']) {
    await stopped();
    expect(await sandbox().run('start-browser && echo started', { user })).toMatchObject({ stdout: 'started\n' });
    expect(await runs(sandbox())).toBe(true);
  }
  await stopped();
  const refused = await sandbox().run('start-browser', { user: 'games', cwd: '/' });
  expect(refused).toMatchObject({ exit_code: 1, stderr: expect.stringContaining('games may not start the browser') });
  expect(await stateOf(sandbox())).toBe('STOPPED');
});

test('[images.start-rights] the account asks for the browser by a FIFO of root’s, and reaches no supervisor', async () => {
  const ask = 'stat -c "%U %G %a" /run/svc/start-browser /run/svc/supervisor.sock; supervisorctl status 2>&1';
  const { stdout } = await sandbox().run(`${ask}; mv /run/svc/start-browser /tmp 2>&1`);
  expect(stdout).toContain('root sandbox 620\nroot root 700\n');
  expect(stdout).toContain('Permission denied');
  expect(stdout).toMatch(/mv: cannot move/);
  // Whatever is written starts the browser alone, and the supervisor goes on.
  await stopped();
  const before = await programs(sandbox());
  await sandbox().run(
    'head -c 200000 /dev/urandom > /run/svc/start-browser; echo "stop daemon" > /run/svc/start-browser',
  );
  await pollByProcess(() => runs(sandbox())).toBe(true);
  await pollByProcess(() => programs(sandbox())).toEqual({ ...before, chromium: 'RUNNING' });
});

test('[images.browser-closed] a browser that a person closes stays closed, one that crashes is started again', async () => {
  await started();
  const pid = await browserPid(sandbox());
  // A stale lock is what a crash leaves.
  await sandbox().shell(`kill -KILL ${pid}`);
  await pollByProcess(() => browserPid(sandbox())).not.toBe(pid);
  await pollByProcess(() => runs(sandbox())).toBe(true);
  const browser = await connectPlaywright(`${sandbox().url}/cdp`, HEADERS);
  const session = await browser.newBrowserCDPSession();
  // On an idle machine this is within a second of the start, the `startsecs` of the other start modes.
  await session.send('Browser.close').catch(() => {});
  await pollByProcess(() => stateOf(sandbox())).toBe('EXITED');
  await started();
  expect(await runs(sandbox())).toBe(true);
});

test('[images.profile] [images.extensions] a restart keeps the profile, and extensions of the folder are loaded', async () => {
  const url = await openSite();
  const count = 'localStorage.count = Number(localStorage.count ?? 0) + 1';
  const visit = async (): Promise<unknown[]> => {
    await started();
    const browser = await connectPlaywright(`${sandbox().url}/cdp`, HEADERS);
    const page = await firstPage(browser);
    await page.goto(url);
    const marked = await page.evaluate('document.documentElement.dataset.marked');
    const seen = [Number(await page.evaluate(count)), marked];
    await browser.close();
    return seen;
  };
  const [first] = await visit();
  // Chromium writes the storage of pages to the disk some seconds later.
  const written = 'grep -rlaF count "$HOME/.config/sandbox-browser/Default/Local Storage/leveldb"';
  await pollByProcess(async () => (await sandbox().run(written)).stdout).not.toBe('');
  await stopped();
  expect(await visit()).toEqual([Number(first) + 1, 'yes']);
});

test('[images.downloads] downloads are where docs/gateway.md says, and GET /v2/fs/download fetches them', async () => {
  const url = await openSite();
  await started();
  const fetched = async (path: string): Promise<string> =>
    (await sandbox().fetch(`/v2/fs/download?path=${encodeURIComponent(path)}`)).text();
  const listed = async (): Promise<string> =>
    (await sandbox().run('ls ~/Downloads /tmp/playwright-artifacts-*')).stdout;
  await sandbox().run('rm -rf ~/Downloads /tmp/playwright-artifacts-*');

  // Playwright's default: a name of its own, in a directory that only the sandbox has.
  const browser = await connectPlaywright(`${sandbox().url}/cdp`, HEADERS);
  const page = await firstPage(browser);
  await page.goto(url);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#get')]);
  const path = await download.path();
  expect([download.suggestedFilename(), path]).toEqual([
    'report.txt',
    expect.stringMatching(/^\/tmp\/playwright-artifacts-/),
  ]);
  expect(await fetched(path)).toBe('the report');
  await browser.close();
  expect(await fetched(path)).toBe('the report');

  // Without Playwright's defaults, and with Puppeteer: the browser's own folder and the site's name.
  const plain = await connectPlaywright(`${sandbox().url}/cdp`, HEADERS, { noDefaults: true });
  const plainPage = await firstPage(plain);
  await plainPage.goto(url);
  // Until the browser knows that the first client has left, that client's directory is in force.
  const clicked = async (): Promise<string> => {
    await plainPage.click('#get');
    return await fetched('/home/sandbox/Downloads/report.txt');
  };
  await expect.poll(clicked).toBe('the report');
  await plain.close();
  await sandbox().run('cd ~/Downloads && rm report*.txt && touch report.txt');
  const puppet = await connectPuppeteer({ browserURL: sandbox().url, headers: HEADERS });
  const opened = await puppeteerPage(puppet);
  await opened.goto(url);
  await opened.click('#get');
  await expect.poll(() => fetched('/home/sandbox/Downloads/report (1).txt')).toBe('the report');
  await opened.close();
  await puppet.disconnect();
  expect(await listed()).toContain('report (1).txt');
});

test('[mcp-browser.life] the MCP server is there while a browser is, also one that a command has started', async () => {
  const lists = async (): Promise<boolean> =>
    (await callBrowserMcp(sandbox(), 'tools/list').catch(String)).includes('browser_click');
  await stopped();
  await pollByProcess(lists).toBe(false);
  await started();
  await pollByProcess(lists).toBe(true);
  // The server itself runs by now, and ends with its browser.
  await stopped();
  await pollByProcess(lists).toBe(false);
  const flags = '--headless --no-sandbox --disable-gpu --remote-debugging-port=9222 --user-data-dir=/tmp/by-hand';
  const command = { command: `exec /usr/lib/chromium/chromium ${flags} about:blank`, mode: 'async' };
  const { command_id } = await sandbox().post<{ command_id: string }>('/v2/commands', command);
  await pollByProcess(lists).toBe(true);
  await sandbox().post(`/v2/commands/${command_id}/kill`, { signal: 'SIGKILL' });
  await pollByProcess(lists).toBe(false);
});

test('[mcp.browser-server] [mcp-browser.listed] the hub has the tools of pages, and calls say whether a browser runs', async () => {
  const names = (): Promise<string[]> => sandbox().toolNames();
  await stopped();
  const built = JSON.parse(await sandbox().shell('cat /opt/svc/product/browser-tools.json')).tools;
  const isOfPages = (name: string): boolean => name.startsWith('browser_');
  expect((await names()).slice(10).filter(isOfPages)).toEqual(built.map(({ name }: { name: string }) => name));
  await started();
  const url = await openSite();
  const used = () => sandbox().mcp('tools/call', { name: 'browser_navigate', arguments: { url } });
  // The first call waits for the server, and answers the page itself.
  expect(JSON.stringify(await used())).toMatch(/link \\+"get\\+"/);
  await stopped();
  expect(await names()).toContain('browser_snapshot');
  const refused = JSON.stringify(await used());
  expect(refused).toContain('BROWSER_START_MODE is manual: POST /v2/browser/start');
  await started();
  expect(JSON.stringify(await used())).toMatch(/link \\+"get\\+"/);
});

test('[mcp-browser.task] [mcp-browser.files] requests without a session click through the page that other clients see', async () => {
  const url = await openSite();
  await started();
  await pollByProcess(() => useBrowserTool(sandbox(), 'browser_navigate', { url }).catch(String)).toContain('site');
  const snapshot = await useBrowserTool(sandbox(), 'browser_snapshot');
  const ref = /link "get" \[ref=(\w+)\]/.exec(snapshot)?.[1];
  expect(ref).toBeDefined();
  const seen = await devTools(sandbox(), 'list');
  expect(seen).toContain(`"url": "${url}"`);
  await sandbox().run('rm -rf ~/Downloads');
  await useBrowserTool(sandbox(), 'browser_click', { element: 'link', target: ref });
  await pollByProcess(async () => (await sandbox().run('cat ~/Downloads/report.txt')).stdout).toBe('the report');
  // The account can read this file and no credential.
  expect(await useBrowserTool(sandbox(), 'browser_navigate', { url: 'file:///etc/passwd' })).toContain('sandbox:x:');
  const key = await useBrowserTool(sandbox(), 'browser_navigate', { url: 'file:///run/svc/api-key' });
  expect(key).not.toContain(KEY);
  const foreign = '-H "Origin: http://127.0.0.1:3200" -H "content-type: application/json" -d "{}"';
  expect(await sandbox().shell(`curl -s -o /dev/null -w '%{http_code}' ${foreign} http://127.0.0.1:8100/mcp`)).toBe(
    '403',
  );
});

test('[images.silent-browser] a browser that is stopped by a signal is 503 at /cdp, and serves when it continues', async () => {
  await started();
  const pid = await browserPid(sandbox());
  const each = (signal: string): Promise<string> => sandbox().shell(`kill -s ${signal} -- -${pid}`);
  const { webSocketDebuggerUrl: address } = (await (await sandbox().fetch('/json/version')).json()) as {
    webSocketDebuggerUrl: string;
  };
  await each('STOP');
  onTestFinished(async () => void (await each('CONT').catch(() => {})));
  const upgrade = async (): Promise<string> => {
    const client = new WebSocket(address, { headers: HEADERS });
    return String((await Promise.race([once(client, 'error'), once(client, 'open')]))[0]);
  };
  const [discovery, direct, refusal] = await Promise.all([
    sandbox().fetch('/cdp/json/version'),
    sandbox().fetch('/cdp/json/protocol'),
    upgrade(),
  ]);
  expect([discovery.status, direct.status]).toEqual([503, 503]);
  expect(refusal).toContain('503');
  await each('CONT');
  expect((await sandbox().fetch('/cdp/json/version')).status).toBe(200);
});

test('[images.crashed-tab] a page that takes all memory ends its tab, and browser and services go on', async () => {
  await using small = await startSandbox({
    env: { BROWSER_START_MODE: 'auto' },
    with: (container) => container.withResourcesQuota({ memory: MEMORY_GIB }),
  });
  const [browserBefore, daemonBefore] = [await browserPid(small), await pidOf(small, 'daemon')];
  // A handler that writes a report of a tab may keep the browser waiting for the tab's end.
  expect(await small.shell('ps -eo args | grep [c]rashpad_handler || true')).toBe('');
  const browser = await connectPlaywright(`${small.url}/cdp`);
  const [context] = browser.contexts();
  if (!context) throw new Error('the browser has no context');
  // The first tab of a browser that has just started may still load its own first page.
  const other = await context.newPage();
  await other.goto(PAGE_BEHIND);
  const hungry = await context.newPage();
  await hungry.goto('data:text/html,<title>hungry</title>');
  const crashed = hungry.waitForEvent('crash');
  const take = 'globalThis.held = []; for (;;) held.push(new Uint8Array(2 ** 24).fill(1))';
  hungry.evaluate(take).catch(() => {});
  await crashed;
  const shown = [await other.title(), other.url(), await other.content()];
  expect(shown).toEqual(['other', PAGE_BEHIND, expect.stringContaining('<title>other</title>')]);
  const next = await context.newPage();
  await next.goto('data:text/html,<title>next</title>');
  expect(await next.title()).toBe('next');
  expect([await browserPid(small), await pidOf(small, 'daemon')]).toEqual([browserBefore, daemonBefore]);
  expect((await small.fetch('/ready')).status).toBe(200);
  await browser.close();
});
