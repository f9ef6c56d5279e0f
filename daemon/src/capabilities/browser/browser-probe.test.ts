import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { readConfig } from '../../core/config.ts';
import type { Finding } from '../../core/finding.ts';
import { BrowserEndpoint } from './browser-endpoint.ts';

/** What a probe finds where DevTools answer like this. */
async function found(listener: RequestListener): Promise<Finding> {
  const browser = createServer(listener);
  await once(browser.listen(0, '127.0.0.1'), 'listening');
  const { port: browserPort } = browser.address() as AddressInfo;
  const endpoint = new BrowserEndpoint({ ...readConfig([], {}), browserStartMode: 'auto', browserPort });
  try {
    return await endpoint.probe();
  } finally {
    browser.closeAllConnections();
    browser.close();
  }
}

test('a browser that answers an error is not ready', async () => {
  const finding = await found((_request, response) => response.writeHead(500).end('{"Browser":"Chrome/1.2"}'));
  expect(finding).toMatchObject({ name: 'browser', ok: false });
});

test('a browser that takes the connection and says nothing is not ready after two seconds', async () => {
  const begun = performance.now();
  expect(await found(() => undefined)).toMatchObject({ name: 'browser', ok: false });
  // A timer counts from a clock that was read a moment earlier.
  expect(performance.now() - begun).toBeGreaterThan(1990);
});
