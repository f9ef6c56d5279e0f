import { expect, test } from 'vitest';
import { freePort } from '../../../../scripts/testing/free-port.ts';
import { TestSandbox } from '../client.fixture.ts';
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
