import { once } from 'node:events';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { tempDir } from '../../../scripts/testing/temp-dir.ts';
import { exchange, startAuthDaemon, startDaemon, startGateway, Wire } from '../gateway.fixture.ts';
import { fill, IN_FLIGHT_MAX_MB, writeUntilBlocked } from '../in-flight.fixture.ts';
import { RfbServer } from '../rfb.fixture.ts';

const KEY = 'X-API-Key: k';
const HEADERS = { 'x-api-key': 'k' };

interface DesktopSetup extends AsyncDisposable {
  readonly port: number;
  readonly rfb: RfbServer;
  view(options?: { path?: string; protocols?: string[] }): WebSocket;
  close(): Promise<void>;
}

/** A gateway in front of an RFB server. */
async function startDesktop(greet: (socket: Socket) => void = () => {}): Promise<DesktopSetup> {
  const rfb = await RfbServer.start(greet);
  const daemon = await startAuthDaemon();
  const gateway = await startGateway(daemon.port, { env: { GATEWAY_VNC: rfb.path } });
  return {
    port: gateway.port,
    rfb,
    view: ({ path = '/websockify', protocols = [] } = {}) =>
      new WebSocket(`ws://127.0.0.1:${gateway.port}${path}`, protocols, { headers: HEADERS, perMessageDeflate: false }),
    close: () => gateway.close(),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
      await rfb[Symbol.asyncDispose]();
    },
  };
}

async function untilAllClosed(rfb: RfbServer): Promise<void> {
  for (const socket of rfb.sockets) socket.resume();
  await Promise.all([...rfb.sockets].map((socket) => once(socket, 'close')));
}

test.each([
  ['/websockify', ['binary']],
  ['/websockify?token=x', []],
  ['/vnc/websockify', ['base64', 'binary']],
  ['/vnc/websockify/', []],
])('[vnc.websockify] RFB is relayed both ways in binary frames at %s, protocols %j', async (path, protocols) => {
  await using set = await startDesktop((socket) => socket.write('RFB 003.008\n'));
  const viewer = set.view({ path, protocols });
  const [greeting, isBinary] = (await once(viewer, 'message')) as [Buffer, boolean];
  expect([String(greeting), isBinary, viewer.protocol]).toEqual([
    'RFB 003.008\n',
    true,
    protocols.includes('binary') ? 'binary' : '',
  ]);
  const server = await set.rfb.connection();
  viewer.send(Buffer.from('RFB 003'));
  viewer.send(Buffer.from('.008\n'));
  let heard = '';
  for await (const chunk of server.iterator({ destroyOnReturn: false })) {
    heard += String(chunk);
    if (heard === 'RFB 003.008\n') break;
  }
  viewer.close();
  await once(viewer, 'close');
  await untilAllClosed(set.rfb);
});

test('[vnc.several] each viewer has its own connection, which ends independently of the others', async () => {
  const names = ['viewer 1', 'viewer 2', 'viewer 3'].values();
  await using set = await startDesktop((socket) => socket.write(String(names.next().value)));
  const viewers = [set.view(), set.view(), set.view()];
  const greetings = await Promise.all(viewers.map(async (viewer) => String((await once(viewer, 'message'))[0])));
  expect(greetings.sort()).toEqual(['viewer 1', 'viewer 2', 'viewer 3']);
  viewers[0]?.terminate();
  await expect.poll(() => set.rfb.sockets.size).toBe(2);
  for (const socket of set.rfb.sockets) socket.write('still');
  expect(await Promise.all(viewers.slice(1).map(async (viewer) => String((await once(viewer, 'message'))[0])))).toEqual(
    ['still', 'still'],
  );
});

test('[vnc.backpressure] a viewer that does not read causes backpressure on the desktop', async () => {
  await using set = await startDesktop();
  const viewer = set.view();
  await once(viewer, 'open');
  viewer.pause();
  const socket = await set.rfb.connection();
  const written = await fill(socket);
  expect(written).toBeLessThan(IN_FLIGHT_MAX_MB);
  viewer.resume();
  let got = 0;
  viewer.on('message', (bytes: Buffer) => {
    got += bytes.length;
  });
  await expect.poll(() => got).toBe(written * 1024 ** 2);
  viewer.terminate();
});

