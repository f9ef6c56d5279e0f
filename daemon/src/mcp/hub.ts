import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { withoutNulls } from '@sandbox/api/fields/without-nulls.ts';
import type { Recorder } from '../core/recorder/recorder.ts';
import type { BoundTool, ToolContext } from '../core/tools/tool.ts';
import { isForeignField, MAX_NAMED, unknownFieldMessage } from '../core/unknown/field-message.ts';
import { unknownFields } from '../core/unknown/known-fields.ts';
import { describeTool } from './listing/describe-tool.ts';
import type { Resources } from './resources/resources.ts';
import { failed, failureOf, resultOf } from './tool-result.ts';

/** Other servers whose tools the hub publishes. */
export interface ToolSource {
  /** Its tools under the names that the hub publishes; tools of a server that does not answer are absent. */
  list(): Promise<readonly Tool[]>;
  /** The result; undefined if no tool has that name. */
  call(name: string, args: Record<string, unknown>, context: ToolContext): Promise<CallToolResult | undefined>;
}

interface BuiltIn {
  readonly tool: BoundTool;
  readonly described: Tool;
}

interface HubTerms {
  /** Whether an unknown argument of a tool of the capabilities is an error; else it is ignored. */
  readonly isStrict: boolean;
  /** Receives each exception that is neither a wrong argument nor a failure of the domain. */
  readonly defect: (error: unknown, tool: string) => void;
  /** Where calls are reported when they are answered. */
  readonly recorder?: Recorder | undefined;
  /** Undefined: the set has tools alone. */
  readonly resources?: Resources | undefined;
}

/** The tools of the capabilities, then those of other servers. */
export class Hub {
  readonly #builtIns: ReadonlyMap<string, BuiltIn>;
  readonly #others: ToolSource;
  readonly #terms: HubTerms;

  constructor(tools: readonly BoundTool[], others: ToolSource, terms: HubTerms) {
    this.#builtIns = new Map(tools.map((tool) => [tool.name, { tool, described: describeTool(tool) }]));
    this.#others = others;
    this.#terms = terms;
  }

  get resources(): Resources | undefined {
    return this.#terms.resources;
  }

  /** All tools, the built-in ones first; of a name that occurs twice the first. */
  async list(): Promise<Tool[]> {
    const others = await this.#others.list();
    const listed = new Map([...this.#builtIns].map(([name, { described }]) => [name, described]));
    for (const tool of others) if (!listed.has(tool.name)) listed.set(tool.name, tool);
    return [...listed.values()];
  }

  /** The result of a tool; undefined if the tool does not exist. */
  async call(name: string, args: Record<string, unknown>, context: ToolContext): Promise<CallToolResult | undefined> {
    const { recorder } = this.#terms;
    const begun = performance.now();
    const result = await this.#call(name, args, context);
    if (recorder?.isOn && result !== undefined) {
      const { action } = args;
      const durationMs = Math.round(performance.now() - begun);
      const data = {
        tool: name,
        action: typeof action === 'string' ? action : undefined,
        isError: result.isError === true,
      };
      recorder.note('mcp.call', {}, { ...data, durationMs });
    }
    return result;
  }

  async #call(name: string, args: Record<string, unknown>, context: ToolContext): Promise<CallToolResult | undefined> {
    const builtIn = this.#builtIns.get(name);
    if (builtIn === undefined) return await this.#others.call(name, args, context);
    const given = withoutNulls(args);
    const unknown = this.#terms.isStrict ? unknownArguments(builtIn.tool, given) : [];
    if (unknown.length > 0) return failed(unknown.join('; '));
    try {
      return resultOf(await builtIn.tool.call(given, context));
    } catch (error) {
      const failure = failureOf(error, given);
      if (failure !== undefined) return failure;
      this.#terms.defect(error, name);
      return failed('internal error; the log of the service has the reason');
    }
  }
}

/** What is said of each argument that the schema of the tool does not name. */
function unknownArguments({ schema }: BoundTool, args: Record<string, unknown>): string[] {
  return unknownFields(schema, args, MAX_NAMED)
    .filter(({ path: [name, ...rest] }) => rest.length > 0 || !isForeignField(String(name), true))
    .map(({ path, known }) => {
      const within = path.length > 1 ? `${path.slice(0, -1).join('.')}: ` : '';
      return within + unknownFieldMessage(String(path.at(-1)), known, 'arguments');
    });
}
