import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { Forwarder } from './forwarder.ts';
import { upstreamOf } from './upstream.ts';

const CREDENTIALS = `Basic ${Buffer.from('user:p@ss word').toString('base64')}`;
const IN_URL = 'user:p%40ss%20word';

interface Listening extends AsyncDisposable {
  readonly port: number;
  readonly seen: string[];
}

async function listening(server: Server | ReturnType<typeof createTcpServer>, seen: string[]): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A site that answers with what it got. */
function site(): Promise<Listening> {
  const server = createServer(async (req, res) => {
    const body = await text(req);
    res
      .writeHead(201, { 'x-site': 'yes' })
      .end(`${req.method} ${req.url} ${body} ${req.headers['proxy-authorization']}`);
  });
  return listening(server, []);
}

/** An HTTP proxy that wants the user and the password. */
function httpProxy(): Promise<Listening> {
  const seen: string[] = [];
  const isWelcome = (authorization: string | undefined): boolean => {
    seen.push(authorization ?? 'none');
    return authorization === CREDENTIALS;
  };
  const server = createServer((req, res) => {
    if (!isWelcome(req.headers['proxy-authorization'])) return void res.writeHead(407).end();
    const { 'proxy-authorization': _own, ...headers } = req.headers;
    const outgoing = request(req.url ?? '', { method: req.method ?? 'GET', headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(res);
    });
    req.pipe(outgoing);
  });
  server.on('connect', (req, client: Socket) => {
    if (!isWelcome(req.headers['proxy-authorization'])) return void client.end('HTTP/1.1 407 No\r\n\r\n');
    const [host = '', port] = (req.url ?? '').split(':');
    const target = connect(Number(port), host, () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    target.pipe(client).pipe(target);
    target.on('error', () => client.destroy());
    client.on('error', () => target.destroy());
  });
  return listening(server, seen);
}

/** A SOCKS5 proxy that wants the user and the password (RFC 1928, RFC 1929). */
function socksProxy(): Promise<Listening> {
  const seen: string[] = [];
  const server = createTcpServer(async (client) => {
    client.on('error', () => {});
    const next = async (): Promise<Buffer> => ((await once(client, 'data')) as [Buffer])[0];
    await next();
    client.write(Buffer.from([5, 2]));
    const login = await next();
    const user = login.subarray(2, 2 + (login[1] ?? 0)).toString();
    const password = login.subarray(3 + (login[1] ?? 0)).toString();
    seen.push(`${user}:${password}`);
    client.write(Buffer.from([1, password === 'p@ss word' ? 0 : 1]));
    if (password !== 'p@ss word') return;
    const asked = await next();
    const isName = asked[3] === 3;
    const host = isName ? asked.subarray(5, 5 + (asked[4] ?? 0)).toString() : asked.subarray(4, 8).join('.');
    seen.push(host);
    const target = connect(asked.readUInt16BE(asked.length - 2), '127.0.0.1', () => {
      // An address of a name is allowed in the answer too.
      client.write(Buffer.from([5, 0, 0, 3, 1, 120, 0, 1]));
      target.pipe(client).pipe(target);
    });
    target.on('error', () => client.destroy());
  });
  return listening(server, seen);
}

async function forwarding(url: string): Promise<AsyncDisposable & { readonly port: number }> {
  const forwarder = new Forwarder(upstreamOf(new URL(url)));
  const port = await forwarder.listen(0);
  return { port, [Symbol.asyncDispose]: () => forwarder[Symbol.asyncDispose]() };
}

/** A request of a browser to its proxy: with the absolute address. */
async function by(port: number, url: string, body?: string): Promise<{ status: number | undefined; text: string }> {
  const headers = { 'proxy-connection': 'keep-alive', 'proxy-authorization': 'of-the-client' };
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path: url,
    method: body === undefined ? 'GET' : 'POST',
    headers,
  });
  outgoing.end(body);
  const [answer] = await once(outgoing, 'response');
  return { status: answer.statusCode, text: await text(answer) };
}

/** What comes back through a tunnel to a site. */
async function tunnelled(port: number, authority: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('utf8');
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  let answer = '';
  for await (const part of socket) {
    if (answer === '' && part.includes(' 200 '))
      socket.write('GET /in HTTP/1.1\r\nHost: s\r\nConnection: close\r\n\r\n');
    answer += part;
  }
  return answer;
}

