import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pause } from '@sandbox/api/wait.ts';
import type { InputAction } from '../../../core/desktop/desktop.ts';
import type { Tab } from '../tabs/tab.ts';
import { drag } from './drag.ts';
import { untypable } from './keyboard.ts';
import { keyNamed } from './keys.ts';

/** Pixels that one notch of the wheel scrolls. */
const NOTCH = 120;
/** Notches of one action. */
const NOTCHES_MAX = 100;

/** What has yet to be done; making it checks the action. */
export type Input = () => Promise<void>;

/**
 * Prepares an action as input events of the page, in its own coordinates.
 * @throws SandboxError `invalid` for an action that cannot be done
 */
export function prepareAction(tab: Tab, action: InputAction): Input {
  const { mouse, keyboard } = tab;
  switch (action.type) {
    case 'MOVE_TO':
      return () => mouse.move(action.x, action.y);
    case 'MOVE_REL':
      return () => mouse.move(mouse.x + action.xOffset, mouse.y + action.yOffset);
    case 'DRAG_TO':
      return () => drag(tab, action);
    case 'DRAG_REL':
      return () => drag(tab, { x: mouse.x + action.xOffset, y: mouse.y + action.yOffset });
    case 'MOUSE_DOWN':
      return () => mouse.down(action.button);
    case 'MOUSE_UP':
      return () => mouse.up(action.button);
    case 'SCROLL':
      return () => mouse.wheel(notches(action.dx) * NOTCH, notches(action.dy) * NOTCH);
    case 'WAIT':
      return () => pause(action.duration * 1000, tab.gone);
    case 'TYPING':
      requireTypable(action.text, action.useClipboard);
      return () => keyboard.type(action.text);
    case 'PRESS':
    case 'KEY_DOWN':
    case 'KEY_UP':
    case 'HOTKEY':
      return keyInput(tab, action);
    default:
      return () => clickAt(tab, action);
  }
}

function keyInput(
  { keyboard }: Tab,
  action: InputAction & { type: 'PRESS' | 'KEY_DOWN' | 'KEY_UP' | 'HOTKEY' },
): Input {
  if (action.type === 'HOTKEY') {
    const keys = action.keys.map(keyNamed);
    return () => keyboard.chord(keys);
  }
  const key = keyNamed(action.key);
  if (action.type === 'KEY_DOWN') return () => keyboard.down(key);
  return action.type === 'KEY_UP' ? () => keyboard.up(key) : () => keyboard.chord([key]);
}

type ClickAction = InputAction & { type: 'CLICK' | 'RIGHT_CLICK' | 'DOUBLE_CLICK' };

async function clickAt({ mouse }: Tab, action: ClickAction): Promise<void> {
  const { x = mouse.x, y = mouse.y } = action;
  if (x !== mouse.x || y !== mouse.y) await mouse.move(x, y);
  if (action.type === 'CLICK') await mouse.click(action.button, action.numClicks);
  else if (action.type === 'DOUBLE_CLICK') await mouse.click('left', 2);
  else await mouse.click('right', 1);
}

function notches(count: number): number {
  return Math.min(Math.max(count, -NOTCHES_MAX), NOTCHES_MAX);
}

function requireTypable(text: string, useClipboard: boolean): void {
  const character = useClipboard ? undefined : untypable(text);
  if (character === undefined) return;
  throw new SandboxError('invalid', `no key types ${JSON.stringify(character)}`, {
    field: 'text',
    hint: 'leave use_clipboard true: then any character arrives',
  });
}
