import { z } from 'zod';
import type { InputAction } from '../../../core/desktop/desktop.ts';
import { TabId } from './surface.ts';

/** Seconds that one WAIT may last. */
const WAIT_MAX = 10;

const Place = z.number().min(-100_000).max(100_000);
const Button = z.enum(['left', 'right', 'middle']).default('left');
const Key = z.string().min(1).max(100);
const kind = <T extends InputAction['type']>(type: T) => ({ action_type: z.literal(type), tab_id: TabId });
const atPoint = { x: Place.optional(), y: Place.optional() } as const;

export const ActionBody = z
  .discriminatedUnion('action_type', [
    z.object({ ...kind('MOVE_TO'), x: Place, y: Place }),
    z.object({ ...kind('MOVE_REL'), x_offset: Place, y_offset: Place }),
    z.object({
      ...kind('CLICK'),
      ...atPoint,
      button: Button,
      num_clicks: z.int().min(1).max(3).default(1),
    }),
    z.object({ ...kind('MOUSE_DOWN'), button: Button }),
    z.object({ ...kind('MOUSE_UP'), button: Button }),
    z.object({ ...kind('RIGHT_CLICK'), ...atPoint }),
    z.object({ ...kind('DOUBLE_CLICK'), ...atPoint }),
    z.object({ ...kind('DRAG_TO'), x: Place, y: Place }),
    z.object({ ...kind('DRAG_REL'), x_offset: Place, y_offset: Place }),
    z.object({
      ...kind('SCROLL'),
      dx: z.number().default(0).meta({ description: 'Notches to the right; more than 100 are 100.' }),
      dy: z.number().default(0).meta({ description: 'Notches down; more than 100 are 100.' }),
    }),
    z.object({
      ...kind('TYPING'),
      text: z.string().min(1),
      use_clipboard: z.boolean().default(true).meta({ description: 'False: text that no key types is 400.' }),
    }),
    z.object({ ...kind('PRESS'), key: Key }),
    z.object({ ...kind('KEY_DOWN'), key: Key }),
    z.object({ ...kind('KEY_UP'), key: Key }),
    z.object({ ...kind('HOTKEY'), keys: z.array(Key).min(1).max(10) }),
    z.object({ ...kind('WAIT'), duration: z.number().positive().max(WAIT_MAX).meta({ description: 'Seconds.' }) }),
  ])
  .meta({ id: 'BrowserAction', example: { action_type: 'CLICK', x: 100, y: 100 } });

export function actionOf(body: z.infer<typeof ActionBody>): InputAction {
  switch (body.action_type) {
    case 'MOVE_REL':
    case 'DRAG_REL':
      return { type: body.action_type, xOffset: body.x_offset, yOffset: body.y_offset };
    case 'CLICK':
      return { type: 'CLICK', x: body.x, y: body.y, button: body.button, numClicks: body.num_clicks };
    case 'TYPING':
      return { type: 'TYPING', text: body.text, useClipboard: body.use_clipboard };
    default: {
      const { action_type: type, tab_id: _tab, ...rest } = body;
      return { type, ...rest } as InputAction;
    }
  }
}
