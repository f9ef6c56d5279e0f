import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import type { ToolContext } from '../../core/tools/tool.ts';
import type { ToolSource } from '../hub.ts';
import { objectSchema } from '../listing/describe-tool.ts';
import { failureOf, resultOf } from '../tool-result.ts';
import type { Alias } from './alias.ts';
import { ALIASES, DOWNLOADS } from './aliases.ts';

/** What the browser MCP server writes before the value of a script, and what follows it. */
const VALUE = '### Result\n';
const NEXT = '\n### ';

/** Tools of other servers, and after them their names in 1.x. */
export class AliasedTools implements ToolSource {
  readonly #source: ToolSource;
  readonly #downloads: () => Promise<readonly object[]>;
  readonly #aliases: ReadonlyMap<string, Alias>;

  constructor(source: ToolSource, downloads: () => Promise<readonly object[]>) {
    this.#source = source;
    this.#downloads = downloads;
    this.#aliases = new Map(ALIASES.map((alias) => [alias.name, alias]));
  }

  /** A name is listed as long as its target is. */
  async list(): Promise<readonly Tool[]> {
    const tools = await this.#source.list();
    const names = new Set(tools.map(({ name }) => name));
    const served = ALIASES.filter(
      ({ name, target }) => !names.has(name) && (target === DOWNLOADS || names.has(target)),
    );
    return [...tools, ...served.map(described)];
  }

  async call(name: string, args: Record<string, unknown>, context: ToolContext): Promise<CallToolResult | undefined> {
    const alias = this.#aliases.get(name);
    if (alias === undefined || (await this.#has(name))) return await this.#source.call(name, args, context);
    try {
      const given = alias.args(args);
      if (alias.target === DOWNLOADS) return resultOf({ list: await this.#downloads() });
      const answer = await this.#source.call(alias.target, given, context);
      return answer !== undefined && alias.isScript ? onlyValue(answer) : answer;
    } catch (error) {
      const failure = failureOf(error, args);
      if (failure === undefined) throw error;
      return failure;
    }
  }

  /** Whether a server has a tool of that name, which wins. */
  async #has(name: string): Promise<boolean> {
    return (await this.#source.list()).some((tool) => tool.name === name);
  }
}

function described({ name, description, schema, target }: Alias): Tool {
  return { name, description: `${description} Name of 1.x for ${target}.`, inputSchema: objectSchema(schema, 'input') };
}

/** The value of the script alone, without the script. */
function onlyValue(answer: CallToolResult): CallToolResult {
  const [first] = answer.content;
  if (answer.isError || first?.type !== 'text' || !first.text.startsWith(VALUE)) return answer;
  const end = first.text.indexOf(NEXT, VALUE.length);
  const text = first.text.slice(VALUE.length, end === -1 ? undefined : end).trim();
  return { content: [{ type: 'text', text: isQuoted(text) ? JSON.parse(text) : text }] };
}

function isQuoted(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'string';
  } catch {
    return false;
  }
}
