import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../../../scripts/testing/machine.ts';
import { tempDir } from '../../../../scripts/testing/temp-dir.ts';
import { TestApp } from '../../app.fixture.ts';
import { BrowserBench, TestBrowser } from './chromium.fixture.ts';

const ROUTES: readonly (readonly ['GET' | 'POST' | 'DELETE', string, object?])[] = [
  ['POST', 'navigate', { url: 'http://127.0.0.1/' }],
  ['GET', 'screenshot'],
  ['POST', 'snapshot'],
  ['POST', 'click', { selector: 'a' }],
  ['POST', 'fill', { selector: 'a', value: 'x' }],
  ['POST', 'upload', { selector: 'a', paths: [] }],
  ['POST', 'evaluate', { expression: '1' }],
  ['POST', 'wait', { for: 'load' }],
  ['GET', 'tabs'],
  ['POST', 'tabs'],
  ['POST', 'tabs/x/activate'],
  ['DELETE', 'tabs/x'],
  ['GET', 'cookies'],
  ['POST', 'cookies', { cookies: [] }],
  ['DELETE', 'cookies'],
  ['GET', 'network/requests'],
  ['POST', 'cdp', { method: 'Page.enable' }],
  ['GET', 'info'],
  ['POST', 'config', { resolution: { width: 800, height: 600 } }],
  ['POST', 'actions', { action_type: 'MOVE_TO', x: 1, y: 1 }],
];

test('[status.unavailable-503] without a browser every route is 503 with a hint', async () => {
  await using daemon = await TestApp.start({ browserPort: 1 });
  for (const [method, path, payload = {}] of ROUTES) {
    const answer = await daemon.inject({ method, url: `/v2/browser/${path}`, ...(method !== 'GET' && { payload }) });
    expect([path, answer.statusCode, answer.json().hint]).toEqual([
      path,
      503,
      expect.stringContaining('BROWSER_REMOTE_DEBUGGING_HOST'),
    ]);
    expect(answer.json().message).toMatch(/^no browser answers at http:..127\.0\.0\.1:1: connect ECONNREFUSED/);
  }
});

test('[browser.silent] a port that accepts and says nothing is 503 within seconds', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  await using daemon = await TestApp.start({ browserPort: (silent.address() as AddressInfo).port });
  const begun = performance.now();
  expect((await daemon.inject('/v2/browser/tabs')).statusCode).toBe(503);
  expect(performance.now() - begun).toBeLessThan(15_000);
  silent.close();
});

