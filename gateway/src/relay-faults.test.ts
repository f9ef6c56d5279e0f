import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Daemon, exchange, startAuthDaemon, startDaemon, startGateway, Wire } from './gateway.fixture.ts';
import { fill, IN_FLIGHT_MAX_MB } from './in-flight.fixture.ts';
import { LiveTimers } from './live-timers.fixture.ts';

const ASK = 'Host: h\r\nX-API-Key: k\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const ACCEPT = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

interface Relaying extends AsyncDisposable {
  readonly app: Daemon;
  readonly daemon: Daemon;
  /** Opens a relay; resolves with the client's and the application's end of it. */
  open(): Promise<{ client: Wire; appSide: Socket }>;
  close(): Promise<void>;
}

/** A gateway in front of an application that accepts every upgrade. */
async function relaying(): Promise<Relaying> {
  const daemon = await startAuthDaemon();
  const app = new Daemon((_req, res) => void res.end());
  // By target, because relays that are opened at the same time arrive in any order.
  const accepted = new Map<string | undefined, (socket: Socket) => void>();
  app.server.on('upgrade', (req, socket) => {
    socket.write(ACCEPT);
    accepted.get(req.url)?.(socket as Socket);
  });
  await app.listen();
  const gateway = await startGateway(daemon.port);
  return {
    app,
    daemon,
    async open() {
      const target = `/ws/${accepted.size}`;
      const appSide = new Promise<Socket>((resolve) => accepted.set(target, resolve));
      const client = new Wire(gateway.port);
      client.send(`GET /proxy/${app.port}${target} HTTP/1.1\r\n${ASK}`);
      expect(await client.until('\r\n\r\n')).toMatch(/^HTTP\/1\.1 101 /);
      return { client, appSide: await appSide };
    },
    close: () => gateway.close(),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
    },
  };
}

test('[relay.half-close] the end of one direction leaves the other open, both ways', async () => {
  await using set = await relaying();
  const first = await set.open();
  first.client.send('request').socket.end();
  let heard = '';
  for await (const chunk of first.appSide.iterator({ destroyOnReturn: false })) heard += String(chunk);
  first.appSide.end('reply');
  expect([heard, (await first.client.all()).endsWith('reply')]).toEqual(['request', true]);
  const second = await set.open();
  second.appSide.end('request');
  expect(await second.client.all()).toMatch(/request$/);
  second.client.send('reply').socket.end();
  heard = '';
  for await (const chunk of second.appSide) heard += String(chunk);
  expect(heard).toBe('reply');
});

test.each(['client', 'application'] as const)(
  '[relay.reset] a reset by the %s reaches the other side as one',
  async (side) => {
    await using set = await relaying();
    const { client, appSide } = await set.open();
    const [resetting, hearing] = side === 'client' ? [client.socket, appSide] : [appSide, client.socket];
    appSide.resume();
    const failed = once(hearing, 'error') as Promise<[NodeJS.ErrnoException]>;
    resetting.resetAndDestroy();
    expect((await failed)[0].code).toBe('ECONNRESET');
  },
);

test.each(['client', 'application'] as const)(
  '[relay.slow-reader] a %s that does not read causes backpressure, and later receives every byte',
  async (side) => {
    await using set = await relaying();
    const { client, appSide } = await set.open();
    const [reading, writing] = side === 'client' ? [client.socket, appSide] : [appSide, client.socket];
    reading.pause();
    const written = await fill(writing);
    expect(written).toBeLessThan(IN_FLIGHT_MAX_MB);
    writing.end();
    let got = 0;
    for await (const piece of reading) got += (piece as { length: number }).length;
    expect(got).toBe(written * 1024 ** 2);
  },
);

test('[relay.idle] an open relay has no timeout on either side', async () => {
  await using set = await relaying();
  // The first relay creates shared resources, such as the pooled connection to the daemon.
  await set.open();
  using timers = new LiveTimers();
  const relays = [];
  for (let i = 0; i < 5; i += 1) relays.push(await set.open());
  // The async hook reports a cleared timer in the next turn of the event loop.
  await turn();
  // The daemon of the test, a server of node:http, has one timer for its idle connection, however many relays exist.
  expect(timers.count).toBeLessThan(relays.length);
  for (const { client, appSide } of relays) {
    appSide.write('still here');
    await client.until('still here');
  }
});

