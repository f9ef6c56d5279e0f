import { Client, type Progress } from '@modelcontextprotocol/client';
import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { VERSION } from '@sandbox/api/version.ts';
import type { ToolContext } from '../../core/tools/tool.ts';
import { AnsweredTransport } from './answered-transport.ts';
import type { Registered } from './registry.ts';

/** Milliseconds for the handshake and a whole list of tools. */
const LIST_MS = 3000;
/** Milliseconds for which a list of tools is kept, and for which a server that failed is not asked again. */
const KEPT_MS = 5000;
/** Milliseconds without progress, and in all, after which a call fails. */
const SILENT_MS = 300_000;
const CALL_MS = 3_600_000;
/** Pages and tools of one server. */
const PAGES = 50;
const TOOLS = 2000;
const TOOL_NAME = /^[A-Za-z0-9_./-]{1,128}$/;

/** One other server, connected to on first use and again after a failure. */
export class Upstream {
  readonly #registered: Registered;
  readonly #warn: (reason: string) => void;
  #client: Promise<Client> | undefined;
  #tools: { readonly listed: Promise<readonly Tool[]>; readonly until: number } | undefined;
  #needsSession = false;

  /** @param warn told once where the server needs a session, so that its tools are left out */
  constructor(registered: Registered, warn: (reason: string) => void) {
    this.#registered = registered;
    this.#warn = warn;
  }

  get name(): string {
    return this.#registered.name;
  }

  /** Its own name of a tool that the hub published under `name`; undefined where the name is not one of its. */
  ownName(name: string): string | undefined {
    const { prefix } = this.#registered;
    if (prefix === undefined) return name.startsWith(`${this.name}_`) ? name : undefined;
    return name.startsWith(`${prefix}_`) ? name.slice(prefix.length + 1) : undefined;
  }

  /** Its tools under their published names; none where it does not answer. */
  list(): Promise<readonly Tool[]> {
    const now = performance.now();
    if (this.#tools === undefined || now >= this.#tools.until) {
      const listed = this.#list().catch(() => {
        this.#disconnect();
        return [];
      });
      this.#tools = { listed, until: now + KEPT_MS };
    }
    return this.#tools.listed;
  }

  /** @throws what the server answered as an error of the protocol, or why it did not answer */
  async call(name: string, args: Record<string, unknown>, { gone, progress }: ToolContext): Promise<CallToolResult> {
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
    this.#disconnect();
  }

  async #list(): Promise<readonly Tool[]> {
    if (this.#needsSession) return [];
    const signal = AbortSignal.timeout(LIST_MS);
    const client = await this.#connected();
    const tools: Tool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < PAGES && tools.length < TOOLS; page += 1) {
      const listed = await client.listTools(cursor === undefined ? {} : { cursor }, { signal, timeout: LIST_MS });
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
      this.#tools = undefined;
    });
    await client.connect(transport, { timeout: LIST_MS, signal: AbortSignal.timeout(LIST_MS) });
    if (transport.sessionId === undefined) return client;
    await client.close();
    if (!this.#needsSession) this.#warn(`the MCP server ${this.name} is left out: it needs a session`);
    this.#needsSession = true;
    throw new Error('it needs a session');
  }
}
