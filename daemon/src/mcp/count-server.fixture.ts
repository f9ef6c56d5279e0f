// A stdio MCP server that keeps a count, so that a call that is lost or arrives twice shows.
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const server = new McpServer({ name: 'count', version: '1.0.0' });
let calls = 0;
server.registerTool('reverse', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => {
  calls += 1;
  return { content: [{ type: 'text', text: Array.from(text).reverse().join('') }] };
});
server.registerTool('calls', { inputSchema: z.object({}) }, () => ({
  content: [{ type: 'text', text: String(calls) }],
}));
await server.connect(new StdioServerTransport());
