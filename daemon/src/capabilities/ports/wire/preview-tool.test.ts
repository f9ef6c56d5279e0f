import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { McpCaller } from '../../../mcp/mcp.fixture.ts';

const TOOL = 'sandbox_preview';
const LOCAL = { host: 'localhost:8080' };
const KEY = 'key-of-the-previews';

async function linkOf(mcp: McpCaller, args: object, headers: Record<string, string>) {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: TOOL, arguments: args } };
  const { json } = await mcp.post(message, headers, '/mcp?tools=full');
  return json.result;
}

test('[mcp.preview] a link opens the preview of its port alone, and says whether something listens', async () => {
  await using mcp = await McpCaller.start({ SVC_API_KEY: KEY });
  const server = createServer().listen(0, '127.0.0.1');
  const { port } = await new Promise<AddressInfo>((resolve) => {
    server.once('listening', () => resolve(server.address() as AddressInfo));
  });
  const key = { 'x-api-key': KEY, host: 'box.example:8080' };
  const { structuredContent: link } = await linkOf(mcp, { port, path: '/docs?page=2' }, key);
  const url = new URL(link.url);
  expect(link).toMatchObject({ is_listening: true, expires_at: expect.any(String) });
  expect(url.origin + url.pathname).toBe(`http://box.example:8080/proxy/${port}/docs`);
  expect([url.searchParams.get('page'), link.url.includes(KEY)]).toEqual(['2', false]);
  const admits = async (target: string): Promise<boolean> => {
    const headers = { 'x-original-uri': target, 'x-original-method': 'GET' };
    return (await mcp.daemon.inject({ url: '/internal/auth', headers })).statusCode === 204;
  };
  const ticket = `?ticket=${url.searchParams.get('ticket')}`;
  expect(await admits(url.pathname + url.search)).toBe(true);
  for (const path of [`/proxy/${port + 1}/`, `/proxy/${port}1/`, '/v2/commands', '/cdp']) {
    expect([path, await admits(path + ticket)]).toEqual([path, false]);
  }
  await new Promise((resolve) => server.close(resolve));
  const gone = (await linkOf(mcp, { port }, key)).structuredContent;
  expect(gone).toMatchObject({ is_listening: false, hint: expect.stringContaining('start a program') });
});

test('[mcp.preview] without a key there is no ticket; a port of the service and a wrong path are refused', async () => {
  await using mcp = await McpCaller.start();
  const { structuredContent: link } = await linkOf(mcp, { port: 3999, path: '//other.example/../a b' }, LOCAL);
  expect([link.url, link.expires_at]).toEqual(['http://localhost:8080/proxy/3999//a%20b', undefined]);
  for (const [args, says] of [
    [{ port: 9222 }, 'belongs to the service'],
    [{ port: 0 }, 'port'],
    [{ port: 3999, path: 'http://other.example/' }, 'path must begin with /'],
    [{ port: 3999, ttl: 3601 }, 'ttl'],
    [{}, 'port is required'],
  ] as const) {
    const { isError, content } = await linkOf(mcp, args, LOCAL);
    expect([args, isError, content[0].text]).toEqual([args, true, expect.stringContaining(says)]);
  }
});
