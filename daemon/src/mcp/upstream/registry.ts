import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** Another server whose tools the hub publishes. */
export interface Registered {
  readonly name: string;
  readonly url: URL;
  /** Its tools are published as `<prefix>_<tool>`; without one only those whose names begin with `<name>_` are. */
  readonly prefix: string | undefined;
  /** Its tools, if they are known without it. */
  readonly tools?: readonly Tool[] | undefined;
  /** Called before each call; rejects with a SandboxError if the server cannot answer now. */
  readonly awake?: (() => Promise<unknown>) | undefined;
  /** Milliseconds that a call waits for a server that does not listen yet. */
  readonly waitMs?: number | undefined;
}

export interface Registry {
  readonly servers: readonly Registered[];
  /** Why an entry is left out, one sentence each. */
  readonly skipped: readonly string[];
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

const Entry = z.looseObject({
  url: z.string().optional(),
  prefix: z.string().regex(NAME, 'prefix: expected letters, digits, dots, dashes and underscores').optional(),
});

/**
 * The servers of EXTRA_MCP_SERVERS: `{"name": {"url": "http://127.0.0.1:9000/mcp", "prefix": "x"}}`, or the same under
 * `mcpServers`. Servers that the hub cannot use are left out: those that are started by a command, and those beyond
 * loopback.
 */
export const McpServers = z.string().transform((text, context): Registry => {
  const refuse = (message: string): never => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return refuse('expected JSON: {"name": {"url": "http://127.0.0.1:9000/mcp", "prefix": "x"}}');
  }
  const wrapped = z.object({ mcpServers: z.record(z.string(), z.unknown()) }).safeParse(given);
  const entries = z.record(z.string(), z.unknown()).safeParse(wrapped.success ? wrapped.data.mcpServers : given);
  if (!entries.success) return refuse('expected an object of servers by name');
  const servers: Registered[] = [];
  const skipped: string[] = [];
  for (const [name, value] of Object.entries(entries.data)) {
    if (!NAME.test(name)) return refuse(`the server name ${name.slice(0, 70)} is not letters, digits, dots and dashes`);
    const entry = Entry.safeParse(value);
    if (!entry.success) return refuse(`${name}: ${entry.error.issues[0]?.message}`);
    const { url: address, prefix } = entry.data;
    const url = address === undefined ? undefined : URL.parse(address);
    const reason = reasonAgainst(entry.data, url);
    if (reason !== undefined) skipped.push(`the MCP server ${name} is left out: ${reason}`);
    else if (url) servers.push({ name, url, prefix });
  }
  return { servers, skipped };
});

function reasonAgainst(entry: z.infer<typeof Entry>, url: URL | null | undefined): string | undefined {
  if ('command' in entry) return 'servers that a command starts are not supported; serve it over streamable HTTP';
  if (url === undefined) return 'it has no url';
  if (url === null) return 'its url is not valid';
  if (url.protocol !== 'http:' || !LOOPBACK.has(url.hostname)) {
    return 'its url is not http on 127.0.0.1, localhost or [::1]';
  }
  return undefined;
}
