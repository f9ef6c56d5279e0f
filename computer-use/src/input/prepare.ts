import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { pause } from '@sandbox/api/wait.ts';
import type { NodeActions } from '../part.ts';
import { activateWindow, findWindow, minimizeWindow } from '../windows/windows.ts';
import type { DesktopAction } from './action.ts';
import type { Keyboard } from './keyboard.ts';
import { Pointer, pointerOf } from './pointer.ts';
import { prepareTyping, type TypingTerms } from './typing.ts';
import type { XInput } from './x-input.ts';

/** What has yet to be done; making it checks the action. */
export type Input = (signal: AbortSignal) => Promise<void>;

export interface InputTerms extends TypingTerms {
  readonly input: XInput;
  readonly keyboard: Keyboard;
  readonly nodes: NodeActions | undefined;
}

/** Prepares an action without doing anything. @throws SandboxError for an action that cannot be done */
export async function prepare(terms: InputTerms, action: DesktopAction): Promise<Input> {
  const { session, input, selections } = terms;
  const pointer = new Pointer(session, input);
  switch (action.type) {
    case 'MOVE_TO': {
      const place = await pointer.place(action);
      return () => pointer.move(place);
    }
    case 'MOVE_REL': {
      const place = await pointer.moved({ x: action.xOffset, y: action.yOffset });
      return () => pointer.move(place);
    }
    case 'DRAG_TO': {
      const place = await pointer.place(action);
      return (signal) => pointer.drag(place, signal);
    }
    case 'DRAG_REL': {
      const place = await pointer.moved({ x: action.xOffset, y: action.yOffset });
      return (signal) => pointer.drag(place, signal);
    }
    case 'CLICK':
    case 'RIGHT_CLICK':
    case 'DOUBLE_CLICK':
      return prepareClick(terms, pointer, action);
    case 'MOUSE_DOWN':
    case 'MOUSE_UP':
      return () => pointer.hold(action.button, action.type === 'MOUSE_DOWN');
    case 'SCROLL':
      return () => pointer.scroll(action.dx, action.dy);
    case 'WAIT':
      return (signal) => pause(action.duration * 1000, signal);
    case 'TYPING': {
      const type = await prepareTyping(terms, action.text, action.useClipboard);
      return (signal) => type(input, signal);
    }
    case 'SET_CLIPBOARD':
      return () => selections.own('CLIPBOARD', action.text);
    case 'WINDOW_ACTIVATE': {
      const window = await findWindow(session, action.windowId);
      return (signal) => activateWindow(session, window, signal);
    }
    case 'WINDOW_MINIMIZE': {
      const window = await findWindow(session, action.windowId);
      return (signal) => minimizeWindow(session, window, signal);
    }
    case 'NODE_FOCUS':
    case 'NODE_INVOKE':
    case 'NODE_SET_VALUE':
      return prepareNode(terms, action);
    default:
      return prepareKeys(terms, action);
  }
}

type Click = DesktopAction & { readonly type: 'CLICK' | 'RIGHT_CLICK' | 'DOUBLE_CLICK' };

/** One coordinate alone is that of the pointer for the other. */
async function prepareClick({ session }: InputTerms, pointer: Pointer, action: Click): Promise<Input> {
  const { x, y, button, numClicks } = action;
  if (x === undefined && y === undefined) return () => pointer.click(undefined, button, numClicks);
  const { rootX, rootY } = x === undefined || y === undefined ? await pointerOf(session) : { rootX: 0, rootY: 0 };
  const place = await pointer.place({ x: x ?? rootX, y: y ?? rootY });
  return () => pointer.click(place, button, numClicks);
}

type Keys = DesktopAction & { readonly type: 'PRESS' | 'KEY_DOWN' | 'KEY_UP' | 'HOTKEY' };

async function prepareKeys({ keyboard, input }: InputTerms, action: Keys): Promise<Input> {
  if (action.type === 'HOTKEY') {
    const strokes = await Promise.all(action.keys.map((key) => keyboard.stroke(key)));
    return () => keyboard.chord(input, strokes);
  }
  const stroke = await keyboard.stroke(action.key);
  if (action.type === 'PRESS') return () => keyboard.chord(input, [stroke]);
  return () => keyboard.hold(input, stroke, action.type === 'KEY_DOWN');
}

type OfNode = DesktopAction & { readonly type: 'NODE_FOCUS' | 'NODE_INVOKE' | 'NODE_SET_VALUE' };

function prepareNode(terms: InputTerms, action: OfNode): Input {
  const { nodes } = terms;
  if (nodes === undefined) {
    throw new SandboxError('unavailable', 'accessibility is not available', {
      hint: 'use the desktop image, which runs the accessibility bus',
    });
  }
  if (action.type === 'NODE_FOCUS') return (signal) => nodes.focus(action.nodeId, signal);
  if (action.type === 'NODE_INVOKE') return (signal) => nodes.invoke(action.nodeId, action.action, signal);
  return async (signal) => {
    if (!(await nodes.setValue(action.nodeId, action.value, signal)))
      await replaceText(terms, `${action.value}`, signal);
  };
}

/** Types over all text of what has the focus. */
async function replaceText(terms: InputTerms, text: string, signal: AbortSignal): Promise<void> {
  const { keyboard, input } = terms;
  const type = text === '' ? undefined : await prepareTyping(terms, text, true);
  await keyboard.chord(input, await Promise.all(['ctrl', 'a'].map((key) => keyboard.stroke(key))));
  if (type) await type(input, signal);
  else await keyboard.chord(input, [await keyboard.stroke('Delete')]);
}
