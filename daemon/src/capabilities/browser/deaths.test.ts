import { expect, onTestFinished, test } from 'vitest';
import { has } from '../../../../scripts/testing/machine.ts';
import { TestApp } from '../../app.fixture.ts';
import { answerTo, browserCalls, pageCalls } from './calls.fixture.ts';
import { BrowserBench, TestBrowser, TestSite } from './chromium.fixture.ts';

const PAGE = '<title>Page</title><button>Go</button><input><input type=file id=file>';
/** Waits for the site without a turn for anybody else, then takes all memory that a script may have. */
const HUNGRY =
  "const wait = new XMLHttpRequest(); wait.open('GET', '/begun', false); wait.send(); " +
  'globalThis.held = []; for (;;) held.push(new Array(2000000).fill(held.length + 0.5))';
/** Seconds in which a call is answered whose browser or page has died. */
const SOON = 15;

/** What is repeated by clients must not have begun: input that was sent is 200. */
const BEGUN = ['POST evaluate', 'POST cdp', 'POST actions', 'POST navigate'];

test.runIf(has('chromium'))(
  '[browser.dies-under-call] each call whose browser is killed answers at once, and a browser that starts again serves',
  async () => {
    const first = await TestBrowser.start();
    onTestFinished(() => first[Symbol.asyncDispose]());
    await using site = await TestSite.start();
    site.pages['/'] = PAGE;
    await using daemon = await TestApp.start({ browserPort: first.port });
    const opened = await daemon.post('/v2/browser/tabs', { url: site.url('/') });
    const { id } = opened.json().data;
    await daemon.post('/v2/browser/wait', { tab_id: id, selector: 'button' });
    // A browser that is stopped answers nothing: every call waits when it dies.
    first.signal('SIGSTOP');
    const calls = [...pageCalls(id, site.url('/')), ...browserCalls(id)].map((call) =>
      call.body && 'timeout' in call.body ? { ...call, body: { ...call.body, timeout: 60 } } : call,
    );
    const answers = calls.map((call) => answerTo(daemon, call));
    await new Promise((resolve) => setImmediate(resolve));
    await first.end();
    for (const { name, status, success, hint, took } of await Promise.all(answers)) {
      expect([name, status, success]).toEqual([name, BEGUN.includes(name) && status === 200 ? 200 : 503, false]);
      expect([name, hint]).toEqual([name, expect.any(String)]);
      expect([name, took < SOON]).toEqual([name, true]);
    }
    await using second = await TestBrowser.start([], first.port, first.profile);
    await expect.poll(async () => (await daemon.inject('/v2/browser/tabs')).statusCode).toBe(200);
    const again = (await daemon.post('/v2/browser/tabs', { url: site.url('/') })).json().data.id;
    await daemon.post('/v2/browser/wait', { tab_id: again, selector: 'button' });
    for (const call of [...pageCalls(again, site.url('/')), ...browserCalls(again)]) {
      const slow = { ...call, ...(call.body && 'timeout' in call.body && { body: { ...call.body, timeout: 60 } }) };
      const { name, status, success, message } = await answerTo(daemon, slow);
      expect([name, status, success, message]).toEqual([name, 200, true, message]);
    }
    expect(second.port).toBe(first.port);
  },
);

test.runIf(has('chromium'))(
  '[browser.dies-under-call] each call whose page takes all memory says so, others go on, and a navigation revives it',
  async () => {
    await using bench = await BrowserBench.start(['--js-flags=--max-old-space-size=40']);
    await using other = await bench.page('<p>other</p>', '/other');
    await using tab = await bench.page(PAGE);
    const [begun, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    bench.site.pages['/begun'] = (_request, response) => {
      begun.resolve();
      void asked.promise.then(() => response.end());
    };
    const hungry = tab.post('evaluate', { expression: HUNGRY, timeout: 60 });
    await begun.promise;
    const all = pageCalls(tab.id, bench.site.url('/')).map((call) => ({
      ...call,
      ...(call.body && 'timeout' in call.body && { body: { ...call.body, timeout: 60 } }),
    }));
    // A navigation revives the page: the others are in its way.
    const calls = all.filter(({ path }) => path !== 'navigate');
    const pending = calls.map((call) => answerTo(bench.daemon, call));
    asked.resolve();
    const answers = await Promise.all(pending);
    expect((await hungry).json()).toMatchObject({ success: false, message: expect.stringContaining('crashed') });
    for (const { name, status, success, message } of answers) {
      // A picture may have been taken of what the page had drawn.
      if (name === 'GET screenshot' && success === true) continue;
      expect([name, success, message]).toEqual([name, false, expect.stringContaining('crashed')]);
      expect([name, status]).toEqual([name, BEGUN.includes(name) && status === 200 ? 200 : 503]);
    }
    expect(await other.value('1 + 1')).toBe(2);
    expect((await tab.post('navigate', { url: bench.site.url('/') })).json().success).toBe(true);
    for (const call of calls)
      expect(await answerTo(bench.daemon, call)).toMatchObject({ name: call.name, success: true });
  },
);
