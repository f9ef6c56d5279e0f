import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { McpCaller, test } from './mcp.fixture.ts';

test.for([
  ['[mcp.sdk-client] with a handshake', {}],
  ['[mcp.modern] without one, by 2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
] as const)('%s the client of the SDK lists and calls tools', async ([, options], { dir }) => {
  await using mcp = await McpCaller.start();
  const address = await mcp.daemon.listen();
  const client = new Client({ name: 'test', version: '1' }, options);
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', address));
  await client.connect(transport);
  const { tools } = await client.listTools();
  expect(tools.slice(0, 1)).toMatchObject([{ name: 'sandbox_execute_bash', outputSchema: { type: 'object' } }]);
  const steps: string[] = [];
  const result = await client.callTool(
    { name: 'sandbox_execute_bash', arguments: { cmd: 'echo one; sleep 2.2; pwd', cwd: dir } },
    { onprogress: ({ message = '' }) => steps.push(message) },
  );
  expect(result.structuredContent).toMatchObject({ output: `one\n${dir}\n`, exit_code: 0, cwd: dir });
  expect(steps).toContain('one\n');
  await expect(client.callTool({ name: 'no_such', arguments: {} })).rejects.toThrow('Unknown tool: no_such');
  await client.close();
});
