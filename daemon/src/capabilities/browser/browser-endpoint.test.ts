import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { TestApp } from '../../app.fixture.ts';

test('[browser.auto] with the start mode auto readiness waits until the browser answers', async () => {
  let answers = false;
  const browser = createServer((request, response) => {
    if (answers) response.end('{"Browser":"Chrome/1.2"}');
    else request.socket.destroy();
  });
  await once(browser.listen(0, '127.0.0.1'), 'listening');
  const { port } = browser.address() as AddressInfo;
  await using daemon = await TestApp.start({ browserStartMode: 'auto', browserPort: port });
  const answer = await daemon.inject('/ready');
  expect([answer.statusCode, answer.json().hint]).toEqual([503, expect.stringContaining('BROWSER_START_MODE=async')]);
  expect(answer.json().message).toContain(`http://127.0.0.1:${port}`);
  answers = true;
  // Asked more than once: on a machine that stands still the browser may answer late.
  await expect.poll(async () => (await daemon.inject('/ready')).statusCode).toBe(200);
  browser.closeAllConnections();
  await new Promise((resolve) => browser.close(resolve));
});

test.each(['async', 'manual'] as const)(
  '[browser.async] [browser.manual-ready] with the start mode %s it does not',
  async (browserStartMode) => {
    await using daemon = await TestApp.start({ browserStartMode, browserPort: 1 });
    const answer = await daemon.inject('/ready');
    expect(answer.statusCode).toBe(200);
    expect(answer.json().data.checks).toContainEqual(expect.objectContaining({ name: 'browser', ok: true }));
  },
);
