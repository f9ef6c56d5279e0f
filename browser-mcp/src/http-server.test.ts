import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { McpHttpServer } from './http-server.ts';
import type { Request } from './json-rpc.ts';

interface Started extends AsyncDisposable {
  readonly port: number;
  readonly asked: Request[];
}

/** A server whose answers repeat the request. */
async function started(): Promise<Started> {
  const asked: Request[] = [];
  const http = new McpHttpServer({
    ask: async (request) => {
      asked.push(request);
      return { jsonrpc: '2.0', id: request.id, result: request.params ?? null };
    },
    onRequest: () => {},
    onError: (error) => {
      throw error;
    },
  });
  const port = await http.listen({ port: 0 });
  return { port, asked, [Symbol.asyncDispose]: () => http[Symbol.asyncDispose]() };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const PING = '{"jsonrpc":"2.0","id":"a","method":"ping"}';

/** The whole answer to a request that is written as it stands; fetch would not send these headers. */
async function raw(port: number, lines: readonly string[], body = PING): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.setEncoding('utf8');
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  const head = [...lines, 'Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close'];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  await once(socket, 'close');
  return answer;
}

test('[mcp-browser.http] a request is answered as JSON under its id, a notification with 202', async () => {
  await using server = await started();
  const url = `http://127.0.0.1:${server.port}/mcp`;
  const post = (message: object) => fetch(url, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(message) });
  for (const id of ['x', 7]) {
    const answer = await post({ jsonrpc: '2.0', id, method: 'ping', params: { a: 1 } });
    expect([answer.status, await answer.json()]).toEqual([200, { jsonrpc: '2.0', id, result: { a: 1 } }]);
  }
  const notified = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  expect([notified.status, await notified.text()]).toEqual([202, '']);
  expect(server.asked).toHaveLength(2);
});

test.each([
  ['[mcp-browser.origin] a page of a site', ['Host: 127.0.0.1:8100', 'Origin: https://evil.example'], 403],
  ['[mcp-browser.origin] a page of this machine', ['Host: localhost:8100', 'Origin: http://localhost:3000'], 403],
  ['[mcp-browser.origin] a page without an origin', ['Host: localhost', 'Origin: null'], 403],
  ['[mcp-browser.host] a name that points here', ['Host: rebound.example:8100'], 403],
  ['[mcp-browser.host] a name that begins like a local one', ['Host: localhost.evil.example'], 403],
  ['[mcp-browser.host] no host', ['Host:'], 403],
  ['[mcp-browser.host] localhost', ['Host: localhost:8100'], 200],
  ['[mcp-browser.host] IPv6 loopback', ['Host: [::1]:8100'], 200],
  ['an unknown version of the protocol', ['Host: 127.0.0.1', 'MCP-Protocol-Version: 1999-01-01'], 400],
  ['a known version of the protocol', ['Host: 127.0.0.1', 'MCP-Protocol-Version: 2025-06-18'], 200],
])('%s is %s: %i', async (_what, headers, status) => {
  await using server = await started();
  expect(await raw(server.port, ['POST /mcp HTTP/1.1', ...headers])).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(server.asked).toHaveLength(status === 200 ? 1 : 0);
});

test.each([
  ['GET', '/mcp', PING, JSON_TYPE, 405],
  ['DELETE', '/mcp', PING, JSON_TYPE, 405],
  ['POST', '/other', PING, JSON_TYPE, 404],
  ['POST', '/mcp', PING, { 'content-type': 'text/plain' }, 415],
  ['POST', '/mcp', '{', JSON_TYPE, 400],
  ['POST', '/mcp', '[]', JSON_TYPE, 400],
  ['POST', '/mcp', 'null', JSON_TYPE, 400],
  ['POST', '/mcp', '{"jsonrpc":"2.0"}', JSON_TYPE, 400],
  ['POST', '/mcp', '{"jsonrpc":"2.0","id":{},"method":"ping"}', JSON_TYPE, 400],
  ['POST', '/mcp', JSON.stringify({ x: 'x'.repeat(8 * 1024 * 1024) }), JSON_TYPE, 413],
])('[mcp-browser.refusals] %s %s with %.20s is refused', async (method, path, body, headers, status) => {
  await using server = await started();
  const init = { method, headers, ...(method === 'POST' && { body }) };
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, init);
  expect(answer.status).toBe(status);
  if (status === 405) expect(answer.headers.get('allow')).toBe('POST');
  expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { message: expect.any(String) } });
  expect(server.asked).toEqual([]);
});

test('a body that is too long without a length is refused before its end', async () => {
  await using server = await started();
  const socket = connect({ host: '127.0.0.1', port: server.port });
  socket.write(
    'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
  );
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x100000, 'x'), Buffer.from('\r\n')]);
  for (let i = 0; i < 9; i += 1) socket.write(chunk);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
  socket.destroy();
});
