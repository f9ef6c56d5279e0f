import { SandboxError } from '../core/errors.ts';
import type { Transport } from '../core/transport.ts';

/** A tool as MCP lists it. */
interface McpTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

interface McpResult {
  readonly content: readonly {
    readonly type: string;
    readonly text?: string;
    readonly data?: string;
    readonly mimeType?: string;
  }[];
  readonly isError?: boolean;
}

/** Calls a tool; the result says so if it failed. */
type CallTool<Result> = (name: string, input: unknown, options?: { readonly signal?: AbortSignal }) => Promise<Result>;

export interface ToolForms {
  readonly anthropic: {
    readonly definitions: readonly {
      readonly name: string;
      readonly description: string;
      readonly input_schema: object;
    }[];
    /** The fields of a `tool_result` block beside its id. */
    readonly call: CallTool<{ readonly content: readonly object[]; readonly is_error: boolean }>;
  };
  readonly openai: {
    readonly definitions: readonly {
      readonly type: 'function';
      readonly function: { readonly name: string; readonly description: string; readonly parameters: object };
    }[];
    /** `input`: the JSON text of the arguments, or their value. */
    readonly call: CallTool<string>;
  };
  /** The value of `tools` of `generateText` and `streamText`. */
  readonly 'ai-sdk': Readonly<
    Record<
      string,
      {
        readonly type: 'dynamic';
        readonly description: string;
        readonly inputSchema: object;
        readonly execute: (input: unknown, options?: { readonly abortSignal?: AbortSignal }) => Promise<McpResult>;
      }
    >
  >;
  /** What a client of MCP connects to. */
  readonly mcp: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
}

/** The tools of the sandbox in the form of a framework. */
export async function toolsFor<Form extends keyof ToolForms>(
  transport: Transport,
  form: Form,
): Promise<ToolForms[Form]> {
  const hub = new McpHub(transport);
  const forms: { readonly [F in keyof ToolForms]: () => Promise<ToolForms[F]> } = {
    anthropic: async () => forAnthropic(hub, await hub.list()),
    openai: async () => forOpenai(hub, await hub.list()),
    'ai-sdk': async () => forAiSdk(hub, await hub.list()),
    mcp: async () => ({ url: transport.url('/mcp'), headers: transport.headers() }),
  };
  return (await forms[form]()) as ToolForms[Form];
}

/** The MCP server of the sandbox, which needs no session. */
class McpHub {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list(): Promise<readonly McpTool[]> {
    const { tools } = await this.#request<{ readonly tools: readonly McpTool[] }>('tools/list', {}, true);
    return tools;
  }

  async call(name: string, input: unknown, signal?: AbortSignal): Promise<McpResult> {
    return await this.#request<McpResult>('tools/call', { name, arguments: input }, false, signal);
  }

  async #request<T>(method: string, params: unknown, repeatable: boolean, signal?: AbortSignal): Promise<T> {
    const json = { jsonrpc: '2.0', id: 1, method, params };
    const call = { method: 'POST', json, repeatable, signal, silence: 3600 } as const;
    const answer = await this.#transport.json<{ readonly result?: T; readonly error?: { readonly message: string } }>(
      '/mcp',
      call,
    );
    if (answer.result === undefined)
      throw new SandboxError(answer.error?.message ?? 'the answer of /mcp has no result');
    return answer.result;
  }
}

function forAnthropic(hub: McpHub, tools: readonly McpTool[]): ToolForms['anthropic'] {
  return {
    definitions: tools.map(({ name, description = '', inputSchema }) => ({
      name,
      description,
      input_schema: inputSchema,
    })),
    call: async (name, input, { signal } = {}) => {
      const { content, isError = false } = await hub.call(name, input, signal);
      return { content: content.map(anthropicBlock), is_error: isError };
    },
  };
}

function anthropicBlock(block: McpResult['content'][number]): object {
  if (block.type !== 'image') return { type: 'text', text: block.text ?? JSON.stringify(block) };
  return { type: 'image', source: { type: 'base64', media_type: block.mimeType, data: block.data } };
}

function forOpenai(hub: McpHub, tools: readonly McpTool[]): ToolForms['openai'] {
  return {
    definitions: tools.map(({ name, description = '', inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    })),
    call: async (name, input, { signal } = {}) => {
      const value: unknown = typeof input === 'string' ? JSON.parse(input || '{}') : input;
      const { content } = await hub.call(name, value, signal);
      return content.map((block) => block.text ?? `[${block.mimeType ?? block.type}]`).join('\n');
    },
  };
}

/** The mark by which the AI SDK knows a schema that its function `jsonSchema` made. */
const SCHEMA = Symbol.for('vercel.ai.schema');

function forAiSdk(hub: McpHub, tools: readonly McpTool[]): ToolForms['ai-sdk'] {
  return Object.fromEntries(
    tools.map(({ name, description = '', inputSchema }) => [
      name,
      {
        type: 'dynamic',
        description,
        inputSchema: { [SCHEMA]: true, jsonSchema: inputSchema },
        execute: (input, { abortSignal } = {}) => hub.call(name, input, abortSignal),
      },
    ]),
  );
}
