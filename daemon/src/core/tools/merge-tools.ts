import { z } from 'zod';
import type { BoundTool, ToolContext } from './tool.ts';

/**
 * The tools in their order; parts of one name become one tool that hands each call to the part of its `action`.
 * Title, description and annotations are those of the first part.
 * @throws Error if two contributions of one name are not parts, or serve one action
 */
export function mergeTools(contributions: readonly BoundTool[]): BoundTool[] {
  const byName = Map.groupBy(contributions, ({ name }) => name);
  return [...byName.values()].map(mergeParts).toSorted((a, b) => a.order - b.order);
}

function mergeParts(parts: readonly BoundTool[]): BoundTool {
  const [first, ...others] = parts;
  if (first === undefined) throw new Error('a tool without a part');
  if (others.length === 0) return first;
  const byAction = new Map<string, BoundTool>();
  for (const part of parts) {
    if (part.actions === undefined) throw new Error(`the tool ${part.name} is defined twice`);
    for (const action of part.actions) {
      if (byAction.has(action)) throw new Error(`two parts of ${part.name} serve the action ${action}`);
      byAction.set(action, part);
    }
  }
  const actions = [...byAction.keys()];
  const Action = z.object({ action: z.enum(actions) });
  const call = async (args: unknown, context: ToolContext): Promise<unknown> => {
    const { action } = Action.parse(args);
    return byAction.get(action)?.call(args, context);
  };
  return { ...first, actions, schema: mergedSchema(parts, actions), call };
}

/** The arguments of all parts: one may be left out unless every part needs it. */
function mergedSchema(parts: readonly BoundTool[], actions: readonly string[]): z.ZodObject {
  const shapes = parts.map(({ schema }) => schema.shape);
  const isNeeded = (type: unknown): boolean => type instanceof z.ZodType && !type.safeParse(undefined).success;
  const needed = (key: string): boolean => shapes.every((shape) => isNeeded(shape[key]));
  const fields = shapes.flatMap((shape) => Object.entries(shape) as [string, z.ZodType][]);
  const merged = Object.fromEntries(
    fields.map(([key, type]) => [key, isNeeded(type) && !needed(key) ? type.optional() : type]),
  );
  return z.object({ ...merged, action: z.enum(actions) });
}
