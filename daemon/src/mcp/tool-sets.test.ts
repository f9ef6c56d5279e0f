import { expect } from 'vitest';
import { McpCaller, test } from './mcp.fixture.ts';
import { OtherServer } from './upstream/upstream.fixture.ts';

const EXTRA = ['command', 'code', 'terminal', 'accessibility', 'preview', 'watch', 'checkpoint'].map(
  (name) => `sandbox_${name}`,
);
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

async function namesAt(mcp: McpCaller, path: string): Promise<string[]> {
  const { json } = await mcp.post(LIST, {}, path);
  return json.result.tools.map(({ name }: { name: string }) => name);
}

test('[mcp.tool-sets] a client asks for a set of its own by ?tools=, on both paths', async () => {
  await using other = await OtherServer.withTools('notes_list');
  const EXTRA_MCP_SERVERS = JSON.stringify({ notes: { url: other.url } });
  await using mcp = await McpCaller.start({ EXTRA_MCP_SERVERS, SVC_MCP_TOOLS: 'core' });
  for (const path of ['/mcp', '/v1/mcp']) {
    const core = await namesAt(mcp, path);
    expect(core).toHaveLength(10);
    await expect.poll(() => namesAt(mcp, `${path}?tools=full`)).toEqual([...core, ...EXTRA, 'notes_list']);
    expect(await namesAt(mcp, `${path}?tools=core`)).toEqual(core);
    const old = await namesAt(mcp, `${path}?tools=1.x`);
    expect(old.slice(0, 10)).toEqual(core);
    expect(old).toContain('notes_list');
  }
  const call = { ...LIST, method: 'tools/call', params: { name: 'notes_list', arguments: {} } };
  expect((await mcp.post(call, {}, '/mcp?tools=full')).json.result.content[0].text).toBe('notes_list {}');
  expect((await mcp.post(call, {}, '/mcp')).json.error.code).toBe(-32602);
});

test.for(['', 'all', 'core&tools=full'])('[mcp.tool-sets] ?tools=%s is refused and names the sets', async (set) => {
  await using mcp = await McpCaller.start();
  const { status, json } = await mcp.post(LIST, {}, `/mcp?tools=${set}`);
  expect([status, json.message]).toEqual([400, 'tools must be one of full, core, 1.x']);
});
