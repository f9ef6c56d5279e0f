import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { TestApp } from '../../../app.fixture.ts';

test('[browser.silent] a daemon that connects to a browser that answers nothing stops at once', async () => {
  const server = createServer((request, response) => {
    const webSocketDebuggerUrl = `ws://${request.headers.host}/devtools/browser/1`;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ webSocketDebuggerUrl }));
  });
  const sockets = new WebSocketServer({ server });
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const connected = once(sockets, 'connection');
  const daemon = await TestApp.start({ browserPort: (server.address() as AddressInfo).port });
  const [socket] = await connected;
  await once(socket, 'message');
  const begun = performance.now();
  await daemon[Symbol.asyncDispose]();
  // Its first call would wait for 10 s.
  expect(performance.now() - begun).toBeLessThan(5000);
});
