import { describe, expect } from 'vitest';
import { test } from './mcp.fixture.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const NAMES = [
  'sandbox_execute_bash',
  'sandbox_execute_code',
  'sandbox_file_operations',
  'sandbox_str_replace_editor',
  'sandbox_get_context',
  'sandbox_get_packages',
  'sandbox_load_skill',
];

describe('a tolerant server', () => {
  test('[mcp.plain-post] [mcp.order] a plain POST without handshake, session and Accept gets JSON, under both paths', async ({
    mcp,
  }) => {
    for (const path of ['/mcp', '/v1/mcp']) {
      const { status, headers, json } = await mcp.post(LIST, {}, path);
      expect([status, headers['content-type']]).toEqual([200, 'application/json']);
      expect(json).toMatchObject({ jsonrpc: '2.0', id: 1 });
      const names = json.result.tools.map(({ name }: { name: string }) => name);
      expect(names.filter((name: string) => NAMES.includes(name))).toEqual(NAMES);
      expect(json.result.nextCursor).toBeUndefined();
    }
  });

  test('[mcp.errors] unknown methods, unknown tools and what is not JSON have the codes of JSON-RPC', async ({
    mcp,
  }) => {
    expect(await mcp.request('no/such')).toMatchObject({ error: { code: -32601 } });
    expect(await mcp.request('tools/call', { name: 'no_such' })).toMatchObject({
      error: { code: -32602, message: 'Unknown tool: no_such' },
    });
    const cut = await mcp.request('tools/call', { name: `${'x'.repeat(199)}😀` });
    expect(cut.error.message).toBe(`Unknown tool: ${'x'.repeat(199)}\ufffd`);
    for (const text of ['{', '', 'x', '{"jsonrpc":"2.0"', '\u0000']) {
      const { status, json } = await mcp.post(text);
      expect([text, status, json.id, json.error.code]).toEqual([text, 200, null, -32700]);
    }
    for (const body of [{}, 1, null, 'x', { jsonrpc: '1.0', id: 1, method: 'ping' }]) {
      const { status, json } = await mcp.post(JSON.stringify(body));
      expect([status, json.error.code]).toEqual([400, -32600]);
    }
  });

  test('[mcp.ids] an id is answered as it came; what is not a string or a whole number is not an id', async ({
    mcp,
  }) => {
    for (const id of ['', 'a', 'x'.repeat(10_000), '\ud83d\ude00', 0, -1, Number.MAX_SAFE_INTEGER]) {
      expect((await mcp.post({ ...LIST, id, method: 'ping' })).json).toEqual({ jsonrpc: '2.0', id, result: {} });
    }
    for (const id of [null, true, {}, [], 1.5, 2 ** 53]) {
      const { status, json } = await mcp.post({ ...LIST, id, method: 'ping' });
      expect([id, status, json?.error?.code]).toEqual([id, 400, -32600]);
    }
    const twice = { jsonrpc: '2.0', id: 'twice', method: 'ping' };
    expect((await mcp.post([twice, twice])).json).toMatchObject([{ id: 'twice' }, { id: 'twice' }]);
  });

  test('[mcp.methods] GET and DELETE are 405 with Allow', async ({ mcp }) => {
    for (const method of ['GET', 'DELETE', 'PUT'] as const) {
      const { statusCode, headers } = await mcp.daemon.inject({ method, url: '/mcp' });
      expect([method, statusCode, headers.allow]).toEqual([method, 405, 'POST']);
    }
  });

  test('[mcp.too-large] [status.mcp-too-large-413] a body over 8 MiB is 413', async ({ mcp }) => {
    const most = JSON.stringify({ ...LIST, params: { filler: '' } });
    const filler = ' '.repeat(8 * 1024 ** 2 - most.length);
    expect((await mcp.post(most + filler)).status).toBe(200);
    expect((await mcp.post(`${most + filler} `)).status).toBe(413);
  });

  test('[origin.mcp] without a key a page of another origin, and another name of the host, are refused', async ({
    mcp,
  }) => {
    for (const path of ['/mcp', '/v1/mcp']) {
      for (const headers of [{ origin: 'http://evil.example' }, { origin: 'null' }, { host: 'evil.example' }]) {
        expect([path, headers, (await mcp.post(LIST, headers, path)).status]).toEqual([path, headers, 403]);
      }
      const own = { host: '127.0.0.1:8091', origin: 'http://127.0.0.1:8091' };
      expect([path, (await mcp.post(LIST, own, path)).status]).toEqual([path, 200]);
    }
  });

  test('[mcp.notifications] notifications and responses are 202 without a body', async ({ mcp }) => {
    const messages = [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      { jsonrpc: '2.0', id: 4, result: {} },
    ];
    for (const message of messages) expect(await mcp.post(message)).toMatchObject({ status: 202, text: '' });
  });
});

