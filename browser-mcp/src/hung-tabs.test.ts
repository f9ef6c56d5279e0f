import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TestBrowser, TestSite } from '../../daemon/src/capabilities/browser/chromium.fixture.ts';
import { listTools } from './browser-mcp.ts';
import { openDevTools } from './devtools-socket.ts';
import { RawTab } from './raw-tab.fixture.ts';
import { type Server, startedServer } from './started-server.fixture.ts';

/** The bound of issue and documents: milliseconds of a call on a tab that works. */
const CALL_MS = 5000;
const FINE =
  '<title>fine</title><h1>fine</h1><button id=press onclick="document.title=`clicked`">press</button>' +
  '<input id=name aria-label=name><select id=size aria-label=size><option>small<option>large</select>' +
  '<div id=from draggable=true>from</div><div id=to ondragover=event.preventDefault()>to</div>';
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
  const tab = await RawTab.open(browser.port, site.url(path));
  opened.push(tab);
  return tab;
}

/** What a page may do to its tab, by a client of DevTools that stays connected. */
const SPOILED: Readonly<Record<string, (tab: RawTab) => Promise<void>>> = {
  hung: async (tab) => void tab.tell('Runtime.evaluate', { expression: 'for (;;);' }),
  crashed: async (tab) => void tab.tell('Page.crash', {}),
  'blocked by a dialog': async (tab) => {
    await tab.ask('Page.enable', {});
    tab.tell('Runtime.evaluate', { expression: 'alert("stop")' });
    await tab.event('Page.javascriptDialogOpening');
  },
  'paused in a debugger': async (tab) => {
    await tab.ask('Debugger.enable', {});
    tab.tell('Runtime.evaluate', { expression: 'debugger; 1' });
    await tab.event('Debugger.paused');
  },
};

/** One call of each tool on the page /fine; those that end the tab are last. */
const CALLS: readonly (readonly [string, object])[] = [
  ['browser_navigate', { url: '/fine' }],
  ['browser_tabs', { action: 'list' }],
  ['browser_snapshot', {}],
  ['browser_find', { text: 'press' }],
  ['browser_click', { target: '#press' }],
  ['browser_hover', { target: '#press' }],
  ['browser_drag', { startTarget: '#from', endTarget: '#to' }],
  ['browser_drop', { target: '#to', data: { 'text/plain': 'x' } }],
  ['browser_type', { target: '#name', text: 'ann' }],
  ['browser_press_key', { key: 'Tab' }],
  ['browser_fill_form', { fields: [{ name: 'name', type: 'textbox', target: '#name', value: 'bob' }] }],
  ['browser_select_option', { target: '#size', values: ['large'] }],
  ['browser_evaluate', { function: '() => document.title' }],
  ['browser_run_code_unsafe', { code: 'async (page) => page.url()' }],
  ['browser_console_messages', { level: 'info' }],
  ['browser_network_requests', { static: true }],
  ['browser_network_request', { index: 1 }],
  ['browser_take_screenshot', { scale: 'css' }],
  ['browser_emulate_media', { colorScheme: 'dark' }],
  ['browser_resize', { width: 800, height: 600 }],
  ['browser_wait_for', { text: 'fine' }],
  ['browser_handle_dialog', { accept: true }],
  ['browser_file_upload', { paths: [] }],
  ['browser_navigate_back', {}],
  ['browser_tabs', { action: 'new' }],
  ['browser_tabs', { action: 'close' }],
  ['browser_close', {}],
];
/** The page has neither a dialog nor a file chooser, and the window is not for one caller to close. */
const REFUSED: ReadonlySet<string> = new Set(['browser_handle_dialog', 'browser_file_upload', 'browser_close']);

async function useAll(server: Server): Promise<void> {
  for (const [name, args] of CALLS) {
    const url = 'url' in args ? { url: site.url(String(args.url)) } : {};
    const { text, isError, ms } = await server.use(name, { ...args, ...url });
    expect({ name, text, isError }).toEqual({ name, text, isError: REFUSED.has(name) });
    expect({ name, ms }).toEqual({ name, ms: expect.toSatisfy((taken: number) => taken < CALL_MS) });
  }
}

test('[mcp-browser.bad-tabs] the calls below are of all tools', async () => {
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
    const { isError, ms } = await server.use('browser_tabs', { action: 'new' });
    expect([isError, ms < CALL_MS]).toEqual([false, true]);
    await useAll(server);
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
    const { isError, ms } = await server.use('browser_tabs', { action: 'new' });
    expect([isError, ms < CALL_MS]).toEqual([false, true]);
    await useAll(server);
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
