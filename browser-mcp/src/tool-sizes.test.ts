import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { McpCaller } from '../../daemon/src/mcp/mcp.fixture.ts';
import { tempDir } from '../../scripts/testing/temp-dir.ts';
import { listTools } from './browser-mcp.ts';

/** Bytes of a list as a client receives it, without those of extra servers. */
const WHOLE = 36_000;
const CORE = 12_000;

interface Listed {
  readonly name: string;
  readonly inputSchema: { readonly properties?: object; readonly required?: readonly string[] };
}

test('[mcp.sizes] the lists are short, with the tools of pages and without', async () => {
  await using stack = new AsyncDisposableStack();
  const file = join(stack.use(await tempDir()).path, 'tools.json');
  const pages = (await listTools()) as Listed[];
  await writeFile(file, JSON.stringify({ tools: pages }));
  const env = { SVC_BROWSER_MCP_TOOLS: file, MCP_SERVER_BROWSER_PORT: '9' };
  const mcp = stack.use(await McpCaller.start(env));
  const listed = async (set: string): Promise<Listed[]> => {
    const { json } = await mcp.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, {}, `/mcp?tools=${set}`);
    return json.result.tools;
  };
  const [core, full] = [await listed('core'), await listed('full')];
  expect(full.map(({ name }) => name)).toEqual(expect.arrayContaining(pages.map(({ name }) => name)));
  const bytes = [core, full].map((tools) => Buffer.byteLength(JSON.stringify(tools)));
  expect(bytes[0]).toBeLessThanOrEqual(CORE);
  expect(bytes[1]).toBeLessThanOrEqual(WHOLE);
});

test('[mcp.sizes] a tool of pages keeps the fields of its calls', async () => {
  const tools = (await listTools()) as Listed[];
  const fieldsOf = (name: string) =>
    Object.keys(tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {});
  expect(fieldsOf('browser_click')).toEqual(['target', 'doubleClick', 'button', 'modifiers']);
  expect(fieldsOf('browser_drag')).toEqual(['startTarget', 'endTarget']);
  expect(fieldsOf('browser_type')).toEqual(expect.arrayContaining(['target', 'text', 'submit', 'slowly']));
  for (const { name, inputSchema } of tools) {
    const { properties = {}, required = [] } = inputSchema;
    expect([name, required.filter((field) => !(field in properties))]).toEqual([name, []]);
    expect([name, JSON.stringify(inputSchema)]).toEqual([name, expect.not.stringContaining('$schema')]);
  }
});
