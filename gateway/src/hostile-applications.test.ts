import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { exchange, startAuthDaemon, startGateway, Wire } from './gateway.fixture.ts';

const KEY = 'X-API-Key: k';
const UPGRADE = 'Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Key: x\nSec-WebSocket-Version: 13';

interface Setup extends AsyncDisposable {
  readonly gatewayPort: number;
  readonly port: number;
  ask(method: string, fields?: string, body?: string): Promise<string>;
}

/** An application of raw bytes behind a gateway; `respond` is called with the first bytes of each connection. */
async function behindGateway(respond: (socket: Socket, head: string) => void): Promise<Setup> {
  const app = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head: Buffer) => respond(socket, String(head)));
  });
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  const { port } = app.address() as AddressInfo;
  const daemon = await startAuthDaemon((_req, res) => void res.end('alive'));
  const gateway = await startGateway(daemon.port);
  return {
    gatewayPort: gateway.port,
    port,
    ask: (method, fields = '', body = '') =>
      exchange(gateway.port, `${method} /proxy/${port}/x HTTP/1.1\nHost: h\n${KEY}\n${fields}`.trim(), body),
    async [Symbol.asyncDispose]() {
      app.close();
      await gateway[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
    },
  };
}

const EMPTY = 'Content-Length: 0\r\n\r\n';

test.each([
  ['a control character in the status line', `HTTP/1.1 200 O\x01K\r\n${EMPTY}`],
  ['a DEL in the status line', `HTTP/1.1 200 O\x7fK\r\n${EMPTY}`],
  ['a 101 without Upgrade', `HTTP/1.1 101 Switching Protocols\r\n${EMPTY}`],
  ['a 101 with Upgrade', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ['a status of 99', `HTTP/1.1 099 No\r\n${EMPTY}`],
])('[preview.malformed-answer] %s is 502, and the gateway goes on', async (_what, answer) => {
  await using set = await behindGateway((socket) => socket.end(answer, 'latin1'));
  expect(await set.ask('GET')).toMatch(/^HTTP\/1\.1 502 [\s\S]*"success":false/);
  expect(await exchange(set.gatewayPort, 'GET /health HTTP/1.1\nHost: h')).toMatch(/alive$/);
});

test.each([
  ['without Upgrade', `HTTP/1.1 101 Switching Protocols\r\n${EMPTY}`],
  ['to another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'],
])('[preview.malformed-answer] a 101 %s to a WebSocket is 502', async (_what, answer) => {
  await using set = await behindGateway((socket) => socket.end(answer));
  expect(await set.ask('GET', UPGRADE)).toMatch(/^HTTP\/1\.1 502 /);
});

test('[preview.malformed-answer] a control character in the status line of a 101 does not reach the client', async () => {
  await using set = await behindGateway((socket) =>
    socket.end('HTTP/1.1 101 O\x01K\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', 'latin1'),
  );
  expect(await set.ask('GET', UPGRADE)).not.toContain('\x01');
});

const UPLOAD = 'Content-Length: 5\nExpect: 100-continue';

test('[preview.continue] two 100 Continue deliver the body once', async () => {
  await using set = await behindGateway((socket) => {
    socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n');
    socket.once('data', (body: Buffer) =>
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${String(body)}`),
    );
  });
  expect(await set.ask('PUT', UPLOAD, 'hello')).toMatch(/HTTP\/1\.1 200 OK[\s\S]*hello$/);
});

test('[preview.continue] an HTTP/1.0 application that sends no 100 Continue gets the body', async () => {
  await using set = await behindGateway((socket) =>
    socket.once('data', (body: Buffer) => socket.end(`HTTP/1.0 200 OK\r\n\r\n<${String(body)}>`)),
  );
  using wire = new Wire(set.gatewayPort);
  const head = `PUT /proxy/${set.port}/x HTTP/1.1\nHost: h\n${KEY}\n${UPLOAD}\nConnection: close\n\n`;
  wire.send(head.replaceAll('\n', '\r\n'));
  await wire.until('100 Continue\r\n\r\n');
  expect(await wire.send('hello').all()).toContain('\r\n<hello>\r\n');
});
