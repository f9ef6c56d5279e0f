import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../../../scripts/testing/machine.ts';
import { tempDir } from '../../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../../app.fixture.ts';
import { BrowserBench } from '../chromium.fixture.ts';

/** Speaks as agent-browser does: two references that begin at e1 in each page, and a file with what it was told. */
const CLI = (log: string): string => `#!/usr/bin/env node
const fs = require('node:fs');
const args = process.argv.slice(2);
const [, , session, , url, pin, command, ...rest] = args;
fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify({ args, idle: process.env.AGENT_BROWSER_IDLE_TIMEOUT_MS }) + '\\n');
const say = (data, error) => console.log(JSON.stringify({ success: error === undefined, data: data ?? null, error: error ?? null }));
const refs = { e1: { role: 'button', name: 'Go' }, e2: { role: 'checkbox', name: 'Agree' }, e3: { role: 'combobox', name: 'Size' }, e4: { role: 'textbox', name: 'Name' } };
const snapshot = Object.entries(refs).map(([ref, { role, name }]) => '- ' + role + ' "' + name + '" [ref=' + ref + ']').join('\\n');
if (command === 'snapshot') say({ snapshot, refs });
else if (command === 'get') say(rest[0] === 'html' ? { html: '<option>small</option>' } : { x: 10, y: 10, width: 20, height: 10 });
else if (command === 'click' && rest[0] === '@e4') say(null, "Element '@e4' is disabled, so the click would not reach it");
else if (command === 'click' && rest[0] === '@e3') say(null, 'Unknown ref: e3');
else if (command === 'click' && rest[0] === '@e2') console.log('nonsense');
else if (command === 'dblclick') say(null, 'the wheel came off');
else say({ done: true });
`;

