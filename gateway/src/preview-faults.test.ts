import { expect, test } from 'vitest';
import { type Daemon, exchange, startAuthDaemon, startDaemon, startGateway } from './gateway.fixture.ts';

const KEY = 'X-API-Key: k';
const UPGRADE = 'Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Key: x\nSec-WebSocket-Version: 13';

interface FaultSetup extends AsyncDisposable {
  /** Requests a port in each form; resolves with the complete responses. */
  ask(port: number, method: string, fields?: string): Promise<string[]>;
}

async function startFaults(): Promise<FaultSetup> {
  const daemon = await startAuthDaemon();
  const gateway = await startGateway(daemon.port);
  return {
    ask: (port, method, fields = '') =>
      Promise.all(
        [
          [`/proxy/${port}/x`, 'Host: h'],
          [`/absproxy/${port}/x`, 'Host: h'],
          ['/x', `Host: ${port}.localhost`],
          ['/x', `Host: h\nX-AIO-Proxy-Port: ${port}`],
        ].map(([path, host]) =>
          exchange(gateway.port, `${method} ${path} HTTP/1.1\n${host}\n${KEY}\n${fields}`.trim()),
        ),
      ),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
    },
  };
}

test.each([
  ['a request', ''],
  ['a WebSocket', UPGRADE],
])('[preview.absent] %s to a port that nothing listens on is 503 with a hint', async (_what, fields) => {
  await using set = await startFaults();
  for (const answer of await set.ask(2, 'GET', fields)) {
    expect(answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: 1[\s\S]*"success":false[\s\S]*start a server on/);
  }
});

const closes = (app: Daemon) => app.server.on('connection', (socket) => socket.destroy());
const resets = (app: Daemon) => app.server.on('connection', (socket) => socket.resetAndDestroy());

test.each([
  ['a request', 'closes', '', closes],
  ['a WebSocket', 'closes', UPGRADE, closes],
  ['a request', 'resets', '', resets],
  ['a WebSocket', 'resets', UPGRADE, resets],
])('[preview.absent] %s to a port that %s at once is 502', async (_what, _how, fields, breakApp) => {
  await using set = await startFaults();
  await using app = await startDaemon(() => {});
  breakApp(app);
  for (const answer of await set.ask(app.port, 'GET', fields)) {
    expect(answer).toMatch(/^HTTP\/1\.1 502 [\s\S]*"success":false/);
  }
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'OPTIONS'])(
  '[preview.no-body] %s without a body reaches the application without one',
  async (method) => {
    await using set = await startFaults();
    await using app = await startDaemon((req, res) => {
      const { 'transfer-encoding': coding = 'none', 'content-length': length = 'none' } = req.headers;
      res.end(`${req.method} ${coding} ${length}`);
    });
    const length = /^P/.test(method) ? '0' : 'none';
    for (const answer of await set.ask(app.port, method)) expect(answer).toContain(`\r\n\r\n${method} none ${length}`);
    for (const answer of await set.ask(app.port, method, 'Content-Length: 0'))
      expect(answer).toContain(`${method} none 0`);
  },
);
