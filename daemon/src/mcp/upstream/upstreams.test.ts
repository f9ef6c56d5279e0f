import type { ServerResponse } from 'node:http';
import { describe, expect } from 'vitest';
import { McpCaller, test } from '../mcp.fixture.ts';
import { OtherServer, toolNamed } from './upstream.fixture.ts';

function hubWith(servers: object): Promise<McpCaller> {
  return McpCaller.start({ EXTRA_MCP_SERVERS: JSON.stringify(servers) });
}

async function names(mcp: McpCaller): Promise<string[]> {
  const { result } = await mcp.request('tools/list');
  return result.tools
    .map(({ name }: { name: string }) => name)
    .filter((name: string) => !/^(?:sandbox|browser)_/.test(name));
}

describe('tools of other servers', () => {
  test('[mcp.upstream] [mcp.upstream-name] are published with their prefix, or by the name of their server', async () => {
    await using a = await OtherServer.withTools('add', 'multiply');
    await using b = await OtherServer.withTools('notes_list', 'other');
    await using mcp = await hubWith({ calculator: { url: a.url, prefix: 'calc' }, notes: { url: b.url } });
    await expect.poll(() => names(mcp)).toEqual(['calc_add', 'calc_multiply', 'notes_list']);
    const { result } = await mcp.request('tools/list');
    expect(result.tools.at(-1)).toMatchObject({ ...toolNamed('notes_list'), name: 'notes_list' });
    expect((await mcp.call('calc_add', { a: 1 })).content).toEqual([{ type: 'text', text: 'add {"a":1}' }]);
    expect((await mcp.call('notes_list', { a: null })).content[0].text).toBe('notes_list {"a":null}');
    for (const name of ['add', 'notes_', 'calc_divide', 'other']) {
      expect([name, (await mcp.call(name)).error?.code]).toEqual([name, -32602]);
    }
  });

  test('[mcp.upstream-collision] built-in tools win, then the server that was registered first', async () => {
    const withTools = (description: string, ...tools: string[]) =>
      OtherServer.start(({ method }) => {
        if (method === 'tools/call') return { result: { content: [] } };
        if (method !== 'tools/list') return undefined;
        return { result: { tools: tools.map((name) => ({ ...toolNamed(name), description })) } };
      });
    await using first = await withTools('of the first', 'x', 'execute_bash');
    await using second = await withTools('of the second', 'x', 'y');
    const servers = { one: { url: first.url, prefix: 'p' }, two: { url: second.url, prefix: 'p' } };
    await using mcp = await hubWith({ ...servers, three: { url: first.url, prefix: 'sandbox' } });
    await expect.poll(() => names(mcp)).toEqual(['p_x', 'p_execute_bash', 'p_y']);
    const { tools } = (await mcp.request('tools/list')).result;
    const described = (wanted: string) => tools.find(({ name }: { name: string }) => name === wanted).description;
    expect([described('p_x'), described('p_y')]).toEqual(['of the first', 'of the second']);
    expect(described('sandbox_execute_bash')).toContain('bash');
    await mcp.call('p_x');
    await mcp.call('p_y');
    await mcp.call('sandbox_execute_bash', { cmd: 'true' });
    const calls = ({ seen }: OtherServer) =>
      seen.filter(({ method }) => method === 'tools/call').map(({ params }) => params.name);
    expect([calls(first), calls(second)]).toEqual([['x'], ['y']]);
  });

  test('[mcp.upstream-pages] cursors are followed to the end', async () => {
    await using other = await OtherServer.start(({ method, params }) => {
      if (method !== 'tools/list') return undefined;
      const page = Number(params?.cursor ?? 0);
      const next = page < 4 ? { nextCursor: String(page + 1) } : {};
      return { result: { tools: [toolNamed(`t${page}`)], ...next } };
    });
    await using mcp = await hubWith({ o: { url: other.url, prefix: 'o' } });
    await expect.poll(() => names(mcp)).toEqual(['o_t0', 'o_t1', 'o_t2', 'o_t3', 'o_t4']);
  });

  test('[mcp.upstream-pages] of cursors that never end the first fifty pages are listed, of pages 2,000 tools', async () => {
    const endless = (toolsOfAPage: number) =>
      OtherServer.start(({ method, params }) => {
        if (method !== 'tools/list') return undefined;
        const page = Number(params?.cursor ?? 0);
        const tools = Array.from({ length: toolsOfAPage }, (_, n) => toolNamed(`t${page}-${n}`));
        return { result: { tools, nextCursor: String(page + 1) } };
      });
    await using few = await endless(1);
    await using many = await endless(1500);
    await using mcp = await hubWith({ f: { url: few.url, prefix: 'f' }, m: { url: many.url, prefix: 'm' } });
    const listed = async (prefix: string) => (await names(mcp)).filter((name) => name.startsWith(prefix)).length;
    await expect.poll(() => listed('f_')).toBe(50);
    await expect.poll(() => listed('m_')).toBe(2000);
    const asked = ({ seen }: OtherServer) => seen.filter(({ method }) => method === 'tools/list').length;
    expect([asked(few) % 50, asked(many) % 2]).toEqual([0, 0]);
  });

  test('[mcp.upstream] structured content passes as the server gives it', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const result = { content: [{ type: 'text', text: 'x' }], structuredContent: { n: 'not a number' } };
    await using other = await OtherServer.start(({ method }) => {
      if (method === 'tools/list') return { result: { tools: [{ ...toolNamed('x'), outputSchema }] } };
      return method === 'tools/call' ? { result } : undefined;
    });
    await using mcp = await hubWith({ o: { url: other.url, prefix: 'o' } });
    await expect.poll(() => names(mcp)).toEqual(['o_x']);
    expect(await mcp.call('o_x')).toEqual(result);
  });

  test('[mcp.upstream-progress] progress passes through', async () => {
    await using other = await OtherServer.start(({ id, method, params }, res) => {
      if (method !== 'tools/call') return undefined;
      const token = params._meta.progressToken;
      const at = { progressToken: token, progress: 50, total: 100, message: 'half' };
      const step = { method: 'notifications/progress', params: at };
      const result = { id, result: { content: [{ type: 'text', text: 'done' }] } };
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of [step, result]) res.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...event })}\n\n`);
      res.end();
      return undefined;
    });
    await using mcp = await hubWith({ o: { url: other.url, prefix: 'o' } });
    const params = { name: 'o_slow', arguments: {}, _meta: { progressToken: 7 } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const { text } = await mcp.post(message, { accept: 'application/json, text/event-stream' });
    expect(text).toContain('"progressToken":7,"progress":50,"total":100,"message":"half"');
    expect(text).toContain('"text":"done"');
  });
});

describe('servers that do not work', () => {
  test('[mcp.upstream-away] one that is down is absent from the list and an isError on call, until it is back', async () => {
    await using good = await OtherServer.withTools('fine');
    const gone = await OtherServer.withTools('lost');
    await gone[Symbol.asyncDispose]();
    await using mcp = await hubWith({ a: { url: gone.url, prefix: 'a' }, b: { url: good.url, prefix: 'b' } });
    await expect.poll(() => names(mcp)).toEqual(['b_fine']);
    expect(await mcp.call('a_lost')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('the MCP server a could not carry the call out') }],
    });
    expect((await mcp.call('b_fine')).isError).toBeUndefined();
    await gone.listen();
    expect((await mcp.call('a_lost')).content[0].text).toBe('lost {}');
    await expect.poll(() => names(mcp)).toEqual(['a_lost', 'b_fine']);
    await gone[Symbol.asyncDispose]();
  });

  test('[mcp.upstream-hostile] one that hangs, breaks off, or answers nonsense or too much ends its own call only', async () => {
    await using other = await OtherServer.withTools('x');
    await using good = await OtherServer.withTools('fine');
    await using mcp = await hubWith({ a: { url: other.url, prefix: 'a' }, b: { url: good.url, prefix: 'b' } });
    await expect.poll(() => names(mcp)).toEqual(['a_x', 'b_fine']);
    const bytes = Buffer.alloc(1024 ** 2, 0x20);
    const pour = (res: ServerResponse, left = 100): void => {
      if (left === 100) res.on('error', () => undefined);
      if (left > 0 && !res.destroyed) res.write(bytes, () => pour(res, left - 1));
    };
    const answers: Record<string, Parameters<OtherServer['become']>[0]> = {
      'breaks off': (_message, res) => void res.destroy(),
      'is not JSON': (_message, res) => void res.writeHead(200, { 'content-type': 'application/json' }).end('{"x'),
      'is HTML': (_message, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      'is 500': (_message, res) => void res.writeHead(500).end('no'),
      'redirects elsewhere': (_message, res) => void res.writeHead(307, { location: 'http://192.0.2.1/' }).end(),
      'is of another request': (_message, res) =>
        void res.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":"z","result":{}}'),
      'is a list': (_message, res) => void res.writeHead(200, { 'content-type': 'application/json' }).end('[]'),
      'is a stream of nonsense': (_message, res) =>
        void res.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"x\n\nevent: y\ndata: 1\n\n'),
      'is a stream that breaks off': (_message, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write('id: 1\ndata: \n\n', () => res.destroy());
      },
      'is a stream of 100 MB': (_message, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        pour(res);
      },
      'is 100 MB': (_message, res) => {
        res.writeHead(200, { 'content-type': 'application/json' });
        pour(res);
      },
    };
    for (const [name, behaviour] of Object.entries(answers)) {
      other.become(behaviour);
      expect([name, await mcp.call('a_x')]).toMatchObject([name, { isError: true }]);
    }
    expect((await mcp.call('b_fine')).content[0].text).toBe('fine {}');
  });

  test('[mcp.upstream-hostile] a list waits at most 3 s for one that hangs', async () => {
    await using other = await OtherServer.start(() => new Promise(() => undefined));
    await using good = await OtherServer.withTools('fine');
    await using mcp = await hubWith({ a: { url: other.url, prefix: 'a' }, b: { url: good.url, prefix: 'b' } });
    const begun = performance.now();
    await names(mcp);
    expect(performance.now() - begun).toBeGreaterThan(2900);
    await expect.poll(() => names(mcp)).toEqual(['b_fine']);
  });

  test('[mcp.upstream-late] a list waits for one that starts slowly, and the next one has its tools', async () => {
    const { promise: started, resolve: start } = Promise.withResolvers<undefined>();
    await using other = await OtherServer.start(async ({ method }) => {
      await started;
      return method === 'tools/list' ? { result: { tools: [toolNamed('x')] } } : undefined;
    });
    await using mcp = await hubWith({ a: { url: other.url, prefix: 'a' } });
    expect(await names(mcp)).toEqual([]);
    const asked = other.seen.length;
    expect(await names(mcp)).toEqual([]);
    expect(other.seen).toHaveLength(asked);
    start(undefined);
    await expect.poll(() => names(mcp)).toEqual(['a_x']);
  });

  test('[mcp.upstream-skipped] those that the hub cannot use are left out with a warning', async () => {
    await using session = await OtherServer.start(({ method }, res) => {
      if (method === 'initialize') res.setHeader('mcp-session-id', 'abc');
      return method === 'tools/list' ? { result: { tools: [toolNamed('x')] } } : undefined;
    });
    await using mcp = await hubWith({
      far: { url: 'http://192.0.2.1/mcp' },
      tls: { url: 'https://127.0.0.1:9/mcp' },
      stdio: { command: 'npx', args: ['x'] },
      none: {},
      needs: { url: session.url, prefix: 'needs' },
    });
    await expect.poll(() => names(mcp)).toEqual([]);
    const log = mcp.daemon.log.join('');
    for (const name of ['far', 'tls', 'stdio', 'none', 'needs'])
      expect(log).toContain(`the MCP server ${name} is left out`);
    expect(await mcp.call('needs_x')).toMatchObject({ isError: true });
  });
});

test('[mcp.browser-server] tools of the browser MCP server come and go with it, under their own names', async () => {
  await using browser = await OtherServer.withTools('browser_click', 'other');
  const port = new URL(browser.url).port;
  const offered = async (mcp: McpCaller): Promise<string[]> => {
    const { result } = await mcp.request('tools/list');
    const all: string[] = result.tools.map(({ name }: { name: string }) => name);
    return all.slice(all.indexOf('sandbox_checkpoint') + 1);
  };
  await using mcp = await McpCaller.start({ MCP_SERVER_BROWSER_PORT: port });
  await expect.poll(() => offered(mcp)).toEqual(['browser_click']);
  expect((await mcp.call('browser_click', { a: 1 })).content[0].text).toBe('browser_click {"a":1}');
  expect(await mcp.call('browser_get_info')).toMatchObject({ isError: true });
  expect(browser.seen.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
  await browser[Symbol.asyncDispose]();
  await expect.poll(() => offered(mcp)).toEqual([]);
  await browser.listen();
  await expect.poll(() => offered(mcp)).toEqual(['browser_click']);
  const disabled = { MCP_SERVER_BROWSER_PORT: port, DISABLE_MCP_BROWSER: 'true' };
  for (const env of [disabled, {}]) {
    await using without = await McpCaller.start(env);
    expect(await offered(without)).toEqual([]);
  }
});

test('[mcp.configuration] a wrong EXTRA_MCP_SERVERS ends the boot with one line that names it', async () => {
  for (const value of [
    '{',
    '[]',
    '"x"',
    '{"a b":{}}',
    '{"a":{"url":1}}',
    '{"a":{"url":"http://127.0.0.1/","prefix":"/"}}',
  ]) {
    await expect(McpCaller.start({ EXTRA_MCP_SERVERS: value })).rejects.toThrow(
      /^EXTRA_MCP_SERVERS \(--mcp-servers\): [^\n]+$/,
    );
  }
});
