import { requestIdOf } from '@sandbox/program/request-id.ts';
import { z } from 'zod';
import { type DeclaredTool, defineTool } from '../../../core/tools/tool.ts';
import { ToolAnswer } from '../../../core/tools/tool-answer.ts';
import type { DesktopService, NodeAction } from '../desktop-service.ts';

/** Nodes of one answer. */
const NODES = 300;
const NODES_MAX = 5000;
const FOUND = 50;
const FOUND_MAX = 1000;

const TOOL = {
  name: 'sandbox_accessibility',
  order: 14,
  isExtra: true,
  title: 'Use programs of the desktop by their elements',
  description: `Reads what programs of the desktop show as nodes with role, name, states and bounds, and acts on them by
node_id, without pixels. tree: of the program in front, or of the whole desktop. find: nodes by role, name and states.
focus; invoke: presses, or does what the node calls action; set_value: fills a field or moves a slider.
Example: {"action": "find", "role": "push button", "name": "Save"}`,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
} as const;

const Looked = {
  scope: z.enum(['foreground', 'desktop']).optional().meta({ description: 'tree, find: default foreground.' }),
  max_nodes: z.int().min(1).max(NODES_MAX).default(NODES).meta({ description: 'tree, find: nodes to read.' }),
} as const;
const node_id = z.string().min(1).max(256);

const tree = defineTool({
  ...TOOL,
  actions: ['tree'],
  schema: z.object({
    ...Looked,
    node_id: node_id.optional().meta({ description: 'tree, find: its root.' }),
    max_depth: z.int().min(1).max(64).optional().meta({ description: 'tree.' }),
  }),
  handler: async (service: DesktopService, args, { gone }) => await service.accessibility('', args, gone),
});

const find = defineTool({
  ...TOOL,
  actions: ['find'],
  schema: z.object({
    ...Looked,
    node_id: node_id.optional(),
    role: z.string().min(1).max(100).optional(),
    name: z.string().min(1).max(1000).optional().meta({ description: 'find: a part of it.' }),
    states: z.string().min(1).max(1000).optional().meta({ description: 'find: all of them, with commas between.' }),
    limit: z.int().min(1).max(FOUND_MAX).default(FOUND),
  }),
  handler: async (service: DesktopService, args, { gone }) => await service.accessibility('/nodes', args, gone),
});

const focus = defineTool({
  ...TOOL,
  actions: ['focus'],
  schema: z.object({ node_id }),
  handler: (service: DesktopService, args) => act(service, { action_type: 'NODE_FOCUS', node_id: args.node_id }),
});

const invoke = defineTool({
  ...TOOL,
  actions: ['invoke'],
  schema: z.object({
    node_id,
    node_action: z.string().min(1).max(200).optional().meta({ description: 'invoke: default the first of the node.' }),
  }),
  handler: (service: DesktopService, args) =>
    act(service, {
      action_type: 'NODE_INVOKE',
      node_id: args.node_id,
      ...(args.node_action !== undefined && { action: args.node_action }),
    }),
});

const setValue = defineTool({
  ...TOOL,
  actions: ['set_value'],
  schema: z.object({ node_id, value: z.union([z.string(), z.number()]).meta({ description: 'set_value.' }) }),
  handler: (service: DesktopService, args) =>
    act(service, { action_type: 'NODE_SET_VALUE', node_id: args.node_id, value: args.value }),
});

async function act(service: DesktopService, action: NodeAction): Promise<ToolAnswer> {
  const { success, message, hint } = await service.actOnNode(action, requestIdOf(undefined));
  return new ToolAnswer({ data: { success, message, ...(hint !== null && { hint }) }, isError: !success });
}

/** One tool, in a part for each of its actions. */
export const accessibilityTool: readonly DeclaredTool<DesktopService>[] = [tree, find, focus, invoke, setValue];
