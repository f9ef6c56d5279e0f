import type { Logger } from '@sandbox/program/logger.ts';
import type { BoundTool } from '../core/tools/tool.ts';
import type { McpOptions } from './options.ts';
import type { Registered } from './upstream/registry.ts';

interface OpenHub extends AsyncDisposable {
  /** The endpoint, loaded at the first use: the SDK costs memory and time that a daemon without MCP clients saves. */
  readonly endpoint: () => Promise<import('./endpoint.ts').McpEndpoint>;
}

export function openHub(tools: readonly BoundTool[], options: McpOptions, logger: Logger): OpenHub {
  const { servers, skipped } = options.extraMcpServers;
  for (const reason of skipped) logger.warn(reason);
  let opened: Promise<{ endpoint: import('./endpoint.ts').McpEndpoint; close: () => Promise<void> }> | undefined;
  const open = async () => {
    const [{ McpEndpoint }, { Hub }, { Upstreams }] = await Promise.all([
      import('./endpoint.ts'),
      import('./hub.ts'),
      import('./upstream/upstreams.ts'),
    ]);
    const registered = [...servers, ...browserServer(options)];
    const upstreams = new Upstreams(registered, (reason) => logger.warn(reason));
    const hub = new Hub(tools, upstreams, (error, tool) => logger.error({ err: error, tool }, 'a tool failed'));
    const endpoint = new McpEndpoint(hub);
    const close = async (): Promise<void> => void (await Promise.all([endpoint.close(), upstreams.close()]));
    return { endpoint, close };
  };
  return {
    endpoint: async () => {
      opened ??= open();
      return (await opened).endpoint;
    },
    [Symbol.asyncDispose]: async () => await (await opened)?.close(),
  };
}

/** The MCP server of the browser. It has no prefix, since its own names begin with `browser_`. */
function browserServer({ browserMcpPort, disableMcpBrowser }: McpOptions): Registered[] {
  if (browserMcpPort === undefined || disableMcpBrowser) return [];
  return [{ name: 'browser', url: new URL(`http://127.0.0.1:${browserMcpPort}/mcp`), prefix: undefined }];
}
