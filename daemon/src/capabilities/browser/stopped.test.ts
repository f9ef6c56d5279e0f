import { expect, onTestFinished, test } from 'vitest';
import { has } from '../../../../scripts/testing/machine.ts';
import { TestApp } from '../../app.fixture.ts';
import { answerTo, browserCalls, pageCalls } from './calls.fixture.ts';
import { TestBrowser, TestSite } from './chromium.fixture.ts';

/** Seconds: the longest deadline of a call that sets none, and what a busy machine takes. */
const LATEST = 35;

test.runIf(has('chromium'))(
  '[browser.silent] each call of a browser that is stopped is answered by its deadline, and works when it goes on',
  async () => {
    const browser = await TestBrowser.start();
    onTestFinished(() => browser[Symbol.asyncDispose]());
    await using site = await TestSite.start();
    site.pages['/'] = '<title>Page</title><button>Go</button><input><input type=file id=file>';
    await using daemon = await TestApp.start({ browserPort: browser.port });
    const { id } = (await daemon.post('/v2/browser/tabs', { url: site.url('/') })).json().data;
    await daemon.post('/v2/browser/wait', { tab_id: id, selector: 'button' });
    const calls = [...pageCalls(id, site.url('/')), ...browserCalls('no-such-tab')];
    browser.signal('SIGSTOP');
    const answers = await Promise.all(calls.map((call) => answerTo(daemon, call)));
    browser.signal('SIGCONT');
    for (const { name, status, success, took } of answers) {
      const clear = name.includes('{id}') ? [404] : [200, 503];
      expect([name, success, clear.includes(status), took < LATEST]).toEqual([name, false, true, true]);
    }
    for (const { name, status, hint } of answers) {
      if (status === 503) expect([name, hint]).toEqual([name, expect.any(String)]);
    }
    await expect.poll(async () => (await daemon.inject('/v2/browser/tabs')).statusCode).toBe(200);
    for (const call of pageCalls(id, site.url('/'))) {
      const patient = { ...call, ...(call.body && 'timeout' in call.body && { body: { ...call.body, timeout: 60 } }) };
      expect(await answerTo(daemon, patient)).toMatchObject({ name: call.name, status: 200, success: true });
    }
  },
);
