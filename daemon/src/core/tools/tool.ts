import type { z } from 'zod';

/** Hints for clients about what a tool does (Model Context Protocol, ToolAnnotations). */
interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** How far a call is, in units of its own. */
export interface ToolProgress {
  readonly progress: number;
  readonly total?: number | undefined;
}

export interface ToolContext {
  /** Fires when the client has left or cancelled the call. */
  readonly gone: AbortSignal;
  /** Fires when the client has cancelled the call: what it began ends. A client that has left may come back to it. */
  readonly cancelled?: AbortSignal;
  /** Tells the client what a long call does now; absent if the client did not ask for it. */
  readonly progress?: (message: string | undefined, at?: ToolProgress) => void;
}

interface Described {
  readonly name: string;
  /** Place in the list of tools, from 1 on. */
  readonly order: number;
  readonly title: string;
  readonly description: string;
  readonly annotations?: ToolAnnotations;
  /** Of the full set, after those that the interface fixes. */
  readonly isExtra?: boolean;
}

/** A tool as data: what a model reads, the schema of its arguments, and the handler on the capability's service. */
export interface ToolDefinition<S, A extends z.ZodObject = z.ZodObject> extends Described {
  readonly schema: A;
  readonly outputSchema?: z.ZodObject;
  /** The values of the argument `action` that this part serves, if a tool is contributed in parts. */
  readonly actions?: readonly string[];
  /** @returns text, an object, which becomes structured content and JSON text, or a `ToolAnswer` */
  readonly handler: (service: S, args: z.infer<A>, context: ToolContext) => Promise<unknown>;
}

/** A tool, or the part of one that a capability contributes, as its capability declares it. */
export interface DeclaredTool<S> {
  readonly bind: (service: S) => BoundTool;
}

/** A tool, or a part of one, with the service it works on. */
export interface BoundTool extends Described {
  readonly schema: z.ZodObject;
  readonly outputSchema?: z.ZodObject | undefined;
  readonly actions?: readonly string[] | undefined;
  readonly call: (args: unknown, context: ToolContext) => Promise<unknown>;
}

export function defineTool<S, A extends z.ZodObject>(definition: ToolDefinition<S, A>): DeclaredTool<S> {
  const { handler, schema, ...described } = definition;
  return {
    bind: (service) => ({
      ...described,
      schema,
      call: async (args, context) => handler(service, schema.parse(args), context),
    }),
  };
}