test('[relay.leaks-nothing] relays leave no open descriptor, however they end', async () => {
  await using set = await relaying();
  const descriptors = async () => (await readdir('/proc/self/fd')).length;
  const ends: ((relay: { client: Wire; appSide: Socket }) => void)[] = [
    ({ client }) => client.socket.destroy(),
    ({ client }) => client.socket.resetAndDestroy(),
    ({ appSide }) => appSide.destroy(),
    ({ appSide }) => appSide.resetAndDestroy(),
    ({ client, appSide }) => {
      client.socket.end();
      appSide.end();
    },
  ];
  const round = async () => {
    const relays = await Promise.all(Array.from({ length: 20 }, () => set.open()));
    const closed = relays.flatMap(({ client, appSide }) => [
      once(client.socket, 'close'),
      once(appSide.resume(), 'close'),
    ]);
    for (const promise of closed) promise.catch(() => {});
    for (const { client, appSide } of relays) {
      appSide.on('end', () => appSide.end());
      client.socket.on('end', () => client.socket.end());
    }
    for (const [i, relay] of relays.entries()) ends[i % ends.length]?.(relay);
    await Promise.allSettled(closed);
  };
  await round();
  const before = await descriptors();
  for (let i = 0; i < 5; i += 1) await round();
  await expect.poll(descriptors).toBeLessThanOrEqual(before + 2);
});

test('[relay.daemon-gone] open relays survive a stopped daemon; a new one is refused with 503', async () => {
  await using set = await relaying();
  const { client, appSide } = await set.open();
  await set.daemon[Symbol.asyncDispose]();
  appSide.write('still here');
  await client.until('still here');
  using late = new Wire(client.socket.remotePort ?? 0);
  expect(await late.send(`GET /proxy/${set.app.port}/ws HTTP/1.1\r\n${ASK}`).all()).toMatch(/^HTTP\/1\.1 503 /);
});

test.each([
  ['/cdp/devtools/page/P', 'h'],
  ['/cdp/json/version', 'h'],
  ['/cdp', 'h'],
  ['/vnc', 'h'],
  ['/vnc/index.html', 'h'],
  ['/websockify', 'h'],
  ['/vnc/websockify', 'h'],
  ['/code-server', 'h'],
  ['/code-server/', 'h'],
  ['/jupyter', 'h'],
  ['/jupyter/api', 'h'],
  ['/proxy/PORT/', 'h'],
  ['/absproxy/PORT/', 'h'],
  ['/terminal', 'h'],
  ['/open/PORT', 'h'],
  ['/', 'PORT.localhost'],
  ['/health', 'PORT-box.example'],
  ['/v1/ping', 'h\r\nX-AIO-Proxy-Port: PORT'],
  ['/', 'h\r\nX-SVC-Proxy-Port: PORT'],
])(
  '[auth.every-prefix] %s of %j: a wrong or missing key is 401 by HTTP and WebSocket, and reaches no upstream',
  async (path, host) => {
    await using upstream = await startDaemon((_req, res) => void res.end('reached'));
    await using app = await startDaemon((_req, res) => void res.end('reached'));
    await using daemon = await startAuthDaemon();
    const address = `127.0.0.1:${upstream.port}`;
    await using gateway = await startGateway(daemon.port, {
      env: {
        BROWSER_REMOTE_DEBUGGING_PORT: String(upstream.port),
        GATEWAY_VNC: address,
        GATEWAY_CODE_SERVER: address,
        GATEWAY_JUPYTER: address,
        DISABLE_CODE_SERVER: 'false',
        DISABLE_JUPYTER: 'false',
      },
    });
    for (const [query, fields] of [
      ['', ''],
      ['', 'X-API-Key: wrong\r\n'],
      ['', 'X-SVC-API-Key: wrong\r\n'],
      ['', 'X-AIO-API-Key: wrong\r\n'],
      ['', 'Authorization: Bearer wrong\r\n'],
      ['', 'Cookie: svc_session=wrong\r\n'],
      ['?api_key=wrong', ''],
      ['?ticket=wrong', ''],
      ['', 'X-API-Key: k\r\nConnection: x-api-key\r\n'],
    ] as const) {
      const head = `GET ${path}${query} HTTP/1.1\r\nHost: ${host}\r\n${fields}`.replace('PORT', String(app.port));
      expect([head, await statusOf(gateway.port, `${head}Connection: close\r\n`)]).toEqual([head, 401]);
      expect([head, await statusOf(gateway.port, head + UPGRADE)]).toEqual([head, 401]);
    }
    for (const { connections, requests } of [upstream, app]) expect([connections, requests]).toEqual([0, []]);
  },
);

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