describe.runIf(has('chromium'))('with a browser', () => {
  let bench: BrowserBench;
  let place: Awaited<ReturnType<typeof tempDir>>;
  /** What the CLI was told of a tab. Of an earlier one it may be told to close its session at any time. */
  let told: (tab: { readonly id: string }) => Promise<{ args: string[]; idle: string }[]>;

  beforeAll(async () => {
    place = await tempDir();
    await chmod(place.path, 0o777);
    const [cli, log] = [join(place.path, 'agent-browser'), join(place.path, 'log')];
    await writeFile(log, '');
    await chmod(log, 0o666);
    await writeFile(cli, CLI(log), { mode: 0o755 });
    told = async ({ id }) => {
      const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line)).filter(({ args }) => args[2] === `tab-${id}`);
    };
    bench = await BrowserBench.start([], { agentBrowser: cli });
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });

  test('[browser.delegated] snapshot and what is done to its references are calls of the CLI on the tab', async () => {
    await using tab = await bench.page('<title>Shop</title><button>Go</button>');
    const taken = (await tab.post('snapshot', { interactive_only: true, selector: 'body' })).json().data;
    expect(taken).toMatchObject({ title: 'Shop', refs: 4, truncated: false, tab_id: tab.id });
    const go = await tab.ref('"Go"');
    const act = async (path: string, body: object) => (await tab.post(path, body)).json();
    expect(await act('click', { ref: go })).toMatchObject({ success: true, data: { element: 'button "Go"' } });
    const agree = await tab.ref('"Agree"');
    await act('fill', { ref: agree, value: true });
    await act('fill', { ref: agree, value: 'off' });
    expect((await tab.post('fill', { ref: agree, value: 'perhaps' })).statusCode).toBe(400);
    await act('fill', { ref: await tab.ref('"Size"'), value: 'small' });
    await act('fill', { ref: await tab.ref('"Name"'), value: 'é' });
    const calls = (await told(tab)).map(({ args }) => args);
    for (const args of calls) {
      const url = expect.stringMatching(/^ws:\/\/127\.0\.0\.1:\d+\/devtools\/browser\//);
      expect(args.slice(0, 6)).toEqual(['--json', '--session', `tab-${tab.id}`, '--cdp', url, '--pin-tab']);
    }
    const commands = calls.map((args) => args.slice(6).join(' '));
    expect(commands.slice(0, 2)).toEqual([`tab ${tab.id}`, 'snapshot -u -i -s body']);
    expect(commands).toEqual(
      expect.arrayContaining(['click @e1', 'check @e2', 'uncheck @e2', 'select @e3 small', 'fill @e4 é']),
    );
    expect((await told(tab)).every(({ idle }) => idle === '600000')).toBe(true);
  });

  test('[browser.delegated] a reference of a page that was left, and one that the CLI does not know, are 404', async () => {
    await using tab = await bench.page('<button>Go</button>');
    const [old, unknown] = [await tab.ref('"Go"'), await tab.ref('"Size"')];
    expect((await tab.post('click', { ref: unknown })).statusCode).toBe(404);
    await tab.post('navigate', { url: bench.site.url('/?again') });
    const before = (await told(tab)).length;
    for (const ref of [old, 'e999999']) expect((await tab.post('click', { ref })).statusCode).toBe(404);
    expect((await tab.post('click', { ref: 'x1' })).statusCode).toBe(400);
    expect((await told(tab)).length).toBe(before);
    expect(await tab.ref('"Go"')).not.toBe(old);
  });

  test('[browser.delegated] what the CLI refuses is an error; what may have begun is 200 without success', async () => {
    await using tab = await bench.page('<button onauxclick="document.title = event.button">Go</button>');
    const disabled = await tab.post('click', { ref: await tab.ref('"Name"') });
    expect([disabled.statusCode, disabled.json().message]).toEqual([503, expect.stringContaining('is disabled')]);
    const nonsense = await tab.post('click', { ref: await tab.ref('"Agree"') });
    expect([nonsense.statusCode, nonsense.json().hint]).toEqual([
      503,
      expect.stringContaining('SVC_AGENT_BROWSER_BIN'),
    ]);
    const go = await tab.ref('"Go"');
    const broken = await tab.post('click', { ref: go, click_count: 2 });
    expect([broken.statusCode, broken.json()]).toEqual([
      200,
      expect.objectContaining({ success: false, message: 'agent-browser: the wheel came off' }),
    ]);
    // The CLI has no such click: it says where the element is.
    expect((await tab.post('click', { ref: go, button: 'middle' })).json()).toMatchObject({ data: { x: 20, y: 15 } });
    expect(await tab.value('document.title')).toBe('1');
    const absent = await tab.post('upload', { ref: go, paths: ['/no/such'] });
    expect(absent.statusCode).toBe(400);
  });

  test('[browser.delegated] a dialog is answered before the CLI is asked, and selectors are the daemon’s', async () => {
    await using tab = await bench.page('<button onclick="window.hit = 1; alert(1)">Go</button>');
    const go = await tab.ref('"Go"');
    const before = (await told(tab)).length;
    expect((await tab.post('click', { selector: 'button' })).json().success).toBe(true);
    expect((await told(tab)).length).toBe(before);
    expect((await tab.post('click', { ref: go })).statusCode).toBe(409);
    expect((await tab.post('snapshot')).statusCode).toBe(409);
  });

  test('[browser.delegated] the session of a tab ends with the tab; a CLI that is not there is 503', async () => {
    const closed = await bench.page('<button>Go</button>');
    {
      await using tab = closed;
      expect((await tab.post('snapshot')).statusCode).toBe(200);
    }
    await expect.poll(async () => (await told(closed)).map(({ args }) => args.at(-1))).toContain('close');
    const browserPort = bench.browser.port;
    await using daemon = await TestApp.start({ browserPort, agentBrowser: '/no/such/agent-browser' });
    const missing = await daemon.post('/v2/browser/snapshot');
    expect([missing.statusCode, missing.json().hint]).toEqual([503, expect.stringContaining('SVC_AGENT_BROWSER_BIN')]);
  });
});
