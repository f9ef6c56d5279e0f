import { boolean, named, type OptionValues, wholeNumber } from '@sandbox/program/options.ts';
import { z } from 'zod';
import { McpServers } from './upstream/registry.ts';

export const TOOL_SETS = ['full', 'core', '1.x'] as const;

export const McpOptions = {
  mcpTools: named(z.enum(TOOL_SETS, { error: `expected one of ${TOOL_SETS.join(', ')}` }).default('full'), {
    env: 'SVC_MCP_TOOLS',
    flag: 'mcp-tools',
    description:
      'Tools of /mcp: core has the ten built-in ones alone, full also those of the browser and of extra servers, 1.x ' +
      'also names of 1.x for them.',
  }),
  extraMcpServers: named(McpServers.prefault('{}'), {
    env: 'EXTRA_MCP_SERVERS',
    flag: 'mcp-servers',
    description:
      'MCP servers on loopback whose tools /mcp publishes too: {"name": {"url": "http://127.0.0.1:9000/mcp", ' +
      '"prefix": "x"}} as JSON. Without a prefix only tools whose names begin with name_ are published.',
  }),
  browserMcpPort: named(wholeNumber(1, 65_535).optional(), {
    env: 'MCP_SERVER_BROWSER_PORT',
    flag: 'browser-mcp-port',
    description:
      'Port on loopback of the browser MCP server, whose browser_ tools /mcp publishes while it answers; ' +
      'the image has it at 8100.',
  }),
  browserMcpTools: named(z.string().startsWith('/', 'expected an absolute path').optional(), {
    env: 'SVC_BROWSER_MCP_TOOLS',
    flag: 'browser-mcp-tools',
    description:
      'File with the tools of the browser MCP server, as browser-mcp --list-tools prints them: they are listed ' +
      'whether it answers or not, and a call waits for it; the image has one.',
  }),
  disableMcpBrowser: named(boolean().default(false), {
    env: 'DISABLE_MCP_BROWSER',
    flag: 'disable-mcp-browser',
    description: 'Publish no tools of the browser MCP server; the image does not start it either.',
  }),
} as const;

export type McpOptions = OptionValues<typeof McpOptions>;
