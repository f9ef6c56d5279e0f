import { afterAll, beforeAll, expect, test } from 'vitest';
import { has } from '../../../../scripts/testing/machine.ts';
import { BrowserBench } from './chromium.fixture.ts';

const browserTest = test.runIf(has('chromium'));

const KEY = 'key-of-the-links';
const HOST = { host: 'box.example:8080' };
let bench: BrowserBench;
beforeAll(async () => {
  if (!has('chromium')) return;
  bench = await BrowserBench.start([], { apiKey: KEY });
});
afterAll(() => bench?.[Symbol.asyncDispose]());

async function info(headers: Record<string, string>, query = '') {
  const answer = await bench.daemon.inject({ url: `/v2/browser/info${query}`, headers: { ...HOST, ...headers } });
  return { status: answer.statusCode, ...answer.json().data };
}

async function admits(target: string): Promise<boolean> {
  const headers = { 'x-original-uri': target, 'x-original-method': 'GET' };
  return (await bench.daemon.inject({ url: '/internal/auth', headers })).statusCode === 204;
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

browserTest('[browser.link-tickets] a caller with the key in a header gets links that open without it', async () => {
  const { cdp_url: cdp, vnc_url: vnc } = await info({ 'x-api-key': KEY });
  expect(cdp).toMatch(/^ws:\/\/box\.example:8080\/cdp\?ticket=[\w-]{32}$/);
  const socket = `/${new URL(vnc).searchParams.get('path')}`;
  // Several uses each, and only below their own paths.
  for (const target of [pathOf(cdp), pathOf(cdp), pathOf(vnc), pathOf(vnc), socket, socket]) {
    expect([target, await admits(target)]).toEqual([target, true]);
  }
  for (const path of ['/v2/commands', '/code-server/', '/vnc/index.html']) {
    expect([path, await admits(`${path}${new URL(cdp).search}`)]).toEqual([path, false]);
  }
  expect(`${cdp}${vnc}`).not.toContain(KEY);
  // One ticket serves the calls of half an hour.
  expect((await info({ authorization: `Bearer ${KEY}` })).cdp_url).toBe(cdp);
});

browserTest('[browser.link-tickets] a caller with a ticket or a cookie gets no other credential', async () => {
  const { ticket } = (
    await bench.daemon.inject({
      method: 'POST',
      url: '/v2/tickets',
      headers: { 'x-api-key': KEY },
      payload: { path_prefix: '/v2/browser', uses: 2 },
    })
  ).json().data;
  expect((await info({}, `?ticket=${ticket}`)).cdp_url).toBe(`ws://box.example:8080/cdp?ticket=${ticket}`);
  const opened = { 'x-original-uri': `/?api_key=${KEY}`, 'x-original-method': 'GET', accept: 'text/html' };
  const page = await bench.daemon.inject({ url: '/internal/auth', headers: { ...HOST, ...opened } });
  const cookie = String(page.headers['set-cookie']).split(';', 1)[0] ?? '';
  expect(await info({ cookie })).toMatchObject({ status: 200, cdp_url: 'ws://box.example:8080/cdp' });
});

browserTest('[browser.info] a key in the query stays as it is, and an open service needs no ticket', async () => {
  expect((await info({}, `?api_key=${KEY}`)).cdp_url).toBe(`ws://box.example:8080/cdp?api_key=${KEY}`);
});

browserTest('[browser.link-tickets] the tool of MCP has the same links, without the query of its own', async () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'browser_get_info', arguments: {} } };
  const links = async (url: string, headers: Record<string, string>) => {
    const answer = await bench.daemon.inject({
      method: 'POST',
      url,
      headers: { ...HOST, ...headers },
      payload: message,
    });
    const { cdp_url, vnc_url } = answer.json().result.structuredContent;
    return { cdp_url, vnc_url };
  };
  const { cdp_url, vnc_url } = await info({ 'x-api-key': KEY });
  expect(await links('/mcp', { 'x-api-key': KEY })).toEqual({ cdp_url, vnc_url });
  expect(await links('/mcp?tools=core', { 'x-api-key': KEY })).toEqual({ cdp_url, vnc_url });
  const given = await links(`/v1/mcp?tools=full&api_key=${KEY}`, {});
  expect(given.cdp_url).toBe(`ws://box.example:8080/cdp?api_key=${KEY}`);
  expect(await admits(pathOf(cdp_url))).toBe(true);
});
