import { type CallToolResult, ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import type { ToolContext } from '../../core/tools/tool.ts';
import type { ToolSource } from '../hub.ts';
import { failed, failureOf } from '../tool-result.ts';
import type { Registered } from './registry.ts';
import { Upstream } from './upstream.ts';

/** The tools of other servers; of one name the tool of the server that was registered first. */
export class Upstreams implements ToolSource {
  readonly #upstreams: readonly Upstream[];

  constructor(registered: readonly Registered[], warn: (reason: string) => void) {
    this.#upstreams = registered.map((server) => new Upstream(server, warn));
  }

  async list(): Promise<readonly Tool[]> {
    const lists = await Promise.all(this.#upstreams.map((upstream) => upstream.list()));
    return lists.flat();
  }

  async call(name: string, args: Record<string, unknown>, context: ToolContext): Promise<CallToolResult | undefined> {
    const upstream = await this.#owner(name);
    const own = upstream?.ownName(name);
    if (upstream === undefined || own === undefined) return undefined;
    try {
      return requireWritable(await upstream.call(own, args, context));
    } catch (error) {
      if (error instanceof ProtocolError && error.code === ProtocolErrorCode.InvalidParams) throw error;
      const failure = failureOf(error, args);
      if (failure !== undefined) return failure;
      const reason = error instanceof Error ? error.message : String(error);
      return failed(`the MCP server ${upstream.name} could not carry the call out: ${reason.slice(0, 500)}`);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#upstreams.map((upstream) => upstream.close()));
  }

  /** The first server that lists the tool; else the first whose names it has, which may not answer now. */
  async #owner(name: string): Promise<Upstream | undefined> {
    const candidates = this.#upstreams.filter((upstream) => upstream.ownName(name) !== undefined);
    if (candidates.length < 2) return candidates[0];
    const lists = await Promise.all(candidates.map((upstream) => upstream.list()));
    return candidates.find((_, at) => lists[at]?.some((tool) => tool.name === name)) ?? candidates[0];
  }
}

/** @throws Error for a result of more levels than can be written as JSON, which parsing does not limit */
function requireWritable(result: CallToolResult): CallToolResult {
  try {
    JSON.stringify(result);
  } catch {
    throw new Error('its result cannot be written as JSON');
  }
  return result;
}
