import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startDaemon, startGateway } from '../../gateway.fixture.ts';
import { RfbServer } from '../../rfb.fixture.ts';

const VERSION = Buffer.from('RFB 003.008\n');
/** 32 bits, depth 24, big endian, true colour, 255 of each. */
const FORMAT = Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0]);

function uint16(...values: number[]): Buffer {
  return Buffer.concat(values.map((value) => Buffer.from([value >> 8, value & 0xff])));
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const INIT = Buffer.concat([uint16(8, 4), FORMAT, uint32(4), Buffer.from('desk')]);

function rectangle(width: number, height: number, encoding: number, ...content: Buffer[]): Buffer {
  return Buffer.concat([uint16(0, 0, width, height), uint32(encoding), ...content]);
}

function update(count: number, ...rectangles: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from([0, 0]), uint16(count), ...rectangles]);
}

const REQUEST = Buffer.from([3, 0, 0, 0, 0, 0, 0, 8, 0, 4]);
const KEY = Buffer.from([4, 1, 0, 0, 0, 0, 0, 0x61]);
const POINTER = Buffer.from([5, 1, 0, 1, 0, 1]);
const SECRET = Buffer.from('secret of the clipboard');
const cut = (type: number): Buffer => Buffer.concat([Buffer.from([type, 0, 0, 0]), uint32(SECRET.length), SECRET]);
const encodings = (...values: number[]): Buffer =>
  Buffer.concat([Buffer.from([2, 0]), uint16(values.length), ...values.map(uint32)]);

