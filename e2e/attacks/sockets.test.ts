import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { fetchPatiently } from '../../scripts/testing/patience.ts';
import { growthDuring } from '../../scripts/testing/process-memory.ts';
import { Services } from '../services.ts';

const MIB = 1024 ** 2;
const PATIENCE_MS = 20_000;
/** Bytes of a relay and its buffers, far below what the peer sends. */
const MEMORY_BYTES = 128 * MIB;
const UPGRADE =
  'Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
/** A mask of zeros, which leaves the payload as it is. */
const MASK = '\0\0\0\0';

/** Frames that RFC 6455 §5 does not allow, or that have no end. */
const FRAMES: readonly (readonly [name: string, frames: string])[] = [
  ['a frame of 2^64 - 1 bytes', `\x82\xff${'\xff'.repeat(8)}${MASK}x`],
  ['a frame of 2^53 bytes', `\x82\xff\0\x20\0\0\0\0\0\0${MASK}x`],
  ['a frame of 9 MiB', `\x82\xff\0\0\0\0\0\x90\0\0${MASK}${'x'.repeat(9 * MIB)}`],
  ['a frame with reserved bits', `\xf1\x80${MASK}`],
  ['a compressed frame that was not agreed on', `\xc1\x81${MASK}x`],
  ['a frame without a mask', '\x81\x01x'],
  ['a frame of an unknown kind', `\x83\x80${MASK}`],
  ['a ping of 65,535 bytes', `\x89\xfe\xff\xff${MASK}${'x'.repeat(65_535)}`],
  ['a continuation of nothing', `\x80\x80${MASK}`],
  ['a text that is not UTF-8', `\x81\x82${MASK}\xff\xfe`],
  ['a close code of one byte', `\x88\x81${MASK}x`],
  ['1,000,000 fragments of one message', `\x01\x80${MASK}${`\0\x80${MASK}`.repeat(1e6)}`],
  ['200,000 pings', `\x89\x80${MASK}`.repeat(200_000)],
  ['200,000 texts that are not JSON', `\x81\x81${MASK}{`.repeat(200_000)],
];

async function health(url: string): Promise<number> {
  return (await fetchPatiently(`${url}/health`, { ms: PATIENCE_MS })).status;
}

/** Sends frames behind the handshake; resolves when the service has ended the connection or has taken all of them. */
async function sendFrames(port: number, path: string, frames: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(`GET ${path} HTTP/1.1\r\n${UPGRADE}`);
  const [head] = await once(socket, 'data');
  expect(String(head)).toMatch(/^HTTP\/1\.1 101 /);
  socket.resume();
  // The end of the socket follows the frames, so that a service that takes them all closes too.
  socket.end(Buffer.from(frames, 'latin1'));
  await closed;
}

test('[engines.websocket] frames that are not allowed, or have no end, end their own connection', async () => {
  await using services = await Services.start();
  const ports = [services.gatewayPort, services.daemonPort];
  for (const [name, frames] of FRAMES) {
    const growth = await growthDuring(Number(services.daemon.pid), async () => {
      await Promise.all(ports.map((port) => sendFrames(port, '/v2/pty/ws', frames)));
    });
    expect.soft([name, await health(services.url)]).toEqual([name, 200]);
    expect.soft([name, growth < 2 * MEMORY_BYTES ? '' : growth]).toEqual([name, '']);
  }
  const { daemon, gateway } = services;
  expect([daemon.exitCode, gateway.exitCode, daemon.signalCode, gateway.signalCode]).toEqual([null, null, null, null]);
});

const uint16 = (...values: readonly number[]): Buffer =>
  Buffer.from(values.flatMap((value) => [value >> 8, value & 0xff]));
const GREETING = Buffer.from('RFB 003.008\n\x01\x01\0\0\0\0', 'latin1');
/** A screen of 65,535 by 65,535 pixels with a name of 2^32 - 1 characters (RFC 6143 §7.3.2). */
const SCREEN = Buffer.concat([uint16(65_535, 65_535), Buffer.alloc(16, 32), Buffer.alloc(4, 0xff)]);
/** One rectangle of all of it, without encoding (§7.6.1). */
const RECTANGLE = Buffer.concat([Buffer.from([0, 0]), uint16(1, 0, 0, 65_535, 65_535), Buffer.alloc(4)]);

/** Writes as long as the peer reads, up to a gigabyte. */
function flood(socket: Socket): void {
  let left = 1024;
  const more = (): void => {
    while (left-- > 0 && socket.write(Buffer.alloc(MIB)));
  };
  socket.on('drain', more);
  more();
}

const RFB: readonly (readonly [name: string, serve: (socket: Socket) => void])[] = [
  ['closes at once', (socket) => void socket.destroy()],
  ['sends garbage', (socket) => void socket.end(Buffer.alloc(MIB, 0xff))],
  ['never greets, and ends', (socket) => void socket.end()],
  ['has a screen of 65,535 by 65,535', (socket) => void socket.end(Buffer.concat([GREETING, SCREEN, RECTANGLE]))],
  [
    'never stops to send one rectangle',
    (socket) => {
      socket.write(Buffer.concat([GREETING, SCREEN, RECTANGLE]));
      flood(socket);
    },
  ],
];

async function listening(serve: (socket: Socket) => void): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    serve(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

test('[engines.rfb] an RFB server that floods a viewer, or lies, costs the gateway bounded memory', async () => {
  let serve: (socket: Socket) => void = () => undefined;
  const sockets = new Set<Socket>();
  const server = await listening((socket) => {
    sockets.add(socket);
    serve(socket);
  });
  await using services = await Services.start({ GATEWAY_VNC: `127.0.0.1:${(server.address() as AddressInfo).port}` });
  for (const [name, one] of RFB) {
    serve = one;
    const growth = await growthDuring(Number(services.gateway.pid), async () => {
      // A viewer that reads nothing but the head.
      const viewer = connect(services.gatewayPort, '127.0.0.1');
      viewer.on('error', () => undefined);
      viewer.write(`GET /websockify HTTP/1.1\r\n${UPGRADE}`);
      await once(viewer, 'readable');
      expect.soft([name, await health(services.url)]).toEqual([name, 200]);
      viewer.destroy();
    });
    expect.soft([name, growth < MEMORY_BYTES ? '' : growth]).toEqual([name, '']);
  }
  for (const socket of sockets) socket.destroy();
  server.close();
  expect([services.gateway.exitCode, services.gateway.signalCode]).toEqual([null, null]);
});
