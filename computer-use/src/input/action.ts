import type { ButtonName } from './pointer.ts';

/** What an agent does with the display. Coordinates are pixels of the screen. */
export type DesktopAction =
  | { readonly type: 'MOVE_TO' | 'DRAG_TO'; readonly x: number; readonly y: number }
  | { readonly type: 'MOVE_REL' | 'DRAG_REL'; readonly xOffset: number; readonly yOffset: number }
  | {
      readonly type: 'CLICK' | 'RIGHT_CLICK' | 'DOUBLE_CLICK';
      readonly x?: number | undefined;
      readonly y?: number | undefined;
      readonly button: ButtonName;
      readonly numClicks: number;
    }
  | { readonly type: 'MOUSE_DOWN' | 'MOUSE_UP'; readonly button: ButtonName }
  | { readonly type: 'SCROLL'; readonly dx: number; readonly dy: number }
  | { readonly type: 'TYPING'; readonly text: string; readonly useClipboard: boolean }
  | { readonly type: 'PRESS' | 'KEY_DOWN' | 'KEY_UP'; readonly key: string }
  | { readonly type: 'HOTKEY'; readonly keys: readonly string[] }
  | { readonly type: 'WAIT'; readonly duration: number }
  | { readonly type: 'SET_CLIPBOARD'; readonly text: string }
  | { readonly type: 'WINDOW_ACTIVATE' | 'WINDOW_MINIMIZE'; readonly windowId: string }
  | { readonly type: 'NODE_FOCUS'; readonly nodeId: string }
  | { readonly type: 'NODE_INVOKE'; readonly nodeId: string; readonly action?: string | undefined }
  | { readonly type: 'NODE_SET_VALUE'; readonly nodeId: string; readonly value: string | number };