/** A viewer before a desktop, by a gateway that was told that it only watches. */
async function watching() {
  const rfb = await RfbServer.start((socket) => socket.pause());
  const daemon = await startDaemon((_req, res) => void res.writeHead(204, { 'X-View-Only': '1' }).end());
  const gateway = await startGateway(daemon.port, { env: { GATEWAY_VNC: rfb.path } });
  const viewer = new WebSocket(`ws://127.0.0.1:${gateway.port}/websockify`, { perMessageDeflate: false });
  let shown = Buffer.alloc(0);
  viewer.on('message', (bytes: Buffer) => {
    shown = Buffer.concat([shown, bytes]);
  });
  await once(viewer, 'open');
  const desktop = await rfb.connection();
  let heard = Buffer.alloc(0);
  desktop.on('data', (bytes) => {
    heard = Buffer.concat([heard, bytes]);
  });
  desktop.resume();
  return {
    viewer,
    desktop,
    shown: () => shown,
    heard: () => heard,
    /** In pieces of some bytes. */
    send(bytes: Buffer, size = bytes.length) {
      for (let at = 0; at < bytes.length; at += size) viewer.send(bytes.subarray(at, at + size));
    },
    draw(bytes: Buffer, size = bytes.length) {
      for (let at = 0; at < bytes.length; at += size) desktop.write(bytes.subarray(at, at + size));
    },
    async [Symbol.asyncDispose]() {
      viewer.terminate();
      await gateway[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
      await rfb[Symbol.asyncDispose]();
    },
  };
}

const GREETING = Buffer.concat([VERSION, Buffer.from([1, 1]), uint32(0), INIT]);
/** Not shared: it would end the connections of other viewers. */
const HELLO = Buffer.concat([VERSION, Buffer.from([1, 0])]);

test.each([[1], [3], [1000]])('[keys.view] no key, pointer or clipboard passes, pieces of %i bytes', async (size) => {
  await using set = await watching();
  const format = Buffer.concat([Buffer.from([0, 0, 0, 0]), FORMAT]);
  const fence = Buffer.concat([Buffer.from([248, 0, 0, 0]), uint32(1), Buffer.from([3]), Buffer.from('abc')]);
  const resize = Buffer.concat([Buffer.from([251, 0]), uint16(9, 9), Buffer.from([1, 0]), Buffer.alloc(16)]);
  const qemu = Buffer.concat([Buffer.from([255, 0]), Buffer.alloc(10)]);
  const extendedCut = Buffer.concat([Buffer.from([6, 0, 0, 0]), uint32(-4), uint32(1)]);
  const bad = [KEY, POINTER, cut(6), fence, resize, qemu, extendedCut, Buffer.from([250, 0, 1, 2])];
  // The sizes of the desktop, fences, continuous updates, the extended clipboard and ZRLE are left out.
  const asked = encodings(16, 7, 1, 0, -239, -223, -224, -308, -312, -313, -258, -26, -254, 0xc0a1e5ce | 0);
  set.draw(GREETING, size);
  set.send(Buffer.concat([HELLO, ...bad, format, KEY, asked, POINTER, REQUEST, ...bad, REQUEST, format]), size);
  const kept = encodings(7, 1, 0, -239, -223, -224, -26, -254);
  const expected = Buffer.concat([VERSION, Buffer.from([1, 1]), format, kept, REQUEST, REQUEST, format]);
  await expect.poll(() => set.heard().length).toBe(expected.length);
  expect(set.heard().equals(expected)).toBe(true);
});

test.each([[1], [5], [100_000]])(
  '[keys.view] pictures pass, and not the clipboard, pieces of %i bytes',
  async (size) => {
    await using set = await watching();
    const raw = rectangle(2, 2, 0, Buffer.alloc(16, 1));
    const copy = rectangle(2, 2, 1, uint16(0, 0));
    const cursor = rectangle(9, 2, -239, Buffer.alloc(9 * 2 * 4 + 2 * 2, 3));
    const fill = rectangle(8, 4, 7, Buffer.from([0x80, 1, 2, 3]));
    const jpeg = rectangle(8, 4, 7, Buffer.from([0x90, 0x85, 0x01]), Buffer.alloc(133, 3));
    const long = rectangle(8, 4, 7, Buffer.from([0x90, 0x80, 0x80, 0x01]), Buffer.alloc(16_384, 3));
    const basic = rectangle(8, 4, 7, Buffer.from([0x00, 40]), Buffer.alloc(40, 3));
    const small = rectangle(1, 3, 7, Buffer.from([0x00]), Buffer.alloc(9, 3));
    const two = rectangle(8, 4, 7, Buffer.from([0x40, 1, 1]), Buffer.alloc(6, 2), Buffer.alloc(4, 3));
    const many = rectangle(
      4,
      4,
      7,
      Buffer.from([0x40, 1, 2]),
      Buffer.alloc(9, 2),
      Buffer.from([7]),
      Buffer.alloc(7, 3),
    );
    const gradient = rectangle(2, 2, 7, Buffer.from([0x40, 2, 20]), Buffer.alloc(20, 3));
    const resized = rectangle(800, 600, -223);
    const all = [raw, copy, cursor, fill, jpeg, long, basic, small, two, many, gradient, resized];
    const bell = Buffer.from([2]);
    const map = Buffer.concat([Buffer.from([1, 0]), uint16(0, 2), Buffer.alloc(12, 3)]);
    const extended = Buffer.concat([Buffer.from([3, 0, 0, 0]), uint32(-SECRET.length), SECRET]);
    const last = update(65_535, raw, rectangle(0, 0, -224));
    set.send(Buffer.concat([HELLO, encodings(7, 0), REQUEST]));
    const pictures = update(all.length, ...all);
    const sent = [GREETING, cut(3), pictures, cut(3), bell, map, extended, last, cut(3), bell];
    set.draw(Buffer.concat(sent), size);
    const expected = Buffer.concat([GREETING, pictures, bell, map, last, bell]);
    await expect.poll(() => set.shown().length).toBe(expected.length);
    expect(set.shown().equals(expected)).toBe(true);
  },
);

const other = Buffer.concat([Buffer.from([0, 0, 0, 0]), Buffer.from([16, 16]), FORMAT.subarray(2)]);

test.each([
  ['another version', Buffer.from('RFB 003.003\n')],
  ['another type of security', Buffer.concat([VERSION, Buffer.from([19])])],
  ['an unknown message', Buffer.concat([HELLO, Buffer.from([99])])],
  ["another message of QEMU's", Buffer.concat([HELLO, Buffer.from([255, 1])])],
  ['another format after a request', Buffer.concat([HELLO, REQUEST, other])],
  ['an odd format', Buffer.concat([HELLO, Buffer.from([0, 0, 0, 0, 24]), FORMAT.subarray(1)])],
])('[keys.view] %s ends the connection with 1008', async (_what, bytes) => {
  await using set = await watching();
  set.draw(GREETING);
  const closed = once(set.viewer, 'close');
  set.send(Buffer.concat([bytes, KEY]));
  expect((await closed)[0]).toBe(1008);
  expect(set.heard().includes(KEY)).toBe(false);
});

test.each([
  ['an encoding that was not asked for', update(1, rectangle(1, 1, 16, uint32(1), Buffer.from([1])))],
  ['an unknown message', Buffer.from([248, 0, 0, 0])],
  ['an unknown compression', update(1, rectangle(1, 1, 7, Buffer.from([0xa0])))],
])('[keys.view] %s of the desktop ends the connection', async (_what, bytes) => {
  await using set = await watching();
  const closed = once(set.viewer, 'close');
  set.send(Buffer.concat([HELLO, REQUEST]));
  set.draw(Buffer.concat([GREETING, bytes, cut(3)]));
  expect((await closed)[0]).toBe(1008);
  expect(set.shown().includes(SECRET)).toBe(false);
});

test('[keys.view] a viewer with a password of the desktop, and one that it refuses', async () => {
  await using set = await watching();
  const response = Buffer.alloc(16, 7);
  set.send(Buffer.concat([VERSION, Buffer.from([2]), response, Buffer.from([1]), REQUEST]));
  set.draw(Buffer.concat([VERSION, Buffer.from([2, 1, 2]), Buffer.alloc(16, 5), uint32(0), INIT]));
  const expected = Buffer.concat([VERSION, Buffer.from([2]), response, Buffer.from([1]), REQUEST]);
  await expect.poll(() => set.heard().length).toBe(expected.length);
  expect(set.heard().equals(expected)).toBe(true);
  await using refused = await watching();
  const closed = once(refused.viewer, 'close');
  refused.send(HELLO);
  refused.draw(Buffer.concat([VERSION, Buffer.from([1, 1]), uint32(1), uint32(2), Buffer.from('no')]));
  refused.desktop.end();
  expect((await closed)[0]).toBe(1000);
  expect(refused.shown().subarray(-2).toString()).toBe('no');
});