describe('a strict server', () => {
  test.for(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    '[mcp.negotiation] %s is negotiated by initialize and accepted as MCP-Protocol-Version',
    async (version, { mcp }) => {
      const clientInfo = { name: 'test', version: '1' };
      const initialize = { protocolVersion: version, capabilities: {}, clientInfo };
      const { result } = await mcp.request('initialize', initialize);
      expect(result).toMatchObject({
        protocolVersion: version,
        capabilities: { tools: {} },
        serverInfo: { name: 'sandbox' },
      });
      const { status, json } = await mcp.post(LIST, { 'mcp-protocol-version': version });
      expect([status, json.id]).toEqual([200, 1]);
    },
  );

  test('[mcp.negotiation] an unknown version is answered with a known one, and is 400 as a header', async ({ mcp }) => {
    const params = { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    expect((await mcp.request('initialize', params)).result.protocolVersion).toBe('2025-11-25');
    const { status, json } = await mcp.post(LIST, { 'mcp-protocol-version': '1999-01-01' });
    expect([status, json.error.code]).toEqual([400, -32600]);
  });

  test('[mcp.batches] batches are served in their order in 2025-03-26 only', async ({ mcp }) => {
    const batch = [
      { jsonrpc: '2.0', id: 'a', method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 'b', method: 'no/such' },
      1,
    ];
    for (const headers of [{}, { 'mcp-protocol-version': '2025-03-26' }]) {
      const { status, json } = await mcp.post(batch, headers);
      expect(status).toBe(200);
      expect(json).toMatchObject([
        { id: 'a', result: {} },
        { id: 'b', error: { code: -32601 } },
        { id: null, error: { code: -32600 } },
      ]);
    }
    expect((await mcp.post(batch, { 'mcp-protocol-version': '2025-06-18' })).status).toBe(400);
    expect((await mcp.post([])).json).toMatchObject([{ error: { code: -32600 } }]);
    expect((await mcp.post([batch[1] ?? {}])).status).toBe(202);
    const thousand = Array.from({ length: 1000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
    const { json } = await mcp.post(thousand);
    expect(json.map(({ id }: { id: number }) => id)).toEqual(thousand.map(({ id }) => id));
    expect((await mcp.post([...thousand, ...batch])).json).toMatchObject([{ error: { code: -32600 } }]);
  });

  test('[mcp.progress] progress is streamed before the result where the client asked for it', async ({ mcp }) => {
    const params = {
      name: 'sandbox_execute_bash',
      arguments: { cmd: 'for n in 1 2 3; do echo step $n; echo err $n >&2; sleep 0.6; done' },
      _meta: { progressToken: 'p' },
    };
    const message = { jsonrpc: '2.0', id: 9, method: 'tools/call', params };
    const accept = 'application/json, text/event-stream';
    const { headers, text } = await mcp.post(message, { accept });
    expect(headers['content-type']).toBe('text/event-stream');
    const events = text.split('\n\n').flatMap((event) => {
      const data = event.split('\n').find((line) => line.startsWith('data: '));
      return data === undefined ? [] : [JSON.parse(data.slice(6))];
    });
    const steps = events.slice(0, -1);
    expect(steps.length).toBeGreaterThan(0);
    const told = steps.map(({ params: { message: piece } }) => piece).join('');
    for (const n of [1, 2, 3]) expect(told.split(`step ${n}\n`).length + told.split(`err ${n}\n`).length).toBe(4);
    expect(steps.map(({ params: { progress } }) => progress)).toEqual(steps.map((_, n) => n + 1));
    for (const step of steps) {
      expect(step).toMatchObject({
        method: 'notifications/progress',
        params: { progressToken: 'p', message: expect.any(String) },
      });
    }
    expect(events.at(-1)).toMatchObject({ id: 9, result: { structuredContent: { exit_code: 0 } } });
  });
});
