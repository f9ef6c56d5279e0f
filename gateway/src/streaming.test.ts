import { once } from 'node:events';
import { get, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { exchange, startDaemon, startGateway, Wire } from './gateway.fixture.ts';
import { fill, IN_FLIGHT_MAX_MB } from './in-flight.fixture.ts';

const MEGABYTE = Buffer.alloc(1024 * 1024, 'x');

/** The body of a response as on the wire, framing included. */
function bodyOf(response: string): string {
  return response.slice(response.indexOf('\r\n\r\n') + 4);
}

test('a client that does not read causes backpressure on the daemon', async () => {
  let written: Promise<number> | undefined;
  await using daemon = await startDaemon((_req, res) => {
    written = fill(res);
  });
  await using gateway = await startGateway(daemon.port);
  const client = get(gateway.origin);
  const [answer] = (await once(client, 'response')) as [IncomingMessage];
  expect(await written).toBeLessThan(IN_FLIGHT_MAX_MB);
  client.on('error', () => {});
  answer.destroy();
});

test('a daemon that does not read causes backpressure on the client', async () => {
  await using daemon = await startDaemon(() => {});
  await using gateway = await startGateway(daemon.port);
  const client = request(gateway.origin, { method: 'POST' });
  client.on('error', () => {});
  expect(await fill(client)).toBeLessThan(IN_FLIGHT_MAX_MB);
  client.destroy();
});

test('large bodies arrive complete in both directions at once', async () => {
  await using daemon = await startDaemon((req, res) => void req.pipe(res));
  await using gateway = await startGateway(daemon.port);
  const client = request(gateway.origin, { method: 'PUT', headers: { 'Content-Length': 32 * MEGABYTE.length } });
  const answered = once(client, 'response') as Promise<[IncomingMessage]>;
  let sent = 0;
  const more = (): void => {
    while (sent < 32) {
      sent += 1;
      if (!client.write(MEGABYTE)) return void client.once('drain', more);
    }
    client.end();
  };
  more();
  const [answer] = await answered;
  let got = 0;
  for await (const chunk of answer) got += (chunk as Buffer).length;
  expect(got).toBe(32 * MEGABYTE.length);
});

test.each([
  ['with a length', { 'Content-Length': '100' }, 'part'],
  ['chunked', {}, '4\r\npart\r\n'],
])('a response (%s) that the daemon aborts does not end cleanly', async (_form, headers, body) => {
  await using daemon = await startDaemon((_req, res) => {
    res.writeHead(200, headers);
    res.write('part');
  });
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  wire.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
  await wire.until('part');
  for (const socket of daemon.sockets) socket.destroy();
  expect(bodyOf(await wire.all())).toBe(body);
});

test('an aborted response to HTTP/1.0 is a reset, because its body ends with the connection', async () => {
  await using daemon = await startDaemon((_req, res) => void res.write('part'));
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  const failed = once(wire.socket, 'error') as Promise<[NodeJS.ErrnoException]>;
  wire.send('GET / HTTP/1.0\r\n\r\n');
  await wire.until('part');
  for (const socket of daemon.sockets) socket.resetAndDestroy();
  expect((await failed)[0].code).toBe('ECONNRESET');
});

test('an aborted response to an upload does not end cleanly', async () => {
  await using daemon = await startDaemon((_req, res) => void res.write('part'));
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  wire.send('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nbegin');
  await wire.until('part');
  for (const socket of daemon.sockets) socket.destroy();
  expect(bodyOf(await wire.all())).toBe('4\r\npart\r\n');
});

test.each([
  ['while it waits for a response', 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'],
  ['during its upload', 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nbegin'],
])('a client that disconnects %s is disconnected from the daemon', async (_when, head) => {
  const arrived = Promise.withResolvers<ServerResponse>();
  await using daemon = await startDaemon((_req, res) => arrived.resolve(res));
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  wire.send(head);
  const res = await arrived.promise;
  const closed = once(res, 'close');
  wire.socket.destroy();
  await closed;
  expect(res.req.complete).toBe(head.startsWith('GET'));
});

test('a stream ends at the daemon when its client disconnects', async () => {
  const streams = new Set<ServerResponse>();
  const allGone = Promise.withResolvers<void>();
  await using daemon = await startDaemon((_req, res) => {
    streams.add(res);
    res.on('close', () => {
      streams.delete(res);
      if (streams.size === 0) allGone.resolve();
    });
    res.write('first');
  });
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  await wire.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n').until('first');
  wire.socket.destroy();
  await allGone.promise;
});

test('pipelined requests all end at the daemon when the client disconnects', async () => {
  const urls = new Set<string | undefined>();
  const bothArrived = Promise.withResolvers<void>();
  const bothGone = Promise.withResolvers<void>();
  await using daemon = await startDaemon((req, res) => {
    res.write('part');
    if (urls.add(req.url).size === 2) bothArrived.resolve();
    res.on('close', () => {
      urls.delete(req.url);
      if (urls.size === 0) bothGone.resolve();
    });
  });
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  wire.send('GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n');
  await bothArrived.promise;
  wire.socket.destroy();
  await bothGone.promise;
});

test('64 open streams do not delay short requests', async () => {
  await using daemon = await startDaemon((req, res) => {
    if (req.url === '/stream') res.write('line\n');
    else res.end('short');
  });
  await using gateway = await startGateway(daemon.port);
  const streams = Array.from({ length: 64 }, () => new Wire(gateway.port));
  try {
    for (const wire of streams) wire.send('GET /stream HTTP/1.1\r\nHost: h\r\n\r\n');
    await Promise.all(streams.map((wire) => wire.until('line\n')));
    for (let i = 0; i < 20; i += 1) expect(await (await fetch(`${gateway.origin}/short`)).text()).toBe('short');
  } finally {
    for (const wire of streams) wire.socket.destroy();
  }
});

test('an error response during an upload reaches the client every time', async () => {
  await using daemon = await startDaemon((_req, res) => {
    res.writeHead(413, { Connection: 'close', 'Content-Length': 8 });
    res.end('too long');
  });
  await using gateway = await startGateway(daemon.port);
  for (let round = 0; round < 40; round += 1) {
    const client = request(gateway.origin, { method: 'POST', agent: false });
    const answered = once(client, 'response') as Promise<[IncomingMessage]>;
    const feed = (): void => {
      while (!client.destroyed && client.write(MEGABYTE));
    };
    client.on('drain', feed);
    feed();
    const [answer] = await answered;
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    expect([round, answer.statusCode, answer.headers.connection, text]).toEqual([round, 413, 'close', 'too long']);
    client.off('drain', feed);
    client.on('error', () => {});
    client.destroy();
  }
});

test('after an early response no further request on the connection is handled', async () => {
  await using daemon = await startDaemon((_req, res) => {
    res.writeHead(401, { 'Content-Length': 2 });
    res.end('no');
  });
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  wire.send('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n12345');
  await wire.until('\r\n\r\nno');
  wire.send('67890GET /second HTTP/1.1\r\nHost: h\r\n\r\n');
  wire.socket.end();
  await once(wire.socket, 'close');
  expect(wire.text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(await exchange(gateway.port, 'POST /third HTTP/1.1\nHost: h')).toMatch(/^HTTP\/1\.1 401/);
  expect(daemon.requests.map((req) => req.url)).toEqual(['/', '/third']);
});

test('long responses to pipelined requests arrive complete and in order, and the connection stays usable', async () => {
  const length = 8 * MEGABYTE.length;
  await using daemon = await startDaemon(({ url = '' }, res) => {
    const piece = Buffer.alloc(length / 2, url.at(-1));
    res.writeHead(200, url.startsWith('/chunked') ? {} : { 'Content-Length': length }).write(piece);
    res.end(piece);
  });
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  const paths = ['/chunked/Q', '/length/Z', '/chunked/Z', '/length/Q'];
  for (const path of paths) wire.send(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
  wire.send('HEAD /length/Q HTTP/1.1\r\nHost: h\r\n\r\nGET /length/Z HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
  const answers = (await wire.all()).split('HTTP/1.1 200 OK\r\n').slice(1);
  const counts = answers.map((answer) => ['Q', 'Z'].map((letter) => answer.split(letter).length - 1));
  const [q, z] = [
    [length, 0],
    [0, length],
  ];
  expect(counts).toEqual([q, z, z, q, [0, 0], z]);
});
