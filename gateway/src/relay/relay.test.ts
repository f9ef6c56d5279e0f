import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { exchange, startDaemon, startGateway, Wire } from '../gateway.fixture.ts';

/** Responds with the request it received. */
function echo(req: IncomingMessage, res: ServerResponse): void {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    res.end(JSON.stringify({ method: req.method, url: req.url, raw: req.rawHeaders, body }));
  });
}

interface Echo {
  readonly method: string;
  readonly url: string;
  readonly raw: string[];
  readonly body: string;
}

function echoed(answer: string): Echo {
  return JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)) as Echo;
}

function fields(raw: readonly string[], name: string): (string | undefined)[] {
  return raw.flatMap((field, i) => (i % 2 === 0 && field.toLowerCase() === name ? [raw[i + 1]] : []));
}

test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY'])(
  '%s is relayed without a body, with a length and chunked',
  async (method) => {
    await using daemon = await startDaemon(echo);
    await using gateway = await startGateway(daemon.port);
    const head = `${method} /x?q HTTP/1.1\nHost: h`;
    expect(echoed(await exchange(gateway.port, head))).toMatchObject({ method, url: '/x?q', body: '' });
    expect(echoed(await exchange(gateway.port, `${head}\nContent-Length: 5`, 'hello'))).toMatchObject({
      method,
      body: 'hello',
    });
    const chunked = await exchange(
      gateway.port,
      `${head}\nTransfer-Encoding: chunked`,
      '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
    );
    expect(echoed(chunked)).toMatchObject({ method, body: 'abcde' });
  },
);