test('[vnc.backpressure] a desktop that does not read causes backpressure on the viewer', async () => {
  await using set = await startDesktop((socket) => socket.pause());
  const viewer = set.view();
  await once(viewer, 'open');
  const sent = await writeUntilBlocked({
    isBlocked: () => viewer.bufferedAmount > 0,
    write: (megabyte) => viewer.send(megabyte),
  });
  expect(sent).toBeLessThan(IN_FLIGHT_MAX_MB);
  const socket = await set.rfb.connection();
  let got = 0;
  socket.on('data', (bytes: Buffer) => {
    got += bytes.length;
  });
  socket.resume();
  await expect.poll(() => got).toBe(sent * 1024 ** 2);
  viewer.terminate();
});

test.each([
  ['the desktop ends', (rfb: Socket) => void rfb.end('bye'), 1000],
  ['the desktop is reset', (rfb: Socket) => void rfb.destroy(), 1000],
  ['the viewer sends text', (_rfb: Socket, viewer: WebSocket) => viewer.send('text'), 1003],
  [
    'the viewer sends an oversized frame',
    (_rfb: Socket, viewer: WebSocket) => viewer.send(Buffer.alloc(17 * 1024 ** 2)),
    1009,
  ],
  ['the viewer closes', (_rfb: Socket, viewer: WebSocket) => viewer.close(4000), 4000],
  ['the viewer is disconnected', (_rfb: Socket, viewer: WebSocket) => viewer.terminate(), 1006],
])('[vnc.ends] if %s, both sides are closed', async (_what, cut, code) => {
  await using set = await startDesktop();
  const viewer = set.view();
  viewer.on('error', () => {});
  await once(viewer, 'open');
  const rfb = await set.rfb.connection();
  rfb.resume();
  const closed = once(viewer, 'close') as Promise<[number]>;
  cut(rfb, viewer);
  expect((await closed)[0]).toBe(code);
  await expect.poll(() => set.rfb.sockets.size).toBe(0);
});

test('an unmasked frame closes both sides', async () => {
  await using set = await startDesktop();
  using wire = new Wire(set.port);
  const fields =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  wire.send(`GET /websockify HTTP/1.1\r\nHost: h\r\n${KEY}\r\nx-request-id: mine\r\n${fields}\r\n\r\n`);
  expect(await wire.until('\r\n\r\n')).toMatch(/^HTTP\/1\.1 101 [\s\S]*x-request-id: mine/);
  wire.send('\x82\x01x');
  await wire.all();
  await expect.poll(() => set.rfb.sockets.size).toBe(0);
});

