import { expect, test } from 'vitest';
import { BrowserBench } from '../../../../daemon/src/capabilities/browser/chromium.fixture.ts';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { has } from '../../../../scripts/testing/machine.ts';
import { TestSandbox } from '../client.fixture.ts';
import { Sandbox } from '../index.ts';
import { Page } from './browser.ts';

test('[client.browser] without a browser or a display a call fails with the hint of the service', async () => {
  await using it = await TestSandbox.start({ cdpPort: await freePort() } as object);
  const { browser, desktop } = it.sandbox;
  const unavailable = { status: 503, hint: expect.any(String) };
  await expect(browser.open('http://localhost:1')).rejects.toMatchObject(unavailable);
  const calls = [
    desktop.screenshot({ format: 'jpeg', scale: 0.5 }),
    desktop.click({ x: 1, y: 2, button: 'right', count: 2 }),
    desktop.type('hi'),
    desktop.press(['ctrl', 'c']),
    desktop.scroll(0, 1),
    desktop.drag({ x: 1, y: 1 }),
    desktop.record('status'),
    desktop.clipboard(),
  ];
  const failures = await Promise.allSettled(calls);
  const statuses = failures.map((failure) => (failure.status === 'rejected' ? failure.reason.status : 200));
  expect(statuses.filter((status) => status !== 503 && status !== 200)).toEqual([]);
});

test('[client.browser] cdp gives what Playwright connects to', async () => {
  await using it = await TestSandbox.start({ apiKey: 'correct-horse-battery' });
  expect(it.sandbox.cdp()).toEqual({
    webSocketUrl: `${it.proxy.url.replace('http', 'ws')}/cdp`,
    headers: { 'x-api-key': 'correct-horse-battery' },
  });
  expect(Page.name).toBe('Page');
});

test.runIf(has('chromium'))('[client.browser] a page is opened, read, filled, evaluated and pictured', async () => {
  await using bench = await BrowserBench.start();
  bench.site.pages['/'] = '<title>Form</title><h1>Hello</h1><input id="name" aria-label="Name">';
  const sandbox = Sandbox.at({ url: await bench.daemon.listen() });
  await using page = await sandbox.browser.open(bench.site.url('/'));
  expect(await page.snapshot()).toMatchObject({ title: 'Form', snapshot: expect.stringContaining('Hello') });
  await page.fill({ selector: '#name' }, 'text');
  expect(await page.evaluate('document.querySelector("#name").value')).toBe('text');
  expect(Buffer.from(await page.screenshot()).toString('latin1', 1, 4)).toBe('PNG');
  expect((await sandbox.browser.pages()).map(({ id }) => id)).toContain(page.id);
});
