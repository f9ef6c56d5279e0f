import { z } from 'zod';
import { ErrorBody, envelopeOf, V2_ERRORS } from '../envelope.ts';
import { queryNumber } from '../fields/query-number.ts';

/** The routes that read what programs tell of their content. */

const tags = ['computer'];
const errors = { ...V2_ERRORS, 503: ErrorBody };
const Flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');

const Bounds = z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() });

const Facts = {
  node_id: z.string().meta({ description: 'Never means another node; of a node that is gone it is 404.' }),
  role: z.string(),
  name: z.string(),
  description: z.string(),
  states: z.array(z.string()),
  bounds: Bounds.nullable().meta({ description: 'Pixels of the display; null if the node has no place there.' }),
  value: z.string().nullable().meta({ description: 'Text of a field, number of a slider.' }),
} as const;

const FlatNode = z.object(Facts).meta({ id: 'AccessibleNode' });

const TreeNode = z
  .object({
    ...Facts,
    get children(): z.ZodArray<z.ZodType> {
      return z.array(TreeNode);
    },
  })
  .meta({ id: 'AccessibleTreeNode' });

const Bounded = {
  truncated: z.boolean().meta({ description: 'Whether a limit, the deadline or a silent program left nodes out.' }),
  silent: z.array(z.string()).meta({ description: 'Programs that did not answer in time, by their name on the bus.' }),
} as const;

const Tree = z.object({ root: TreeNode.nullable(), node_count: z.int(), ...Bounded }).meta({ id: 'AccessibilityTree' });

const Nodes = z.object({ nodes: z.array(FlatNode), ...Bounded }).meta({ id: 'AccessibilityNodes' });

const whole = (least: number, most: number, preset: number) =>
  queryNumber(z.int().min(least).max(most)).prefault(preset);

const treeQuery = {
  scope: z
    .enum(['foreground', 'desktop'])
    .default('foreground')
    .meta({ description: 'The program in front with its popups, or all programs.' }),
  node_id: z.string().min(1).max(256).optional().meta({ description: 'The root of the answer, instead of a scope.' }),
  include_offscreen: Flag.default(false),
  max_depth: whole(1, 64, 32),
  max_nodes: whole(1, 20_000, 5_000),
  timeout_ms: whole(100, 60_000, 5_000),
} as const;

export const ACCESSIBILITY = {
  method: 'GET',
  url: '/computer/accessibility',
  schema: {
    tags,
    operationId: 'readAccessibilityTree',
    summary: 'Tree of what programs show',
    querystring: z.object(treeQuery),
    response: { 200: envelopeOf(Tree), ...errors },
  },
} as const;

export const ACCESSIBILITY_NODES = {
  method: 'GET',
  url: '/computer/accessibility/nodes',
  schema: {
    tags,
    operationId: 'findAccessibleNodes',
    summary: 'Find nodes by role, name and states',
    querystring: z.object({
      ...treeQuery,
      role: z.string().min(1).max(100).optional(),
      name: z.string().min(1).max(1_000).optional(),
      match: z
        .enum(['substring', 'exact', 'regex'])
        .default('substring')
        .meta({ description: 'A substring matches in any case; regex is a pattern of JavaScript.' }),
      states: z
        .string()
        .min(1)
        .max(1_000)
        .transform((text) => text.split(',').filter((state) => state !== ''))
        .optional()
        .meta({ description: 'Comma separated; the nodes have all of them.' }),
      limit: whole(1, 1_000, 50),
    }),
    response: { 200: envelopeOf(Nodes), ...errors },
  },
} as const;
