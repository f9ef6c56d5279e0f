import { named, type OptionValues } from '@sandbox/program/options.ts';
import { McpServers } from './upstream/registry.ts';

export const McpOptions = {
  extraMcpServers: named(McpServers.prefault('{}'), {
    env: 'EXTRA_MCP_SERVERS',
    flag: 'mcp-servers',
    description:
      'MCP servers on loopback whose tools /mcp publishes too: {"name": {"url": "http://127.0.0.1:9000/mcp", ' +
      '"prefix": "x"}} as JSON. Without a prefix only tools whose names begin with name_ are published.',
  }),
} as const;

export type McpOptions = OptionValues<typeof McpOptions>;
