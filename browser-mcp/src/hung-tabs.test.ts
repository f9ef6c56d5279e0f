import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TestBrowser, TestSite } from '../../daemon/src/capabilities/browser/chromium.fixture.ts';
import { listTools } from './browser-mcp.ts';
import { openDevTools } from './devtools-socket.ts';
import { ProcessorWait } from './processor-wait.fixture.ts';
import { RawTab } from './raw-tab.fixture.ts';
import { CALLS, FINE, SPOILED, useAll } from './spoiled-tabs.fixture.ts';
import { startedServer } from './started-server.fixture.ts';

let browser: TestBrowser;
let site: TestSite;
let output: string;
const opened: RawTab[] = [];

beforeAll(async () => {
  [browser, site] = await Promise.all([TestBrowser.start(), TestSite.start()]);
  output = await mkdtemp(join(tmpdir(), 'browser-mcp-'));
  site.pages['/empty'] = '<title>empty</title>';
  site.pages['/fine'] = FINE;
  site.pages['/loop'] = '<title>loop</title><script>for (;;);</script>';
}, 100_000);

afterEach(async () => {
  for (const tab of opened.splice(0)) await tab.close();
});

afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  await rm(output, { recursive: true, force: true });
});

/** A tab of another client. */
async function tabAt(path: string): Promise<RawTab> {
  const tab = await RawTab.open({ devtools: `http://127.0.0.1:${browser.port}` }, site.url(path));
  opened.push(tab);
  return tab;
}

test('[mcp-browser.bad-tabs] the calls are of all tools', async () => {
  const names = ((await listTools()) as { name: string }[]).map(({ name }) => name);
  expect([...new Set(CALLS.map(([name]) => name))].sort()).toEqual(names.sort());
});

test.each(Object.entries(SPOILED))(
  '[mcp-browser.bad-tabs] with a tab that is %s before the first call every tool works on another one',
  {
    timeout: 120_000,
  },
  async (_kind, spoil) => {
    await spoil(await tabAt('/empty'));
    await using server = await startedServer(browser.port, output);
    await useAll(server, new ProcessorWait(process.pid), site.url('/fine'));
  },
);

test.each(Object.entries(SPOILED))(
  '[mcp-browser.bad-tabs] with a tab that the server knows and that is then %s every tool works on another one',
  {
    timeout: 120_000,
  },
  async (_kind, spoil) => {
    const tab = await tabAt('/empty');
    await using server = await startedServer(browser.port, output);
    expect((await server.use('browser_tabs', { action: 'list' })).text).toContain('[empty]');
    await spoil(tab);
    await useAll(server, new ProcessorWait(process.pid), site.url('/fine'));
  },
);

test('[mcp-browser.bad-tabs] a page that did not answer is listed once it does', { timeout: 60_000 }, async () => {
  const tab = await tabAt('/empty');
  tab.tell('Runtime.evaluate', { expression: 'const end = Date.now() + 6000; while (Date.now() < end);' });
  await using server = await startedServer(browser.port, output);
  const list = async (): Promise<string> => (await server.use('browser_tabs', { action: 'list' })).text;
  expect(await list()).not.toContain('[empty]');
  await expect.poll(list, { timeout: 30_000 }).toContain('[empty]');
});

test('[mcp-browser.hung-call] a page that holds a call up and answers nothing is crashed, and the next call works', {
  timeout: 60_000,
}, async () => {
  await using server = await startedServer(browser.port, output, ['--hung-tab-seconds', '3']);
  await server.use('browser_tabs', { action: 'new' });
  const { text, isError, ms } = await server.use('browser_navigate', { url: site.url('/loop') });
  expect([isError, text]).toEqual([true, expect.stringContaining('crashed')]);
  expect(ms).toBeGreaterThan(3000);
  expect(ms).toBeLessThan(15_000);
  const after = await server.use('browser_navigate', { url: site.url('/fine') });
  expect([after.isError, after.text]).toEqual([false, expect.stringContaining('heading "fine"')]);
});

test('a connection is refused within its time by a port at which nothing speaks DevTools', async () => {
  await expect(openDevTools(site.url('').replace(/\/$/, ''), 2000)).rejects.toThrow();
});
