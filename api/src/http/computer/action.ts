import { z } from 'zod';
import { valueWithoutNulls } from '../../fields/without-nulls.ts';

/** Seconds that one WAIT may last, and all of a batch together. */
export const WAIT_MAX = 10;
export const BATCH_WAIT_MAX = 20;
/** Actions of one batch. */
export const BATCH_MAX = 50;
/** Bytes of UTF-8 of a text for the clipboard or the keyboard. */
export const TEXT_MAX_BYTES = 1024 ** 2;

const Place = z.number().min(-100_000).max(100_000);
const Button = z.enum(['left', 'right', 'middle']).default('left');
const Key = z.string().min(1).max(100);
const Notches = z.number().default(0);
const WindowId = z.string().regex(/^0x[0-9a-f]{1,8}$/, 'must be a window_id from GET windows');
const NodeId = z.string().min(1).max(256);
const Text = z
  .string()
  .max(TEXT_MAX_BYTES)
  .refine((text) => Buffer.byteLength(text) <= TEXT_MAX_BYTES, `is over ${TEXT_MAX_BYTES} bytes`)
  .refine((text) => !text.includes('\0'), 'contains a NUL character');

const kind = <T extends string>(type: T) => ({ action_type: z.literal(type) });
const atPoint = { x: Place.optional(), y: Place.optional() } as const;

/** What an agent does with pointer, keyboard, clipboard, windows and accessible nodes. */
export const ComputerAction = z
  .discriminatedUnion('action_type', [
    z.object({ ...kind('MOVE_TO'), x: Place, y: Place }),
    z.object({ ...kind('MOVE_REL'), x_offset: Place, y_offset: Place }),
    z.object({ ...kind('CLICK'), ...atPoint, button: Button, num_clicks: z.int().min(1).max(3).default(1) }),
    z.object({ ...kind('RIGHT_CLICK'), ...atPoint }),
    z.object({ ...kind('DOUBLE_CLICK'), ...atPoint }),
    z.object({ ...kind('MOUSE_DOWN'), button: Button }),
    z.object({ ...kind('MOUSE_UP'), button: Button }),
    z.object({ ...kind('DRAG_TO'), x: Place, y: Place }),
    z.object({ ...kind('DRAG_REL'), x_offset: Place, y_offset: Place }),
    z.object({
      ...kind('SCROLL'),
      dx: Notches.meta({ description: 'Notches to the right; more than 100 are 100.' }),
      dy: Notches.meta({ description: 'Notches down; more than 100 are 100.' }),
    }),
    z.object({
      ...kind('TYPING'),
      text: Text.min(1),
      use_clipboard: z.boolean().default(true).meta({ description: 'False: text that no key types is 400.' }),
    }),
    z.object({ ...kind('PRESS'), key: Key }),
    z.object({ ...kind('KEY_DOWN'), key: Key }),
    z.object({ ...kind('KEY_UP'), key: Key }),
    z.object({ ...kind('HOTKEY'), keys: z.array(Key).min(1).max(10) }),
    z.object({ ...kind('WAIT'), duration: z.number().positive().max(WAIT_MAX).meta({ description: 'Seconds.' }) }),
    z.object({ ...kind('SET_CLIPBOARD'), text: Text }),
    z.object({ ...kind('WINDOW_ACTIVATE'), window_id: WindowId }),
    z.object({ ...kind('WINDOW_MINIMIZE'), window_id: WindowId }),
    z.object({ ...kind('NODE_FOCUS'), node_id: NodeId }),
    z.object({
      ...kind('NODE_INVOKE'),
      node_id: NodeId,
      action: z.string().min(1).max(200).optional().meta({ description: 'Name of the action; by default the first.' }),
    }),
    z.object({ ...kind('NODE_SET_VALUE'), node_id: NodeId, value: z.union([Text, z.number()]) }),
  ])
  .meta({ id: 'ComputerAction', example: { action_type: 'CLICK', x: 100, y: 100 } });

export type ComputerActionBody = z.output<typeof ComputerAction>;

export const ComputerBatch = z
  .object({
    actions: z
      .array(z.preprocess(valueWithoutNulls, ComputerAction))
      .min(1)
      .max(BATCH_MAX)
      .refine((actions) => waitsOf(actions) <= BATCH_WAIT_MAX, `WAIT lasts over ${BATCH_WAIT_MAX} seconds in all`),
    include_screenshot: z.boolean().default(false),
  })
  .meta({ example: { actions: [{ action_type: 'MOVE_TO', x: 100, y: 100 }, { action_type: 'CLICK' }] } });

/** Seconds that the actions wait, together. */
export function waitsOf(actions: readonly ComputerActionBody[]): number {
  return actions.reduce((sum, action) => sum + (action.action_type === 'WAIT' ? action.duration : 0), 0);
}
