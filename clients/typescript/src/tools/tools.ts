import { SandboxError } from '../core/errors.ts';
import { type Shape, shaped } from '../core/shape.ts';
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
type CallTool<Result> = (
  name: string,
  input: unknown,
  options?: { readonly signal?: AbortSignal | undefined },
) => Promise<Result>;

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
  signal?: AbortSignal,
): Promise<ToolForms[Form]> {
  const hub = new McpHub(transport);
  const forms: { readonly [F in keyof ToolForms]: () => Promise<ToolForms[F]> } = {
    anthropic: async () => forAnthropic(hub, await hub.list(signal)),
    openai: async () => forOpenai(hub, await hub.list(signal)),
    'ai-sdk': async () => forAiSdk(hub, await hub.list(signal)),
    mcp: async () => ({ url: transport.url('/mcp'), headers: transport.headers() }),
  };
  return (await forms[form]()) as ToolForms[Form];
}

interface McpCall {
  readonly method: string;
  readonly params: unknown;
  readonly repeatable: boolean;
  /** Of the result. */
  readonly shape: Shape;
}

const TOOLS: Shape = { tools: [{ name: 'string', 'description?': 'string', inputSchema: {} }] };
const RESULT: Shape = {
  content: [{ type: 'string', 'text?': 'string', 'data?': 'string', 'mimeType?': 'string' }],
  'isError?': 'boolean',
};

/** The MCP server of the sandbox, which needs no session. */
class McpHub {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list(signal: AbortSignal | undefined): Promise<readonly McpTool[]> {
    const { tools } = await this.#request<{ readonly tools: readonly McpTool[] }>(
      {
        method: 'tools/list',
        params: {},
        repeatable: true,
        shape: TOOLS,
      },
      signal,
    );
    return tools;
  }

  async call(name: string, input: unknown, signal?: AbortSignal): Promise<McpResult> {
    return await this.#request<McpResult>(
      { method: 'tools/call', params: { name, arguments: input }, repeatable: false, shape: RESULT },
      signal,
    );
  }

  async #request<T>({ method, params, repeatable, shape }: McpCall, signal?: AbortSignal): Promise<T> {
    const json = { jsonrpc: '2.0', id: 1, method, params };
    const call = { method: 'POST', json, repeatable, signal, silence: 3600 } as const;
    const answer = await this.#transport.json<{ readonly result?: unknown; readonly error?: { message: string } }>(
      '/mcp',
      { 'error?': { message: 'string' } },
      call,
    );
    if (answer.error) throw new SandboxError(answer.error.message);
    return shaped<T>(answer.result, shape, 'result');
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