test('HEAD and statuses without content have no body, and the connection stays usable', async () => {
  await using daemon = await startDaemon((req, res) => {
    res.writeHead(
      req.url === '/204' ? 204 : req.url === '/304' ? 304 : 200,
      req.url === '/head' ? { 'Content-Length': 7 } : {},
    );
    res.end(req.method === 'HEAD' || req.url !== '/last' ? undefined : 'last!');
  });
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  for (const head of ['HEAD /head', 'GET /204', 'GET /304', 'GET /last'])
    wire.send(`${head} HTTP/1.1\r\nHost: h\r\n\r\n`);
  const text = await wire.until('last!');
  expect(text.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 204', 'HTTP/1.1 304', 'HTTP/1.1 200']);
  expect(text).toContain('Content-Length: 7');
});

test('hop-by-hop headers are not forwarded in either direction', async () => {
  await using daemon = await startDaemon((req, res) => {
    res.writeHead(200, [
      'Connection',
      'X-Hop',
      'X-Hop',
      '1',
      'Proxy-Authenticate',
      'Basic',
      'Trailer',
      'x',
      'X-Kept',
      JSON.stringify(req.rawHeaders),
    ]);
    res.end();
  });
  await using gateway = await startGateway(daemon.port);
  const answer = await exchange(
    gateway.port,
    'GET / HTTP/1.1\nHost: h\nKeep-Alive: 5\nProxy-Connection: x\nTE: trailers\nTrailer: t\nUpgrade: h2c\nProxy-Authorization: p\nX-Named: n\nX-Kept: k\nConnection: X-Named, host, content-length',
  );
  const raw = JSON.parse(/X-Kept: (.*)\r/.exec(answer)?.[1] ?? '') as string[];
  for (const name of ['keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade', 'proxy-authorization', 'x-named']) {
    expect([name, fields(raw, name)]).toEqual([name, []]);
  }
  expect(fields(raw, 'x-kept')).toEqual(['k']);
  expect(fields(raw, 'host')).toEqual(['h']);
  expect(answer).not.toMatch(/X-Hop|Proxy-Authenticate|Trailer/);
});

test('Connection cannot remove the framing of the body', async () => {
  await using daemon = await startDaemon(echo);
  await using gateway = await startGateway(daemon.port);
  const answer = await exchange(
    gateway.port,
    'POST / HTTP/1.1\nHost: h\nConnection: content-length, transfer-encoding\nContent-Length: 3',
    'abc',
  );
  expect(echoed(answer).body).toBe('abc');
});

test('duplicate headers, their case and their bytes stay unchanged', async () => {
  await using daemon = await startDaemon((req, res) => {
    res.writeHead(201, 'Made Up', [
      'Set-Cookie',
      'a=1',
      'Set-Cookie',
      'b=2',
      'X-Bytes',
      'caf\u00e9',
      'x-CASE',
      req.rawHeaders.join('|'),
    ]);
    res.end();
  });
  await using gateway = await startGateway(daemon.port);
  const answer = await exchange(
    gateway.port,
    'GET / HTTP/1.1\nHost: example.test:8080\nX-Twice: 1\nX-Twice: 2\nX-Bytes: \u00fc',
  );
  expect(answer).toMatch(
    /^HTTP\/1\.1 201 Made Up\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Bytes: caf\u00e9\r\nx-CASE: /,
  );
  expect(answer).toContain('X-Twice|1|X-Twice|2|X-Bytes|\u00fc');
  expect(answer).toContain('Host|example.test:8080');
});

test('X-Forwarded-* of an untrusted peer is replaced', async () => {
  await using daemon = await startDaemon(echo);
  await using gateway = await startGateway(daemon.port, { trustedProxies: '192.0.2.1' });
  const spoofed =
    'X-Forwarded-For: 10.0.0.1\nX-Forwarded-Proto: https\nX-Forwarded-Host: evil\nX-Forwarded-Prefix: /x\nForwarded: for=1\nX-Real-IP: 1';
  const { raw } = echoed(await exchange(gateway.port, `GET / HTTP/1.1\nHost: h\n${spoofed}`));
  expect(fields(raw, 'x-forwarded-for')).toEqual(['127.0.0.1']);
  expect(fields(raw, 'x-forwarded-proto')).toEqual(['http']);
  expect(fields(raw, 'x-forwarded-host')).toEqual(['h']);
  expect(['x-forwarded-prefix', 'forwarded', 'x-real-ip'].flatMap((name) => fields(raw, name))).toEqual([]);
});

test('X-Forwarded-* of a trusted proxy is kept, and X-Forwarded-For is extended', async () => {
  await using daemon = await startDaemon(echo);
  await using gateway = await startGateway(daemon.port);
  const forwarded =
    'X-Forwarded-For: 203.0.113.9\nX-Forwarded-For: 10.0.0.1\nX-Forwarded-Proto: https\nX-Forwarded-Host: public\nX-Forwarded-Prefix: /x';
  const { raw } = echoed(await exchange(gateway.port, `GET / HTTP/1.1\nHost: h\n${forwarded}`));
  expect(fields(raw, 'x-forwarded-for')).toEqual(['203.0.113.9, 10.0.0.1, 127.0.0.1']);
  expect(fields(raw, 'x-forwarded-proto')).toEqual(['https']);
  expect(fields(raw, 'x-forwarded-host')).toEqual(['public']);
  expect(fields(raw, 'x-forwarded-prefix')).toEqual(['/x']);
  expect(fields(raw, 'host')).toEqual(['h']);
});

test('X-Original-* headers of clients are removed', async () => {
  await using daemon = await startDaemon(echo);
  await using gateway = await startGateway(daemon.port);
  const { raw } = echoed(
    await exchange(
      gateway.port,
      'GET /internal/auth HTTP/1.1\nHost: h\nX-Original-URI: /health\nx-original-method: GET\nX-ORIGINAL-anything: 1',
    ),
  );
  expect(raw.filter((field) => /x-original/i.test(field))).toEqual([]);
});

test('a valid request id is forwarded, another is replaced', async () => {
  await using daemon = await startDaemon((req, res) => {
    res.setHeader('X-Request-ID', 'the-daemons');
    echo(req, res);
  });
  await using gateway = await startGateway(daemon.port);
  const kept = await exchange(gateway.port, 'GET / HTTP/1.1\nHost: h\nX-Request-Id: abc~1');
  expect(kept.match(/^x-request-id: .*$/gim)).toEqual(['x-request-id: abc~1']);
  expect(fields(echoed(kept).raw, 'x-request-id')).toEqual(['abc~1']);
  for (const bad of ['with space', 'x'.repeat(129), '\u00e9', 'a\nX-Request-Id: b']) {
    const answer = await exchange(gateway.port, `GET / HTTP/1.1\nHost: h\nX-Request-Id: ${bad}`);
    const ids = answer.match(/^x-request-id: [0-9a-f-]{36}$/gim);
    expect([bad, ids?.length]).toEqual([bad, 1]);
    expect(fields(echoed(answer).raw, 'x-request-id')).toEqual([ids?.[0]?.slice('x-request-id: '.length)]);
  }
});

test('an HTTP/1.0 request without a Host is relayed', async () => {
  await using daemon = await startDaemon(echo);
  await using gateway = await startGateway(daemon.port);
  expect(echoed(await exchange(gateway.port, 'GET /old HTTP/1.0')).url).toBe('/old');
});

test('[gateway.streamed] a body in pieces reaches the daemon piece by piece, after the head', async () => {
  await using daemon = await startDaemon((req, res) => {
    res.writeHead(200);
    res.write('head;');
    req.on('data', (chunk: Buffer) => res.write(`${chunk.toString()};`));
    req.on('end', () => res.end('end'));
  });
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  wire.send('POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n');
  await wire.until('head;');
  wire.send('3\r\none\r\n');
  await wire.until('one;');
  wire.send('3\r\ntwo\r\n0\r\n\r\n');
  await wire.until('two;');
  await wire.until('end');
});

test('a small chunked body that arrives with its head is forwarded with a length', async () => {
  await using daemon = await startDaemon(echo);
  await using gateway = await startGateway(daemon.port);
  const head = 'POST / HTTP/1.1\nHost: h\nTransfer-Encoding: chunked';
  const { raw, body } = echoed(await exchange(gateway.port, head, '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'));
  expect([body, fields(raw, 'content-length'), fields(raw, 'transfer-encoding')]).toEqual(['abcde', ['5'], []]);
});

test('Expect: 100-continue is answered by the daemon', async () => {
  await using daemon = await startDaemon(echo);
  daemon.server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    if (req.url === '/no') return void res.writeHead(401, { 'Content-Length': 2 }).end('no');
    res.writeContinue();
    echo(req, res);
  });
  await using gateway = await startGateway(daemon.port);
  using yes = new Wire(gateway.port);
  yes.send('POST /yes HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n');
  await yes.until('HTTP/1.1 100 Continue\r\n\r\n');
  yes.send('ok');
  expect(echoed(await yes.until(/"body":"ok"}/)).url).toBe('/yes');
  using no = new Wire(gateway.port);
  no.send('POST /no HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n');
  const refused = await no.until(/\r\n\r\nno/);
  expect(refused).toMatch(/^HTTP\/1\.1 401/);
  expect(refused).toContain('Connection: close');
});

test('[gateway.streamed] a response head is sent before the first byte of its body', async () => {
  let answer: ServerResponse | undefined;
  await using daemon = await startDaemon((_req, res) => {
    answer = res;
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    res.flushHeaders();
  });
  await using gateway = await startGateway(daemon.port);
  using wire = new Wire(gateway.port);
  wire.send('GET /events HTTP/1.1\r\nHost: h\r\n\r\n');
  await wire.until('text/event-stream');
  answer?.write('data: 1\n\n');
  await wire.until('data: 1');
  const [socket] = daemon.sockets;
  const gone = once(socket ?? daemon.server, 'close');
  wire.socket.destroy();
  await gone;
});
