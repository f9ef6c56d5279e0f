import { readFile } from 'node:fs/promises';
import type { Tool } from '@modelcontextprotocol/server';
import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import type { Logger } from '@sandbox/program/logger.ts';
import { z } from 'zod';
import type { BrowserLife } from '../core/browser/browser-life.ts';
import type { Recorder } from '../core/recorder/recorder.ts';
import type { ResourceSource } from '../core/resources/resource.ts';
import type { BoundTool } from '../core/tools/tool.ts';
import { type McpOptions, TOOL_SETS } from './options.ts';
import type { Registered } from './upstream/registry.ts';

/**
 * @param set that the client asks for; undefined: that of the option
 * @throws SandboxError `invalid`
 */
type OpenEndpoint = (set?: unknown) => Promise<import('./endpoint.ts').McpEndpoint>;

interface OpenHub extends AsyncDisposable {
  /** The endpoint, loaded at the first use: the SDK costs memory and time that a daemon without MCP clients saves. */
  readonly endpoint: OpenEndpoint;
  /** The same for clients of 1.x: unknown arguments are ignored. */
  readonly lenientEndpoint: OpenEndpoint;
}

/** Milliseconds that a call waits for the server of a browser that has just started. */
const START_MS = 20_000;
const ToolList = z.object({ tools: z.array(z.looseObject({ name: z.string(), inputSchema: z.looseObject({}) })) });

interface HubTerms {
  readonly logger: Logger;
  /** Whether an unknown argument is an error. */
  readonly isStrict: boolean;
  readonly recorder: Recorder;
  /** Undefined if no capability has a browser. */
  readonly browser: () => BrowserLife | undefined;
}

export function openHub(
  { tools, resources }: { readonly tools: readonly BoundTool[]; readonly resources: readonly ResourceSource[] },
  options: McpOptions,
  { logger, browser, isStrict, recorder }: HubTerms,
): OpenHub {
  const { servers, skipped } = options.extraMcpServers;
  for (const reason of skipped) logger.warn(reason);
  let opened: ReturnType<typeof open> | undefined;
  const open = async () => {
    const [{ McpEndpoint }, { Hub }, { Upstreams }, { AliasedTools }, { Resources }] = await Promise.all([
      import('./endpoint.ts'),
      import('./hub.ts'),
      import('./upstream/upstreams.ts'),
      import('./aliases/aliased-tools.ts'),
      import('./resources/resources.ts'),
    ]);
    const awake = async (): Promise<unknown> => await browser()?.awake();
    const downloads = async () => (await browser()?.listDownloads()) ?? [];
    const registered = [...servers, ...(await browserServer(options, awake, logger))];
    const warn = (reason: string): void => logger.warn(reason);
    const upstreams = { core: new Upstreams([], warn), full: new Upstreams(registered, warn) };
    const sources = { ...upstreams, '1.x': new AliasedTools(upstreams.full, downloads) };
    const own = { core: tools.filter(({ isExtra }) => !isExtra), full: tools, '1.x': tools };
    const all = new Resources(resources);
    const offered = { core: undefined, full: all, '1.x': all };
    const defect = (error: unknown, tool: string): void => logger.error({ err: error, tool }, 'a tool failed');
    const endpoints = TOOL_SETS.flatMap((set) =>
      [isStrict, false].map((strict, index) => ({
        set,
        isLenient: index === 1,
        endpoint: new McpEndpoint(
          new Hub(own[set], sources[set], { isStrict: strict, defect, recorder, resources: offered[set] }),
        ),
      })),
    );
    const close = async (): Promise<void> => {
      await Promise.all([...endpoints.map(({ endpoint }) => endpoint.close()), upstreams.full.close()]);
    };
    return { endpoints, close };
  };
  const use = async (isLenient: boolean, set: unknown = options.mcpTools) => {
    opened ??= open();
    const found = (await opened).endpoints.find((each) => each.set === set && each.isLenient === isLenient);
    if (found) return found.endpoint;
    throw new SandboxError('invalid', `must be one of ${TOOL_SETS.join(', ')}`, { field: 'tools' });
  };
  return {
    endpoint: async (set) => await use(false, set),
    lenientEndpoint: async (set) => await use(true, set),
    [Symbol.asyncDispose]: async () => await (await opened)?.close(),
  };
}

/** The MCP server of the browser. It has no prefix, since its own names begin with `browser_`. */
async function browserServer(
  { browserMcpPort, browserMcpTools, disableMcpBrowser }: McpOptions,
  awake: () => Promise<unknown>,
  logger: Logger,
): Promise<Registered[]> {
  if (browserMcpPort === undefined || disableMcpBrowser) return [];
  const url = new URL(`http://127.0.0.1:${browserMcpPort}/mcp`);
  const server = { name: 'browser', url, prefix: undefined };
  if (browserMcpTools === undefined) return [server];
  try {
    const { tools } = ToolList.parse(JSON.parse(await readFile(browserMcpTools, 'utf8')));
    return [{ ...server, tools: tools as unknown as readonly Tool[], awake, waitMs: START_MS }];
  } catch (error) {
    logger.warn({ err: error }, `${browserMcpTools} has no list of tools: they are listed while the server answers`);
    return [server];
  }
}