test.each([
  ['http', httpProxy, CREDENTIALS],
  ['socks5', socksProxy, 'user:p@ss word'],
] as const)(
  '[proxy.credentials] requests and tunnels pass a proxy of %s with a password',
  async (scheme, start, shown) => {
    await using target = await site();
    await using proxy = await start();
    await using forwarder = await forwarding(`${scheme}://${IN_URL}@127.0.0.1:${proxy.port}`);
    const url = `http://localhost:${target.port}/a?b=1`;
    expect(await by(forwarder.port, url)).toEqual({ status: 201, text: 'GET /a?b=1  undefined' });
    expect(await by(forwarder.port, url, 'sent')).toEqual({ status: 201, text: 'POST /a?b=1 sent undefined' });
    expect(await tunnelled(forwarder.port, `localhost:${target.port}`)).toContain('GET /in ');
    expect(await tunnelled(forwarder.port, `127.0.0.1:${target.port}`)).toContain('GET /in ');
    expect(new Set(proxy.seen)).toContain(shown);
  },
);

test.each([
  ['a wrong password', (port: number) => `http://user:wrong@127.0.0.1:${port}`, httpProxy],
  ['a wrong password of SOCKS', (port: number) => `socks5://user:wrong@127.0.0.1:${port}`, socksProxy],
  ['no proxy', () => 'http://user:x@127.0.0.1:1', httpProxy],
  ['no proxy of SOCKS', () => 'socks5://user:x@127.0.0.1:1', socksProxy],
])('[proxy.credentials] with %s a tunnel is refused and the forwarder serves on', async (_what, urlOf, start) => {
  await using proxy = await start();
  await using forwarder = await forwarding(urlOf(proxy.port));
  for (let i = 0; i < 2; i += 1) {
    expect(await tunnelled(forwarder.port, 'site.example:443')).toMatch(/^HTTP\/1\.1 502 /);
    expect([407, 502]).toContain((await by(forwarder.port, 'http://site.example/')).status);
  }
});

test.each(['/path', 'ftp://a.example/', 'https://a.example/'])('a request for %s is refused', async (path) => {
  await using forwarder = await forwarding('http://user:x@127.0.0.1:1');
  expect(await by(forwarder.port, path)).toMatchObject({ status: 400 });
});

test.each(['a.example', 'a b:1', 'a.example:port'])('a tunnel to %j is refused', async (authority) => {
  await using forwarder = await forwarding('http://user:x@127.0.0.1:1');
  expect(await tunnelled(forwarder.port, authority)).toMatch(/^HTTP\/1\.1 400 /);
});

test.each([
  ['a status that is none', 'HTTP/1.1 099 No\r\nContent-Length: 0\r\n\r\n'],
  ['a control character in a field', 'HTTP/1.1 200 OK\r\nX-A: a\u0001b\r\nContent-Length: 0\r\n\r\n'],
  ['an upgrade that nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
  ['no HTTP', 'hello\r\n\r\n'],
])('%s in the answer of the proxy is 502, and the next request is served', async (_what, answer) => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answer, 'latin1'));
  });
  await using proxy = await listening(server, []);
  await using forwarder = new Forwarder(upstreamOf(new URL(`http://${IN_URL}@127.0.0.1:${proxy.port}`)));
  const port = await forwarder.listen(0);
  for (let i = 0; i < 2; i += 1) {
    const asked = request({ host: '127.0.0.1', port, path: 'http://site.test/' }).end();
    const [{ statusCode }] = await once(asked, 'response');
    expect(statusCode).toBe(502);
  }
});

test.each(['https', 'socks5'])('a proxy of %s that accepts and says nothing is 502 in its time', async (scheme) => {
  await using proxy = await listening(
    createTcpServer((socket) => socket.on('error', () => {}).resume()),
    [],
  );
  await using forwarder = new Forwarder(upstreamOf(new URL(`${scheme}://${IN_URL}@127.0.0.1:${proxy.port}`), 100));
  const port = await forwarder.listen(0);
  expect(await by(port, 'http://site.test/')).toEqual({ status: 502, text: 'the proxy did not answer\n' });
  expect(await tunnelled(port, 'site.test:443')).toMatch(/^HTTP\/1\.1 502 /);
});