test.each([
  ['another protocol', 'Upgrade: tcp'],
  ['no key', 'Upgrade: websocket\r\nSec-WebSocket-Version: 13'],
  ['a wrong key', 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x'],
  ['another version', 'Upgrade: websocket\r\nSec-WebSocket-Version: 7\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='],
])('an upgrade with %s is 400 and leaves no connection open', async (_what, fields) => {
  await using set = await startDesktop();
  using wire = new Wire(set.port);
  wire.send(`GET /websockify HTTP/1.1\r\nHost: h\r\n${KEY}\r\nConnection: Upgrade\r\n${fields}\r\n\r\n`);
  expect(await wire.all()).toMatch(/^HTTP\/1\.1 400 /);
  await expect.poll(() => set.rfb.sockets.size).toBe(0);
});

test('[vnc.gate] the desktop and its pages require the key', async () => {
  await using set = await startDesktop();
  for (const path of ['/websockify', '/vnc/websockify', '/websockify?api_key=wrong']) {
    const unauthorized = new WebSocket(`ws://127.0.0.1:${set.port}${path}`);
    expect(((await once(unauthorized, 'error')) as [Error])[0].message).toContain('401');
  }
  expect(await exchange(set.port, 'GET /vnc/app/ui.js HTTP/1.1\nHost: h')).toMatch(/^HTTP\/1\.1 401 /);
  expect(set.rfb.connections).toBe(0);
  const byQuery = new WebSocket(`ws://127.0.0.1:${set.port}/websockify?api_key=k`);
  await once(byQuery, 'open');
  byQuery.terminate();
});

test('[vnc.absent] without a desktop the upgrade is 503 with a hint', async () => {
  await using daemon = await startAuthDaemon();
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  const fields =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  wire.send(`GET /websockify HTTP/1.1\r\nHost: h\r\n${KEY}\r\n${fields}\r\n\r\n`);
  expect(await wire.all()).toMatch(/^HTTP\/1\.1 503 [\s\S]*the desktop is not reachable[\s\S]*GATEWAY_VNC/);
});

test('[vnc.pages] noVNC’s pages are served from their directory, vnc.html also as index.html', async () => {
  await using novnc = await tempDir();
  const directory = novnc.path;
  await mkdir(join(directory, 'app'));
  await writeFile(join(directory, 'vnc.html'), '<title>noVNC</title>');
  await writeFile(join(directory, 'app/ui.js'), 'let ui;');
  await using daemon = await startAuthDaemon();
  await using gateway = await startGateway(daemon.port, { env: { GATEWAY_NOVNC_DIR: directory } });
  const get = (path: string) => exchange(gateway.port, `GET ${path} HTTP/1.1\nHost: h\n${KEY}`);
  expect(await get('/vnc')).toMatch(/^HTTP\/1\.1 308 [\s\S]*Location: vnc\/\r/);
  expect(await get('/vnc/')).toMatch(/^HTTP\/1\.1 302 [\s\S]*Location: index\.html\?autoconnect=true/);
  for (const path of ['/vnc/index.html?path=websockify%3Fapi_key%3Dk', '/vnc/vnc.html', '/vnc/?autoconnect=1']) {
    expect(await get(path)).toMatch(/^HTTP\/1\.1 200 [\s\S]*Content-Type: text\/html[\s\S]*noVNC/);
  }
  expect(await get('/vnc/app/ui.js?v=1')).toMatch(/^HTTP\/1\.1 200 [\s\S]*text\/javascript[\s\S]*let ui;/);
  expect(await get('/vnc/%2e%2e/etc/passwd')).toMatch(/^HTTP\/1\.1 404 /);
  await rm(directory, { recursive: true });
  expect(await get('/vnc/index.html')).toMatch(/^HTTP\/1\.1 503 [\s\S]*apt-get install[\s\S]*novnc/);
});

test('[relay.leaks-nothing] a hundred viewers leave no open descriptor', async () => {
  await using set = await startDesktop((socket) => socket.write('RFB 003.008\n'));
  const descriptors = async () => (await readdir('/proc/self/fd')).length;
  const round = async () => {
    const viewers = Array.from({ length: 25 }, () => set.view());
    await Promise.all(viewers.map((viewer) => once(viewer, 'message')));
    for (const [i, viewer] of viewers.entries()) {
      if (i % 2 === 0) viewer.terminate();
      else viewer.close();
    }
    await Promise.all(viewers.map((viewer) => once(viewer, 'close')));
    await expect.poll(() => set.rfb.sockets.size).toBe(0);
  };
  await round();
  const before = await descriptors();
  for (let i = 0; i < 4; i += 1) await round();
  await expect.poll(descriptors).toBeLessThanOrEqual(before + 2);
});

test('a gateway that stops disconnects its viewers', async () => {
  await using set = await startDesktop();
  const viewer = set.view();
  await once(viewer, 'open');
  const closed = once(viewer, 'close');
  await set.close();
  await closed;
  await expect.poll(() => set.rfb.sockets.size).toBe(0);
});

test.each([
  [undefined, "frame-ancestors 'self'"],
  ["frame-ancestors 'self' https://listed.example", "frame-ancestors 'self' https://listed.example"],
])('[page.frames] with the rule %s of the daemon, pages may be framed by %s', async (rule, expected) => {
  await using directory = await tempDir();
  await writeFile(join(directory.path, 'vnc.html'), 'page');
  await using editor = await startDaemon(
    (_req, res) => void res.setHeader('Content-Security-Policy', "img-src 'self'").end('page'),
  );
  await using daemon = await startDaemon(
    (_req, res) => void res.writeHead(204, rule === undefined ? {} : { 'Content-Security-Policy': rule }).end(),
  );
  const at = `127.0.0.1:${editor.port}`;
  const env = { DISABLE_CODE_SERVER: 'false', DISABLE_JUPYTER: 'false', GATEWAY_CODE_SERVER: at, GATEWAY_JUPYTER: at };
  await using gateway = await startGateway(daemon.port, { env: { ...env, GATEWAY_NOVNC_DIR: directory.path } });
  for (const path of ['/vnc/index.html', '/terminal/', '/code-server/', '/jupyter/lab']) {
    const { headers } = await fetch(gateway.origin + path);
    const rules = headers.get('content-security-policy')?.split(/[;,] */) ?? [];
    expect([path, rules.filter((text) => text.startsWith('frame-ancestors'))]).toEqual([path, [expected]]);
  }
});
