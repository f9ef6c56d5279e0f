import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { exchange, startAuthDaemon, startDaemon, startGateway } from '../gateway.fixture.ts';

const KEY = 'X-API-Key: k';

test('[cdp.silent] a browser that accepts and says nothing is 503 after ten seconds, on every path', async () => {
  await using daemon = await startAuthDaemon();
  await using browser = await startDaemon(() => {});
  browser.server.on('upgrade', () => {});
  await using gateway = await startGateway(daemon.port, {
    env: { BROWSER_REMOTE_DEBUGGING_PORT: String(browser.port) },
  });
  const get = (path: string) => exchange(gateway.port, `GET ${path} HTTP/1.1\nHost: h\n${KEY}`);
  const upgrade = async (path: string) => {
    const client = new WebSocket(`ws://127.0.0.1:${gateway.port}${path}`, { headers: { 'x-api-key': 'k' } });
    return ((await once(client, 'error')) as [Error])[0].message;
  };
  const begun = performance.now();
  const answers = await Promise.all([
    ...['/cdp/json/version', '/cdp/json/activate/P', '/json/list'].map(get),
    ...['/cdp', '/cdp/devtools/page/P'].map(upgrade),
  ]);
  // A timer counts from a clock that was read a moment earlier.
  expect(performance.now() - begun).toBeGreaterThan(9_990);
  for (const answer of answers) expect(answer).toContain('503');
});