describe.runIf(has('chromium'))('with a browser', () => {
  let bench: BrowserBench;
  beforeAll(async () => {
    bench = await BrowserBench.start();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  test('[browser.dialog] a dialog is named by calls that meet it, blocks no other tab, and is answered by cdp', async () => {
    await using tab = await bench.page('<button onclick="window.said = confirm(`sure?`)">ask</button>');
    await using other = await bench.page('<p>other</p>', '/other');
    const clicked = (await tab.post('click', { selector: 'button' })).json();
    expect([clicked.success, clicked.message]).toEqual([true, expect.stringContaining('dialog (confirm): "sure?"')]);
    for (const [path, body] of [
      ['evaluate', { expression: '1' }],
      ['snapshot', {}],
      ['click', { selector: 'button' }],
      ['actions', { action_type: 'MOVE_TO', x: 1, y: 1 }],
    ] as const) {
      const met = await tab.post(path, body);
      expect([path, met.statusCode, met.json().data]).toEqual([
        path,
        409,
        { dialog: { type: 'confirm', message: 'sure?' } },
      ]);
    }
    const listed = (await bench.get('tabs')).json().data.find(({ id }: { id: string }) => id === tab.id);
    expect(listed.dialog).toEqual({ type: 'confirm', message: 'sure?' });
    expect(await other.value('1 + 1')).toBe(2);
    expect(
      (await tab.post('cdp', { method: 'Page.handleJavaScriptDialog', params: { accept: true } })).json().success,
    ).toBe(true);
    await expect.poll(async () => (await tab.post('evaluate', { expression: 'said' })).json().data?.result).toBe(true);
  });

  test('[browser.dialog] a page that shows alerts for ever is named at once and can be closed', async () => {
    const tab = await bench.page('<script>setTimeout(() => { for (;;) alert(1) }, 50)</script>', '/loop');
    await expect.poll(async () => (await tab.post('evaluate', { expression: '1' })).statusCode).toBe(409);
    const closed = await bench.daemon.inject({ method: 'DELETE', url: `/v2/browser/tabs/${tab.id}` });
    expect(closed.statusCode).toBe(200);
  });

  test('[browser.dialog] neither a dialog nor beforeunload blocks a navigation', async () => {
    await using tab = await bench.page('<script>setTimeout(() => alert(1), 50)</script>', '/once');
    await expect.poll(async () => (await tab.post('evaluate', { expression: '1' })).statusCode).toBe(409);
    bench.site.pages['/next'] =
      `<script>addEventListener('beforeunload', (event) => event.preventDefault())</script><input>`;
    expect((await tab.post('navigate', { url: bench.site.url('/next') })).json()).toMatchObject({ success: true });
    await tab.post('fill', { selector: 'input', value: 'x' });
    expect((await tab.post('navigate', { url: bench.site.url('/next?2') })).json()).toMatchObject({ success: true });
    expect(await tab.value('location.search')).toBe('?2');
  });

  test('[browser.crash] a page that crashes says so, and a navigation revives it', async () => {
    await using tab = await bench.page('<p>x</p>');
    await tab.post('cdp', { method: 'Page.crash', timeout: 0.5 });
    await expect
      .poll(async () => (await tab.post('evaluate', { expression: '1' })).json().message)
      .toContain('crashed');
    const met = await tab.post('snapshot');
    expect([met.statusCode, met.json().hint]).toEqual([503, expect.stringContaining('navigate')]);
    expect((await tab.post('navigate', { url: bench.site.url('/') })).json().success).toBe(true);
    expect(await tab.value('1')).toBe(1);
  });

  test('[browser.closed-under-call] a tab that is closed under a call answers at once', async () => {
    await using tab = await bench.page('<p>x</p>');
    const calls = [
      tab.post('evaluate', { expression: 'new Promise(() => {})', timeout: 60 }),
      tab.post('wait', { text: 'never', timeout: 60 }),
      tab.post('click', { selector: 'p[hidden], p', timeout: 60 }),
    ];
    await tab.value('1');
    await bench.daemon.inject({ method: 'DELETE', url: `/v2/browser/tabs/${tab.id}` });
    const [evaluated, waited] = await Promise.all(calls);
    expect([evaluated?.statusCode, evaluated?.json().success]).toEqual([200, false]);
    expect(waited?.statusCode).toBe(404);
  });

  test('[browser.begun] input that the page does not take in time is 200 without success and says what was done', async () => {
    await using tab = await bench.page('<button onmousedown="for (;;);">stuck</button>');
    const answer = await tab.post('click', { selector: 'button' });
    expect([answer.statusCode, answer.json().success]).toEqual([200, false]);
    expect(answer.json().message).toMatch(/^the input was sent \(clicked <button> "stuck"\), then: no answer/);
    await using other = await bench.page('<p>y</p>', '/y');
    expect(await other.value('3')).toBe(3);
  });

  test('[browser.many-tabs] tabs that were opened and closed leave no descriptor', async () => {
    const open = async (): Promise<void> => {
      await using _tab = await bench.page('<p>x</p>');
    };
    const descriptors = async (): Promise<number> => (await readdir('/proc/self/fd')).length;
    await open();
    const before = await descriptors();
    for (let round = 0; round < 10; round += 1) await open();
    await expect.poll(descriptors).toBeLessThanOrEqual(before + 1);
  });

  test('[browser.silent] [browser.reconnect] a browser that is stopped is 503, serves when it goes on, and is found after a start', async () => {
    const first = await TestBrowser.start();
    await using daemon = await TestApp.start({ browserPort: first.port });
    const evaluate = () => daemon.post('/v2/browser/cdp', { method: 'Browser.getVersion', browser: true, timeout: 1 });
    expect((await evaluate()).json().success).toBe(true);
    first.signal('SIGSTOP');
    const stopped = await daemon.inject('/v2/browser/tabs');
    expect([stopped.statusCode, stopped.json().hint]).toEqual([503, expect.any(String)]);
    first.signal('SIGCONT');
    await expect.poll(async () => (await evaluate()).json().success).toBe(true);
    await first.end();
    await expect.poll(async () => (await evaluate()).statusCode).toBe(503);
    await using second = await TestBrowser.start([], first.port, first.profile);
    await expect.poll(async () => (await evaluate()).statusCode).toBe(200);
    expect((await daemon.inject('/v2/browser/tabs')).json().data).toHaveLength(1);
    expect(second.port).toBe(first.port);
  });

  test('[browser.ref-restart] a ref of before a restart of the daemon is 404, though the page has as many elements', async () => {
    await using directory = await tempDir();
    await using tab = await bench.page('<button onclick="window.hit = 1">one</button>');
    const look = async (daemon: TestApp): Promise<string> => {
      const answer = await daemon.post('/v2/browser/snapshot', { tab_id: tab.id });
      return /ref=(e\d+)/.exec(answer.json().data.snapshot)?.[1] ?? '';
    };
    const start = () => TestApp.start({ browserPort: bench.browser.port }, directory.path);
    const before = await start();
    const old = await look(before);
    await before[Symbol.asyncDispose]();
    await using after = await start();
    const click = (ref: string) => after.post('/v2/browser/click', { tab_id: tab.id, ref });
    expect((await click(old)).statusCode).toBe(404);
    const fresh = await look(after);
    expect((await click(old)).statusCode).toBe(404);
    expect(await tab.value('window.hit')).toBe(null);
    expect((await click(fresh)).json().success).toBe(true);
    expect(await tab.value('window.hit')).toBe(1);
  });
});
