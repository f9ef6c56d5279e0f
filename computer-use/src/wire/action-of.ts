import type { ComputerActionBody } from '@sandbox/api/http/computer/action.ts';
import { ValidationFailure } from '@sandbox/api/http/validation.ts';
import type { DesktopAction } from '../input/action.ts';
import { meaningOf, nearNames } from '../input/key-symbols.ts';

/** The action of a body. */
export function actionOf(body: ComputerActionBody): DesktopAction {
  switch (body.action_type) {
    case 'MOVE_REL':
    case 'DRAG_REL':
      return { type: body.action_type, xOffset: body.x_offset, yOffset: body.y_offset };
    case 'CLICK':
      return { type: 'CLICK', x: body.x, y: body.y, button: body.button, numClicks: body.num_clicks };
    case 'RIGHT_CLICK':
      return { type: 'RIGHT_CLICK', x: body.x, y: body.y, button: 'right', numClicks: 1 };
    case 'DOUBLE_CLICK':
      return { type: 'DOUBLE_CLICK', x: body.x, y: body.y, button: 'left', numClicks: 2 };
    case 'TYPING':
      return { type: 'TYPING', text: body.text, useClipboard: body.use_clipboard };
    case 'WINDOW_ACTIVATE':
    case 'WINDOW_MINIMIZE':
      return { type: body.action_type, windowId: body.window_id };
    case 'NODE_FOCUS':
      return { type: 'NODE_FOCUS', nodeId: body.node_id };
    case 'NODE_INVOKE':
      return { type: 'NODE_INVOKE', nodeId: body.node_id, action: body.action };
    case 'NODE_SET_VALUE':
      return { type: 'NODE_SET_VALUE', nodeId: body.node_id, value: body.value };
    default: {
      const { action_type: type, ...rest } = body;
      return { type, ...rest } as DesktopAction;
    }
  }
}

/**
 * Checks the names of keys before anything is done.
 * @param path where the actions are in the body
 * @throws ValidationFailure that names the keys that are close
 */
export function checkKeys(
  bodies: readonly { readonly body: ComputerActionBody; readonly path: PropertyKey[] }[],
): void {
  const issues = bodies.flatMap(({ body, path }) =>
    keysOf(body).flatMap(({ name, at }) =>
      meaningOf(name) === undefined
        ? [{ code: 'custom' as const, input: name, path: [...path, ...at], message: unknownKey(name) }]
        : [],
    ),
  );
  if (issues.length > 0) throw new ValidationFailure('body', issues);
}

function keysOf(body: ComputerActionBody): { readonly name: string; readonly at: PropertyKey[] }[] {
  if (body.action_type === 'HOTKEY') return body.keys.map((name, index) => ({ name, at: ['keys', index] }));
  return 'key' in body ? [{ name: body.key, at: ['key'] }] : [];
}

function unknownKey(name: string): string {
  const near = nearNames(name);
  const known = near.length > 0 ? `; close are ${near.join(', ')}` : '; names are those of X, such as Return or F5';
  return `no key is named ${JSON.stringify(name)}${known}`;
}