async function statusOf(port: number, head: string): Promise<number> {
  using wire = new Wire(port);
  return Number((await wire.send(`${head}\r\n`).until('\r\n\r\n')).slice(9, 12));
}

test.each([
  ['a doubled slash', 'GET //cdp/json HTTP/1.1\nHost: h'],
  ['another case', 'GET /CDP/json HTTP/1.1\nHost: h'],
  ['an encoded letter', 'GET /%63dp/json HTTP/1.1\nHost: h'],
  ['an encoded slash', 'GET /cdp%2Fjson HTTP/1.1\nHost: h'],
  ['a parent segment', 'GET /x/../cdp/json HTTP/1.1\nHost: h'],
  ['a single dot', 'GET /./cdp/json HTTP/1.1\nHost: h'],
  ['a path parameter', 'GET /cdp;x/json HTTP/1.1\nHost: h'],
  ['a backslash', 'GET /cdp\\json HTTP/1.1\nHost: h'],
  ['an absolute-form of another host', 'GET http://other/cdp/json HTTP/1.1\nHost: h'],
  ['a target without a slash', 'GET cdp/json HTTP/1.1\nHost: h'],
  ['two Host fields', 'GET /cdp/json HTTP/1.1\nHost: h\nHost: localhost'],
  ['a folded field', 'GET /cdp/json HTTP/1.1\nHost: h\n X-Folded: 1'],
  ['the key declared hop-by-hop', 'GET /cdp/json HTTP/1.1\nHost: h\nConnection: x-api-key'],
  ['a length and chunks', 'POST /cdp/json HTTP/1.1\nHost: h\nContent-Length: 3\nTransfer-Encoding: chunked'],
  ['a header that only the gateway may send', 'GET /cdp/json HTTP/1.1\nHost: h\nX-Original-URI: /health'],
  ['the browser’s port in Host', 'GET /proxy/9/ HTTP/1.1\nHost: localhost:9222'],
  ['the browser’s address as Host', 'GET /page HTTP/1.1\nHost: 127.0.0.1:9222'],
  [
    'the browser’s address as X-Forwarded-Host',
    'GET /page HTTP/1.1\nHost: localhost\nX-Forwarded-Host: 127.0.0.1:9222',
  ],
  ['the browser’s port as X-Forwarded-Port', 'GET /page HTTP/1.1\nHost: h\nX-Forwarded-Port: 9222'],
  ['an encoded slash in a preview', 'GET /proxy%2F9222/json HTTP/1.1\nHost: h'],
  ['an encoded slash behind another port', 'GET /proxy/80%2F..%2F9222/json HTTP/1.1\nHost: h'],
  ['a port with a letter encoded', 'GET /proxy/%39222/json HTTP/1.1\nHost: h'],
  ['a preview of the browser’s own port', 'GET /proxy/9222/json HTTP/1.1\nHost: h'],
  ['the browser’s port as a host', 'GET /json HTTP/1.1\nHost: 9222.localhost'],
  ['the browser’s port as a field, twice', 'GET /json HTTP/1.1\nHost: h\nX-AIO-Proxy-Port: 80\nX-AIO-Proxy-Port: 9222'],
  ['two lengths', 'POST /cdp/json HTTP/1.1\nHost: h\nContent-Length: 3\nContent-Length: 4'],
])('[gateway.odd-requests] %s reaches no upstream of the gateway’s own', async (_what, head) => {
  await using browser = new Daemon((_req, res) => void res.end('reached'));
  await browser.listen();
  await using daemon = await startAuthDaemon((_req, res) => void res.writeHead(404).end('the daemon'));
  await using gateway = await startGateway(daemon.port, {
    env: { BROWSER_REMOTE_DEBUGGING_PORT: String(browser.port) },
  });
  const key = head.includes('X-Original') ? '' : '\nX-API-Key: k';
  const text = head.replaceAll('9222', String(browser.port));
  const body = head.startsWith('POST') ? '3\r\nabc\r\n0\r\n\r\n' : '';
  const answer = await exchange(gateway.port, text + key, body);
  expect(answer).toMatch(/^HTTP\/1\.1 [45]\d\d /);
  expect(answer).not.toContain('reached');
  expect(browser.requests).toEqual([]);
});
