import { Client, type Progress } from '@modelcontextprotocol/client';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { VERSION } from '@sandbox/api/version.ts';
import { pause } from '@sandbox/api/wait.ts';
import type { ToolContext } from '../../core/tools/tool.ts';
import { AnsweredTransport } from './answered-transport.ts';
import { KeptTools } from './kept-tools.ts';
import type { Registered } from './registry.ts';

/** Milliseconds for the handshake, and those of a list of tools with it. */
const CONNECT_MS = 30_000;
const LISTING = { keptMs: 5000, patienceMs: 3000, endMs: 30_000 };
/** Milliseconds without progress, and in all, after which a call fails. */
const SILENT_MS = 300_000;
const CALL_MS = 3_600_000;
/** Milliseconds between two attempts to reach a server that does not listen yet. */
const AGAIN_MS = 200;
/** Pages and tools of one server. */
const PAGES = 50;
const TOOLS = 2000;
const TOOL_NAME = /^[A-Za-z0-9_./-]{1,128}$/;

/** One other server, connected to on first use and again after a failure. */
export class Upstream {
  readonly #registered: Registered;
  readonly #warn: (reason: string) => void;
  readonly #tools: KeptTools;
  readonly #closing = new AbortController();
  #client: Promise<Client> | undefined;
  #needsSession = false;

  /** @param warn called once if the server needs a session, so that its tools are left out */
  constructor(registered: Registered, warn: (reason: string) => void) {
    this.#registered = registered;
    this.#warn = warn;
    this.#tools = new KeptTools((signal) => this.#listOrDisconnect(signal), LISTING);
  }

  get name(): string {
    return this.#registered.name;
  }

  /** Its own name of a tool that the hub published under `name`; undefined if the name belongs to another server. */
  ownName(name: string): string | undefined {
    const { prefix } = this.#registered;
    if (prefix === undefined) return name.startsWith(`${this.name}_`) ? name : undefined;
    return name.startsWith(`${prefix}_`) ? name.slice(prefix.length + 1) : undefined;
  }

  /** Its tools under their published names; none if it does not answer. */
  async list(): Promise<readonly Tool[]> {
    return this.#registered.tools?.flatMap((tool) => this.#published(tool)) ?? this.#tools.list();
  }

  /** @throws what the server answered as an error of the protocol, or why it did not answer */
  async call(name: string, args: Record<string, unknown>, context: ToolContext): Promise<CallToolResult> {
    const { awake, waitMs = 0 } = this.#registered;
    await awake?.();
    const deadline = performance.now() + waitMs;
    for (;;) {
      try {
        return await this.#call(name, args, context);
      } catch (error) {
        // Nothing was sent, so the call can be made again.
        if (!isRefused(error) || performance.now() >= deadline || context.gone.aborted) throw error;
        this.#disconnect();
        await pause(AGAIN_MS, context.gone);
      }
    }
  }

  async #call(name: string, args: Record<string, unknown>, { gone, progress }: ToolContext): Promise<CallToolResult> {
    const client = await this.#connected();
    const limits = { timeout: SILENT_MS, maxTotalTimeout: CALL_MS, resetTimeoutOnProgress: true, signal: gone };
    const onprogress = ({ message, ...at }: Progress): void => progress?.(message, at);
    return await client.callTool({ name, arguments: args }, { ...limits, ...(progress && { onprogress }) });
  }

  /** The next use connects again. */
  #disconnect(): void {
    const client = this.#client;
    this.#client = undefined;
    void client?.then((connected) => connected.close()).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#disconnect();
  }

  async #listOrDisconnect(signal: AbortSignal): Promise<readonly Tool[]> {
    try {
      return await this.#list(signal);
    } catch (error) {
      this.#disconnect();
      throw error;
    }
  }

  async #list(signal: AbortSignal): Promise<readonly Tool[]> {
    if (this.#needsSession) return [];
    const client = await this.#connected();
    const tools: Tool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < PAGES && tools.length < TOOLS; page += 1) {
      // Not by listTools: it follows the cursors itself, and fails if they do not end.
      const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } } as const;
      const listed = await client.request(request, { signal, timeout: LISTING.endMs });
      tools.push(...listed.tools.flatMap((tool) => this.#published(tool)));
      cursor = listed.nextCursor;
      if (cursor === undefined) break;
    }
    return tools.slice(0, TOOLS);
  }

  #published(tool: Tool): Tool[] {
    const { prefix } = this.#registered;
    const name = prefix === undefined ? tool.name : `${prefix}_${tool.name}`;
    return this.ownName(name) === undefined || !TOOL_NAME.test(name) ? [] : [{ ...tool, name }];
  }

  #connected(): Promise<Client> {
    this.#client ??= this.#connect().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  async #connect(): Promise<Client> {
    const client = new Client({ name: 'sandbox-hub', version: VERSION });
    const transport = new AnsweredTransport(this.#registered.url);
    client.onclose = () => {
      this.#client = undefined;
    };
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      this.#tools.invalidate();
    });
    const signal = AbortSignal.any([AbortSignal.timeout(CONNECT_MS), this.#closing.signal]);
    await client.connect(transport, { timeout: CONNECT_MS, signal });
    if (transport.sessionId === undefined) return client;
    await client.close();
    if (!this.#needsSession) this.#warn(`the MCP server ${this.name} is left out: it needs a session`);
    this.#needsSession = true;
    throw new Error('it needs a session');
  }
}

/** Whether nothing listens at the address. */
function isRefused(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ECONNREFUSED') return true;
  }
  return false;
}
